import { spawn } from "node:child_process";
import { signalGroup } from "../upstream/process-group.ts";
import { guardProcessGroup } from "../upstream/reaper.ts";

/** Runs a program of ours with a text as its input and tells whether it ended well, within the time. */
export function endsWell(file: string, args: readonly string[], input: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { detached: true, stdio: ["pipe", "ignore", "ignore"], env: {} });
    const { pid } = child;
    if (pid !== undefined) child.once("exit", guardProcessGroup(pid));
    const timer = setTimeout(() => pid !== undefined && signalGroup(pid, "SIGKILL"), timeoutMs);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
    child.once("error", () => resolve(false));
    child.stdin.on("error", () => {}); // it ended before it had read all
    child.stdin.end(input);
  });
}
