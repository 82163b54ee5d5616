type Stream = "stdout" | "stderr";

/** What is printed first is sent as it comes; of more than this, what is printed in a few milliseconds goes together. */
const sentAtOnce = 1 << 16;
const gatherMs = 10;
const gatherCharacters = 1 << 14;

/** What is printed, in fewer pieces where it is much: each costs the host as much as a short line. */
export interface GatheredOutput {
  add(stream: Stream, text: string): void;
  /** Sends what is held. */
  flush(): void;
  /** A new program begins. */
  reset(): void;
}

/** `soon` is called before anything else that waits. */
export function createGatheredOutput(
  send: (stream: Stream, text: string) => void,
  soon: (work: () => void) => void,
): GatheredOutput {
  let sent = 0;
  let pieces: string[] = [];
  let held = 0;
  let of: Stream = "stdout";
  let since = 0;
  const flush = (): void => {
    if (held === 0) return;
    const text = pieces.join("");
    pieces = [];
    held = 0;
    send(of, text);
  };
  return {
    add(stream, text) {
      if (sent < sentAtOnce) {
        sent += text.length;
        return send(stream, text);
      }
      if (stream !== of) flush();
      if (held === 0) {
        since = performance.now();
        of = stream;
        soon(flush);
      }
      pieces.push(text);
      held += text.length;
      if (held >= gatherCharacters || performance.now() - since >= gatherMs) flush();
    },
    flush,
    reset() {
      flush();
      sent = 0;
    },
  };
}
