import type { GroupProcess } from "../system/start-group.ts";
import type { Outcome } from "./engine.ts";
import type { GuestProcess } from "./open-sandbox.ts";

const lastWordsBytes = 8192;

/** A program in its own group as the process of a sandbox. */
export function childGuestProcess(
  { child, kill }: GroupProcess,
  explainExit: (code: number | null, signal: NodeJS.Signals | null) => Outcome,
): GuestProcess {
  let lastWords = "";
  child.stderr.on("data", (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-lastWordsBytes);
  });
  return {
    input: child.stdin,
    output: child.stdout,
    gone: new Promise((resolve) => {
      child.once("error", (error) => resolve({ outcome: { end: "crashed", reason: error.message }, lastWords }));
      child.once("close", (code, signal) => resolve({ outcome: explainExit(code, signal), lastWords }));
    }),
    kill,
  };
}
