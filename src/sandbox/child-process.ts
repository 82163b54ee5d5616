import type { Readable } from "node:stream";
import type { GroupProcess } from "../system/start-group.ts";
import type { Outcome } from "./engine.ts";
import type { GuestProcess } from "./open-sandbox.ts";

const lastWordsBytes = 8192;

/** A program in its own group as the process of a sandbox. */
export function childGuestProcess(
  { child, kill }: GroupProcess,
  explainExit: (code: number | null, signal: NodeJS.Signals | null) => Outcome,
): GuestProcess {
  const lastWords = lastWordsOf(child.stderr);
  return {
    input: child.stdin,
    output: child.stdout,
    gone: new Promise((resolve) => {
      const end = (outcome: Outcome) => resolve({ outcome, lastWords: lastWords() });
      child.once("error", (error) => end({ end: "crashed", reason: error.message }));
      child.once("close", (code, signal) => end(explainExit(code, signal)));
    }),
    kill,
  };
}

/** What a process has said last on its stderr. */
export function lastWordsOf(stderr: Readable): () => string {
  let lastWords = "";
  stderr.on("data", (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-lastWordsBytes);
  });
  return () => lastWords;
}
