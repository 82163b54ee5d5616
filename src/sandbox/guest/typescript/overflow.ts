import type { GuestMessage } from "../../messages.ts";

type Stream = "stdout" | "stderr";

/** So much of the end is sent, for the answer to show. */
const tailCharacters = 1 << 16;
const sendEveryMs = 200;

/** What is printed beyond what may be kept: it is counted here, and only its end is sent, now and then. */
export interface Overflow {
  add(stream: Stream, text: string): void;
  /** Sends what has not been told yet. */
  tell(): void;
}

export function createOverflow(send: (message: GuestMessage) => void): Overflow {
  const streams = { stdout: createCount(), stderr: createCount() };
  let lastTold = performance.now();
  const tell = (): void => {
    lastTold = performance.now();
    for (const stream of ["stdout", "stderr"] as const) {
      const told = streams[stream].take();
      if (told) send({ type: "print", stream, ...told });
    }
  };
  return {
    add(stream, text) {
      streams[stream].add(text);
      if (performance.now() - lastTold >= sendEveryMs) tell();
    },
    tell,
  };
}

function createCount() {
  let pieces: string[] = [];
  let [held, characters, bytes] = [0, 0, 0];
  const tail = () => pieces.join("").slice(-tailCharacters);
  return {
    add(text: string): void {
      pieces.push(text);
      held += text.length;
      characters += text.length;
      bytes += encoder.encode(text).length;
      if (held <= 2 * tailCharacters) return;
      pieces = [tail()];
      held = tailCharacters;
    },
    take() {
      if (characters === 0) return undefined;
      const text = tail();
      const skipped = { characters: characters - text.length, bytes: bytes - encoder.encode(text).length };
      pieces = [];
      held = characters = bytes = 0;
      return { text, skipped };
    },
  };
}

const encoder = new TextEncoder();
