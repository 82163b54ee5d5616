import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Moved } from "./canaries.ts";
import { judge, outcome, waitForTurnMs } from "./judge.ts";
import { patience } from "./patience.ts";
import { processesWith, residentMb, runProcesses } from "./process-table.ts";
import type { Case, Step } from "./row.ts";
import { type Answer, limits, type Stage } from "./stage.ts";
import { probe, traces } from "./traces.ts";

export interface CaseResult {
  readonly id: string;
  readonly name: string;
  readonly engine: string;
  /** How the last step ended. */
  readonly outcome: string;
  readonly milliseconds: number;
  readonly moved: readonly Moved[];
  readonly problems: readonly string[];
}

/** What a gateway at rest looks like: attacks are measured against it. */
export interface Baseline {
  readonly traces: unknown;
  readonly prototypes: string;
  readonly processes: number;
}

const answerWithinMs = 2000;
const goneWithinMs = 2000;
const givenBackWithinMs = 2000;
const growthMb = 64;

/** Runs everything once, so that what starts on first use is there, and waits until the gateway is at rest. */
export async function takeBaseline(stage: Stage): Promise<Baseline> {
  const { language } = stage.engine;
  for (let turn = 0; turn < 3; turn++) await stage.run(probe[language]);
  await stage.run({ code: warmUp[language] });
  const seen = await stage.run({ code: traces[language] });
  if (seen.status !== "ok") throw new Error(`${stage.engine.name} cannot run: ${seen.error?.message}`);
  let processes = runProcesses(stage.pid).length;
  for (let quiet = 0; quiet < 5; ) {
    await delay(100);
    const now = runProcesses(stage.pid).length;
    quiet = now === processes ? quiet + 1 : 0;
    processes = now;
  }
  stage.canaries.collect("");
  return { traces: seen.result, prototypes: await stage.watch("prototypes"), processes };
}

const warmUp = {
  typescript: 'import { echo } from "mcp_tools/attack"; await echo({ a: 1 })',
  // The checker reads what it knows of a module once, which takes a second for some.
  python:
    "import asyncio, ctypes, gc, importlib, inspect, json, os, re, signal, socket, subprocess, sys, threading, types, typing\nfrom mcp_tools.attack import echo\necho(a=1)",
};

/** One attack, alone, with everything watched. */
export async function runCase(stage: Stage, attack: Case, baseline: Baseline): Promise<CaseResult> {
  const before = await takeMemory(stage);
  const answers: Answer[] = [];
  const disturbed = await during(stage, attack, async () => {
    await Promise.all(Array.from({ length: attack.copies }, () => runSteps(stage, attack, answers)));
  });
  const again = () => runSteps(stage, attack, []);
  const moved = [...disturbed, ...(await inspect(stage, { baseline, before, answers, again }))];
  return { ...resultOf(stage, attack, answers.at(-1) as Answer), moved };
}

/** Many attacks at once. What moved is on the first: run them alone to find out whose it is. */
export async function runTogether(
  stage: Stage,
  attacks: readonly Case[],
  baseline: Baseline,
): Promise<readonly CaseResult[]> {
  const before = await takeMemory(stage);
  const answers: Answer[] = [];
  const results = await Promise.all(
    attacks.map(async (attack) => {
      return resultOf(stage, attack, await runSteps(stage, attack, answers));
    }),
  );
  const again = () => Promise.all(attacks.map((attack) => runSteps(stage, attack, [])));
  const moved = [...hanging(answers), ...(await inspect(stage, { baseline, before, answers, again }))];
  return results.map((result, index) => (index === 0 ? { ...result, moved } : result));
}

/** Between the two runs in a session: longer than what a run has left behind waits before it acts. */
const pauseMs = 500;

/**
 * Many attacks at once, each twice in a session of its own. Until the second runs start nobody may call `late`: no run is
 * under way that could. The sessions end with their client, since an attack may have broken what its guest ends them with.
 */
export async function runInSessions(stage: Stage, attacks: readonly Case[], baseline: Baseline): Promise<Moved[]> {
  const before = await takeMemory(stage);
  const runAll = () =>
    Promise.all(
      attacks.map(({ steps: [step] }, index) => stage.run({ ...(step as Step), session: `attack-${index}` })),
    );
  const first = await runAll();
  await delay(patience(pauseMs));
  const early = stage.canaries.collect("");
  const second = await runAll();
  await stage.leave();
  const answers = [...first, ...second];
  const again = async () => {
    await runAll();
    await stage.leave();
  };
  const seen = await inspect(stage, { baseline, before, answers, again, mayCallLate: true });
  return [...early, ...hanging(answers), ...seen];
}

function hanging(answers: readonly Answer[]): Moved[] {
  const silent = answers.filter(({ status }) => status === "hang");
  return silent.map(({ text }) => ({ canary: "C-LIVE", detail: `an attack was not answered: ${text}` }));
}

async function runSteps(stage: Stage, attack: Case, answers: Answer[]): Promise<Answer> {
  const own: Answer[] = [];
  for (const step of attack.steps) own.push(await stage.run(patiently(attack, step)));
  answers.push(...own);
  // What is kept for the next run is not a leftover; a session that the attack has ended itself is gone already.
  const sessions = new Set(attack.steps.flatMap(({ session }) => session ?? []));
  for (const session of sessions) await stage.run({ code: endSession[stage.engine.language], session });
  return own.at(-1) as Answer;
}

/** Where its time limit is not how an attack may end, a busy machine must not end it so either. */
function patiently({ expect }: Case, step: Step): Step {
  if (expect.includes("T") || expect.includes("N")) return step;
  const { timeout = limits.timeoutSeconds } = step;
  return { ...step, timeout: Math.ceil(patience(timeout * 1000) / 1000) };
}

