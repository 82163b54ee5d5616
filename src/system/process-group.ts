import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { systemCode } from "../errors.ts";

/** Signals every process of the group; without a signal only asks. False when nobody is left in it. */
export function signalGroup(group: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  if (process.platform === "win32") return signalTree(group, signal);
  try {
    process.kill(-group, signal);
    return true;
  } catch (thrown) {
    // EPERM: it is there, but belongs to someone else (a setuid server).
    return systemCode(thrown) === "EPERM";
  }
}

/** Untested: no Windows at hand. There the leader stands for its tree, and there is no polite way to end it. */
function signalTree(leader: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  if (signal !== 0) {
    const ending = spawn("taskkill", ["/pid", String(leader), "/T", "/F"], { stdio: "ignore", windowsHide: true });
    ending.on("error", () => process.kill(leader));
    return true;
  }
  try {
    return process.kill(leader, 0);
  } catch {
    // Whatever the reason, it cannot be reached any more.
    return false;
  }
}

/** Waits until the group is empty; false when it is not so in time. */
async function emptied(group: number, patienceMs: number): Promise<boolean> {
  const until = performance.now() + patienceMs;
  for (let pause = 5; signalGroup(group, 0); pause = Math.min(50, pause * 2)) {
    if (performance.now() >= until) return false;
    await delay(pause);
  }
  return true;
}

/** Ends the group, politely first, within 3 s; with no patience at first, SIGTERM is sent at once. */
export async function endGroup(group: number, firstPatienceMs: number): Promise<void> {
  if (firstPatienceMs > 0 && (await emptied(group, firstPatienceMs))) return;
  if (!signalGroup(group, "SIGTERM") || (await emptied(group, 1200))) return;
  signalGroup(group, "SIGKILL");
  await emptied(group, 500);
}
