import { canaries, type Moved } from "./canaries.ts";
import { type EngineEntry, engines } from "./engines.ts";
import { type Case, casesOf, type Row } from "./row.ts";
import { type Baseline, type CaseResult, runCase, runTogether, takeBaseline } from "./run-case.ts";
import { openStage, type Stage } from "./stage.ts";

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
  readonly onCell?: (cell: Cell) => void;
  readonly crowd?: boolean;
  readonly together?: boolean;
}

const crowdSize = 8;

/** Runs rows against every engine of their language: one engine after the other, or all at the same time. */
export async function attack(options: AttackOptions): Promise<EngineReport[]> {
  const { rows, engines: chosen = engines, onCell, crowd = false, together = false } = options;
  const reports: Promise<EngineReport>[] = [];
  for (const engine of chosen) {
    const own = rows.filter(({ language }) => language === engine.language);
    if (own.length === 0) continue;
    const report = attackEngine(engine, own, onCell, crowd);
    reports.push(report);
    if (!together) await report;
  }
  return Promise.all(reports);
}

async function attackEngine(
  engine: EngineEntry,
  rows: readonly Row[],
  onCell: AttackOptions["onCell"],
  crowd: boolean,
): Promise<EngineReport> {
  let manned: Manned;
  try {
    manned = await man(engine);
  } catch (error) {
    return { engine, absent: (error as Error).message, cells: [] };
  }
  const cells: Cell[] = [];
  for (const row of rows) {
    const cases: CaseResult[] = [];
    const skip = row.on?.[engine.name]?.skip;
    for (const attack of skip ? [] : casesOf(row, engine.name)) {
      cases.push(await runCase(manned.stage, attack, manned.baseline));
      // What an attack has broken must not count against the next.
      if (cases.at(-1)?.moved.length) manned = await man(engine, manned);
    }
    const cell = cellOf(row, engine, cases, skip);
    cells.push(cell);
    onCell?.(cell);
  }
  const fast = rows.filter(({ on }) => !on?.[engine.name]?.skip).flatMap((row) => casesOf(row, engine.name));
  const cases = fast.filter(({ isFast }) => isFast);
  const together = crowd && {
    crowd: await attackTogether(manned, cases),
    sessions: await attackTogether(
      manned,
      cases.flatMap((attack, index) => twiceInSession(attack, index)),
    ),
  };
  await manned.stage[Symbol.asyncDispose]();
  return { engine, cells, ...together };
}

interface Manned {
  readonly stage: Stage;
  readonly baseline: Baseline;
}

/** A stage at rest; takes the place of an old one. */
async function man(engine: EngineEntry, old?: Manned): Promise<Manned> {
  await old?.stage[Symbol.asyncDispose]();
  const stage = await openStage(engine);
  try {
    return { stage, baseline: await takeBaseline(stage) };
  } catch (error) {
    await stage[Symbol.asyncDispose]();
    throw error;
  }
}

/** Eight at once: attacks must not help each other. */
async function attackTogether({ stage, baseline }: Manned, cases: readonly Case[]): Promise<Moved[]> {
  const moved: Moved[] = [];
  for (let start = 0; start < cases.length; start += crowdSize) {
    const results = await runTogether(stage, cases.slice(start, start + crowdSize), baseline);
    moved.push(...results.flatMap((result) => result.moved));
  }
  return moved;
}

/** The same attack twice in a session of its own. */
function twiceInSession(attack: Case, index: number): Case[] {
  const [step, ...others] = attack.steps;
  if (!step || others.length > 0 || step.session !== undefined) return [];
  const again = { ...step, session: `attack-${index}` };
  return [{ ...attack, steps: [again, again] }];
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