const endSession = {
  typescript: 'import { session } from "coordinator"; await session.end()',
  python: "from coordinator import session\nsession.end()",
};

function resultOf(stage: Stage, attack: Case, last: Answer): CaseResult {
  const { id, name } = attack;
  const { milliseconds } = last;
  const problems = judge(attack, last);
  return { id, name, engine: stage.engine.name, outcome: outcome(last), milliseconds, moved: [], problems };
}

/** While something goes on, another request is answered in time and with the right answer, again and again. */
async function during(stage: Stage, attack: Case, act: () => Promise<void>): Promise<Moved[]> {
  const moved: Moved[] = [];
  const acting = act();
  let isOver = false;
  void acting.finally(() => {
    isOver = true;
  });
  do {
    const late = await livenessProblem(stage, waitForTurnMs(attack));
    if (late) moved.push({ canary: "C-LIVE", detail: `during: ${late}` });
    await Promise.race([acting, delay(250)]);
  } while (!isOver && moved.length === 0);
  await acting;
  return moved;
}

async function livenessProblem(stage: Stage, waitMs: number): Promise<string | undefined> {
  const { code, answer } = probe[stage.engine.language];
  const { status, result, milliseconds, error } = await stage.run({ code });
  if (status !== "ok" || result !== answer)
    return `another run ended as ${status}: ${error?.message ?? String(result)}`;
  if (milliseconds > waitMs + patience(answerWithinMs)) return `another run took ${Math.round(milliseconds)} ms`;
  return undefined;
}

/** What there was before an attack, what it brought, and how to do it again. */
interface Done {
  readonly baseline: Baseline;
  readonly before: Memory;
  readonly answers: readonly Answer[];
  again(): Promise<unknown>;
  readonly mayCallLate?: boolean;
}

/** Everything that can be seen after an attack. */
async function inspect(stage: Stage, done: Done): Promise<Moved[]> {
  const { baseline, before, answers, mayCallLate = false } = done;
  const moved: Moved[] = [];
  const next = await stage.run({ code: traces[stage.engine.language] });
  if (next.status !== "ok") moved.push({ canary: "C-LIVE", detail: `after: a benign run ended as ${next.status}` });
  else if (!isDeepStrictEqual(next.result, baseline.traces)) {
    moved.push({ canary: "C-NEXT", detail: `the next run saw ${JSON.stringify(next.result)}` });
  }
  if (next.milliseconds > patience(answerWithinMs))
    moved.push({ canary: "C-LIVE", detail: "after: a benign run was late" });
  const prototypes = await stage.watch("prototypes").catch((error: Error) => error.message);
  if (prototypes !== baseline.prototypes)
    moved.push({ canary: "C-PROTO", detail: `the prototypes differ: ${prototypes}` });
  const left = await leftProcesses(stage, baseline);
  if (left) moved.push({ canary: "C-PROC", detail: left });
  const grown = await growth(stage, before.residentMb);
  if (grown > growthMb && !(await isSlack(stage, done)))
    moved.push({ canary: "C-MEM", detail: `the gateway grew by ${Math.round(grown)} MB` });
  const seen = [...answers.map(({ text }) => text), next.text, stage.takeLog()].join("\n");
  return [...moved, ...stage.canaries.collect(seen, mayCallLate)];
}

async function leftProcesses(stage: Stage, baseline: Baseline): Promise<string | undefined> {
  const end = performance.now() + patience(goneWithinMs);
  for (;;) {
    const marked = processesWith(stage.targets.PROC);
    const running = runProcesses(stage.pid);
    if (marked.length === 0 && running.length <= baseline.processes) return undefined;
    if (performance.now() > end) {
      for (const pid of marked) process.kill(pid, "SIGKILL");
      const newest = running.slice(-3).map(({ pid, command }) => `${pid} ${command.slice(0, 40)}`);
      return `${running.length} processes in place of ${baseline.processes}, ${marked.length} by the guest: ${newest.join(", ")}`;
    }
    await delay(20);
  }
}

interface Memory {
  readonly residentMb: number;
  /** What the gateway's own objects and buffers take, without garbage. Without end when it does not answer. */
  readonly heldMb: number;
}

async function takeMemory(stage: Stage): Promise<Memory> {
  const heldMb = Number(await stage.watch("collect").catch(() => Infinity));
  return { residentMb: residentMb(stage.pid), heldMb };
}

/** So often what is kept for next blocks may grow, until it is as large as the attack ever needs it. */
const mostRepeats = 4;

/**
 * Of large blocks that were freed, the C library and the JavaScript engine keep some for the next ones. That is not held by
 * anything in the gateway, and does not grow every time that the same attack is made.
 */
async function isSlack(stage: Stage, { before, again }: Done): Promise<boolean> {
  for (let repeat = 0; repeat < mostRepeats; repeat++) {
    const after = await takeMemory(stage);
    const isHeld = !(after.heldMb - before.heldMb <= growthMb);
    if (isHeld) return false;
    await again();
    if ((await growth(stage, after.residentMb)) <= growthMb / 4) return true;
  }
  return false;
}

/**
 * Garbage that was not collected yet is not growth, nor are the answers to calls of the attack that its server still sends:
 * what comes back in time was not kept.
 */
async function growth(stage: Stage, mbBefore: number): Promise<number> {
  const end = performance.now() + patience(givenBackWithinMs);
  for (;;) {
    const grown = residentMb(stage.pid) - mbBefore;
    if (grown <= growthMb || performance.now() > end) return grown;
    await stage.watch("collect").catch(() => {}); // a gateway that does not answer is told elsewhere
    await delay(200);
  }
}
