import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { signalGroup } from "../upstream/process-group.ts";
import { guardProcessGroup } from "../upstream/reaper.ts";
import type { Outcome } from "./engine.ts";
import type { GuestProcess } from "./open-sandbox.ts";

const lastWordsBytes = 8192;

/** A child process of its own group as the process of a sandbox; it does not outlive us. */
export function childGuestProcess(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  explainExit: (code: number | null, signal: NodeJS.Signals | null) => Outcome,
): GuestProcess {
  const { pid } = child;
  if (pid !== undefined) child.once("exit", guardProcessGroup(pid));
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
    kill: () => {
      if (pid !== undefined) signalGroup(pid, "SIGKILL");
    },
  };
}
