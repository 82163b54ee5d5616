// The thread of watchdog.ts. It needs nothing of the main thread to say and do what it does.
import { writeSync } from "node:fs";
import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { beats, endings, standingKey } from "../../system/watched-work.ts";
import type { Ended, WatchdogData } from "./watchdog.ts";

const { pulse, lookMs, tellMs, endMs, killMs } = workerData as WatchdogData;

/** One time of standing still, from the first beat that was missed. */
interface Standstill {
  readonly since: number;
  /** How the main thread is reached in the middle of what it does. */
  session?: Session;
  /** The number and name of the operation, where it has told. */
  standing: string;
  isTold?: true;
  isEnded?: true;
}

let seen = Atomics.load(pulse, beats);
let lastLook = performance.now();
let standstill: Standstill = { since: lastLook, standing: "" };

setInterval(() => {
  const now = performance.now();
  const wasAway = now - lastLook > lookMs + tellMs / 2;
  lastLook = now;
  const beat = Atomics.load(pulse, beats);
  // A machine that slept, or a process that was stopped: this thread has stood still too.
  if (beat !== seen || wasAway) return goOn(now, beat);
  const stoodMs = now - standstill.since;
  if (stoodMs >= endMs + killMs) {
    say(
      `error host_stalled: the host has stood still for ${seconds(stoodMs)} s${place()} and cannot be woken; it ends now`,
    );
    process.kill(process.pid, "SIGKILL");
  } else if (stoodMs >= endMs) end();
  else if (stoodMs >= tellMs) tell(stoodMs);
}, lookMs);

function goOn(now: number, beat: number): void {
  const { session, isEnded, since, standing } = standstill;
  session?.disconnect();
  if (isEnded) {
    const ended: Ended = { id: Number.parseInt(standing, 10) || 0, seconds: seconds(now - since) };
    parentPort?.postMessage(ended);
  }
  seen = beat;
  standstill = { since: now, standing: "" };
}

/** Asks at the first look, and tells at the next, whatever the answer: in native code there is none. */
function tell(stoodMs: number): void {
  if (!standstill.session) return ask(standstill);
  if (standstill.isTold) return;
  standstill.isTold = true;
  say(`The host has stood still for ${seconds(stoodMs)} s${place()}; it will be ended after ${seconds(endMs)} s`);
}

function end(): void {
  if (standstill.isEnded) return;
  standstill.isEnded = true;
  ask(standstill);
  Atomics.add(pulse, endings, 1);
  standstill.session?.post("Runtime.terminateExecution");
  say(`error host_stalled: the host stood still for ${seconds(endMs)} s${place()}; what it was doing is ended`);
}

function ask(asking: Standstill): void {
  if (!asking.session) {
    asking.session = new Session();
    asking.session.connectToMainThread();
  }
  const expression = `globalThis[Symbol.for(${JSON.stringify(standingKey)})]()`;
  asking.session.post("Runtime.evaluate", { expression, returnByValue: true }, (error, answer) => {
    if (!error && typeof answer.result.value === "string") asking.standing = answer.result.value;
  });
}

function place(): string {
  const name = standstill.standing.split(" ")[1];
  return name ? ` in ${name}` : "";
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function say(line: string): void {
  try {
    writeSync(2, `mcp-coordinator: ${line}\n`);
  } catch {
    // Nobody reads it; the rest is done all the same.
  }
}
