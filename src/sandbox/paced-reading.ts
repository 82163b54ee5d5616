import type { Readable } from "node:stream";

/** A guest that prints on and on gets this much of our time at once, then as much time passes before it is read again. */
const turnMs = 5;

/** Reads what a guest sends, and what it sends without being asked no faster than it can be taken. */
export function createPacedReading(output: Readable, take: (chunk: Buffer) => void) {
  let until: Promise<void> | undefined;
  let isFlooding = false;
  let spentMs = 0;
  const pause = (rested: Promise<unknown>): void => {
    output.pause();
    const goOn = () => void output.resume();
    rested.then(goOn, goOn);
  };
  output.on("data", (chunk: Buffer) => {
    const started = performance.now();
    take(chunk);
    spentMs = isFlooding ? spentMs + performance.now() - started : 0;
    const rests = [...(until ? [until] : []), ...(spentMs >= turnMs ? [resting(spentMs)] : [])];
    until = undefined;
    if (rests.length === 0) return;
    spentMs = 0;
    pause(Promise.allSettled(rests));
  });
  return {
    /** Reads no more before this has settled. */
    waitFor(written: Promise<void> | undefined): void {
      until = written ?? until;
    },
    /** From now on, or no longer, it only gets a share of our time. */
    set isFlooding(flooding: boolean) {
      isFlooding = flooding;
    },
    /** Lets what is left come to its end: a stream that nobody reads is never closed. */
    end: () => void output.resume(),
  };
}

function resting(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
