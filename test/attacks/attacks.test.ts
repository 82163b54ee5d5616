import { expect, test } from "vitest";
import { type Case, casesOf } from "./row.ts";
import { rows } from "./rows.ts";
import { type CaseResult, runCase, runTogether, takeBaseline } from "./run-case.ts";
import { openStage } from "./stage.ts";

// The fast part of the attack suite: of every attack that does not wait for a limit one variant, several at once.
// `npm run attacks` runs it all.

const together = 6;

function failuresOf(results: readonly CaseResult[]): string[] {
  return results.flatMap(({ id, name, moved, problems }) =>
    [...moved.map(({ canary, detail }) => `${canary} ${detail}`), ...problems].map((text) => `${id} ${name}: ${text}`),
  );
}

test.each([
  { name: "deno", language: "typescript" },
  { name: "cpython", language: "python" },
] as const)("$name withstands every fast attack", { timeout: 900_000 }, async (engine) => {
  await using stage = await openStage(engine);
  const baseline = await takeBaseline(stage);
  const chosen = rows.filter(({ language, on }) => language === engine.language && !on?.[engine.name]?.skip);
  const cases = chosen.flatMap((row) =>
    casesOf(row, engine.name)
      .filter(({ isFast }) => isFast)
      .slice(0, 1),
  );
  const failures: string[] = [];
  for (let start = 0; start < cases.length; start += together) {
    const batch: readonly Case[] = cases.slice(start, start + together);
    const results = await runTogether(stage, batch, baseline);
    if (failuresOf(results).length === 0) continue;
    const alone: CaseResult[] = [];
    for (const attack of batch) alone.push(await runCase(stage, attack, baseline));
    const confirmed = failuresOf(alone);
    failures.push(...(confirmed.length > 0 ? confirmed : failuresOf(results)));
  }
  expect(failures).toEqual([]);
});
