import { canaries, type Moved } from "./canaries.ts";
import { type EngineEntry, engines } from "./engines.ts";
import { onStdio, overHttp, type Reach } from "./reach-gateway.ts";
import { type Case, casesOf, type Row } from "./row.ts";
import { type Baseline, type CaseResult, runCase, runInSessions, runTogether, takeBaseline } from "./run-case.ts";
import { openStage, type Stage } from "./stage.ts";

/** Each attack alone, eight at a time, and each twice in a session. */
export const parts = ["alone", "crowd", "sessions"] as const;
export type Part = (typeof parts)[number];

/** The outcome of a row on an engine. */
export interface Cell {
  readonly id: string;
  readonly engine: string;
  readonly ok: boolean;
  readonly text: string;
  readonly cases: readonly CaseResult[];
}

export interface EngineReport {
  readonly engine: EngineEntry;
  /** Why it could not be attacked. */
  readonly absent?: string;
  readonly cells: readonly Cell[];
  /** What moved while eight attacks ran at once, and while each ran twice in a session. */
  readonly crowd?: readonly Moved[];
  readonly sessions?: readonly Moved[];
}

export interface AttackOptions {
  readonly rows: readonly Row[];
  readonly engines?: readonly EngineEntry[];
  readonly parts?: readonly Part[];
  readonly onCell?: (cell: Cell) => void;
  readonly together?: boolean;
}

const crowdSize = 8;

/** Runs rows against every engine of their language: one engine after the other, or all at the same time. */
export async function attack(options: AttackOptions): Promise<EngineReport[]> {
  const reports: Promise<EngineReport>[] = [];
  for (const engine of options.engines ?? engines) {
    const rows = options.rows.filter(({ language }) => language === engine.language);
    if (rows.length === 0) continue;
    const report = attackEngine(engine, { ...options, rows });
    reports.push(report);
    if (!options.together) await report;
  }
  return Promise.all(reports);
}

async function attackEngine(
  engine: EngineEntry,
  { rows, parts: chosen = ["alone"], onCell }: AttackOptions,
): Promise<EngineReport> {
  const possible = rows.filter(({ on }) => !on?.[engine.name]?.skip).flatMap((row) => casesOf(row, engine.name));
  const fast = possible.filter(({ isFast }) => isFast);
  try {
    return {
      engine,
      cells: chosen.includes("alone") ? await attackAlone(engine, rows, onCell) : [],
      ...(chosen.includes("crowd") && { crowd: await attackTogether(engine, fast) }),
      ...(chosen.includes("sessions") && { sessions: await attackInSessions(engine, fast) }),
    };
  } catch (error) {
    if (!(error instanceof Absent)) throw error;
    return { engine, absent: error.message, cells: [] };
  }
}

async function attackAlone(
  engine: EngineEntry,
  rows: readonly Row[],
  onCell: AttackOptions["onCell"],
): Promise<readonly Cell[]> {
  await using manned = await man(engine);
  const cells: Cell[] = [];
  for (const row of rows) {
    const cases: CaseResult[] = [];
    const skip = row.on?.[engine.name]?.skip;
    for (const attack of skip ? [] : casesOf(row, engine.name)) {
      cases.push(await runCase(manned.stage, attack, manned.baseline));
      if (cases.at(-1)?.moved.length) await manned.again();
    }
    const cell = cellOf(row, engine, cases, skip);
    cells.push(cell);
    onCell?.(cell);
  }
  return cells;
}

/** Eight at once: attacks must not help each other. */
function attackTogether(engine: EngineEntry, cases: readonly Case[]): Promise<Moved[]> {
  return inCrowds(engine, onStdio, cases, async (stage, crowd, baseline) => {
    const results = await runTogether(stage, crowd, baseline);
    return results.flatMap(({ moved }) => moved);
  });
}

/** Each twice in a session of its own, eight of these at once. Over HTTP, where the gateway outlives its clients. */
function attackInSessions(engine: EngineEntry, cases: readonly Case[]): Promise<Moved[]> {
  const isPlain = ({ steps: [step, ...others] }: Case) => others.length === 0 && step?.session === undefined;
  return inCrowds(engine, overHttp, cases.filter(isPlain), runInSessions);
}

async function inCrowds(
  engine: EngineEntry,
  reach: Reach,
  cases: readonly Case[],
  run: (stage: Stage, crowd: readonly Case[], baseline: Baseline) => Promise<readonly Moved[]>,
): Promise<Moved[]> {
  await using manned = await man(engine, reach);
  const all: Moved[] = [];
  for (let start = 0; start < cases.length; start += crowdSize) {
    const crowd = cases.slice(start, start + crowdSize);
    const moved = await run(manned.stage, crowd, manned.baseline);
    const names = crowd.map(({ id, name }) => (name ? `${id} ${name}` : id)).join(", ");
    all.push(...moved.map(({ canary, detail }) => ({ canary, detail: `${detail} (one of ${names})` })));
    if (moved.length > 0) await manned.again();
  }
  return all;
}

/** A gateway at rest. */
interface Manned extends AsyncDisposable {
  readonly stage: Stage;
  readonly baseline: Baseline;
  /** Puts another in its place: what an attack has broken must not count against the next. */
  again(): Promise<void>;
}

/** The engine cannot be attacked on this machine. */
class Absent extends Error {}

async function man(engine: EngineEntry, reach: Reach = onStdio): Promise<Manned> {
  const open = async () => {
    const stage = await openStage(engine, { reach });
    try {
      return { stage, baseline: await takeBaseline(stage) };
    } catch (error) {
      await stage[Symbol.asyncDispose]();
      throw error;
    }
  };
  let now = await open().catch((error: Error) => {
    throw new Absent(error.message);
  });
  return {
    get stage() {
      return now.stage;
    },
    get baseline() {
      return now.baseline;
    },
    async again() {
      await now.stage[Symbol.asyncDispose]();
      now = await open();
    },
    [Symbol.asyncDispose]: () => now.stage[Symbol.asyncDispose](),
  };
}

function cellOf(row: Row, engine: EngineEntry, cases: readonly CaseResult[], skip?: string): Cell {
  const outcomes = [...new Set(cases.map(({ outcome }) => outcome))].join(", ");
  const wrong = cases.flatMap(({ name, moved, problems }) =>
    [...moved.map(({ canary, detail }) => `${canary} ${detail}`), ...problems].map((text) =>
      name ? `[${name}] ${text}` : text,
    ),
  );
  const ok = wrong.length === 0;
  const expected = typeof row.expect === "string" ? row.expect : row.expect.join("/");
  const text = skip ? `–: ${skip}` : ok ? `ok: ${expected} (${outcomes})` : `FAILED: ${wrong.join("; ")}`;
  return { id: row.id, engine: engine.name, ok, text, cases };
}

/** Which kinds of canary moved in some results. */
export function firedIn(results: readonly CaseResult[]): string[] {
  const fired = new Set(results.flatMap(({ moved }) => moved.map(({ canary }) => canary)));
  return canaries.filter((canary) => fired.has(canary));
}
