import type { EngineEntry } from "./engines.ts";
import { proofRows } from "./proof.ts";
import { casesOf } from "./row.ts";
import { type CaseResult, runCase, takeBaseline } from "./run-case.ts";
import { openStage } from "./stage.ts";

/** The engines that can be run without their sandbox. */
export const provable: readonly EngineEntry[] = [
  { name: "deno", language: "typescript" },
  { name: "cpython", language: "python" },
];

/** Attacks an engine whose sandbox was taken away: by canary, what became of the attack that moves it. */
export async function proveCanaries(engine: EngineEntry, weak = true): Promise<ReadonlyMap<string, CaseResult>> {
  await using stage = await openStage(engine, { weak });
  const baseline = await takeBaseline(stage);
  const results = new Map<string, CaseResult>();
  for (const row of proofRows(engine.language)) {
    for (const attack of casesOf(row, engine.name)) results.set(row.id, await runCase(stage, attack, baseline));
  }
  return results;
}
