import { talk } from "./print.ts";

/** How long what is under way in the system may take. */
const patienceMs = 2000;
const lookMs = 20;

/**
 * Ends the process. `process.exit` waits for every thread that stands in a call of the system, for ever when that opens a
 * pipe without a writer or a file of a network that is gone: then SIGKILL ends it.
 */
export function endProcess(code: number): void {
  if (!isInSystem()) process.exit(code);
  const deadline = performance.now() + patienceMs;
  setInterval(() => {
    if (!isInSystem()) process.exit(code);
    if (performance.now() < deadline) return;
    talk("A file or a network name was waited for in vain; the process ends itself with SIGKILL");
    process.kill(process.pid, "SIGKILL");
  }, lookMs);
}

/** Whether a thread of the pool reads a file, or asks for the address of a name. */
function isInSystem(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/.test(name));
}
