import { expect, test } from "vitest";
import type { RunResult } from "../../runtime/results/run-result.ts";
import { presentRun } from "./present-run.ts";

const run: RunResult = { status: "ok", result: [1], run: "r1", calls: { total: 0, failed: 0 } };

test("a run's text is the given one, or its data where the configuration says so", () => {
  expect(presentRun(run, "[1]")).toMatchObject({ text: "[1]", data: run, failed: false, notices: [] });
  expect(presentRun(run, "[1]", "compact").text).toBe("[1]");
  expect(JSON.parse(presentRun(run, "[1]", "json").text ?? "")).toEqual(run);
});

test("what is attached goes beside the data, and every end but a good one is a failure", () => {
  const attached = [{ type: "image", mimeType: "image/png" }] as unknown as NonNullable<RunResult["attached"]>;
  const presented = presentRun({ ...run, attached, artifacts: ["artifact://r1/a"] }, "");
  expect(presented).toMatchObject({ data: run, attached, artifacts: ["artifact://r1/a"] });
  expect(presented.data).not.toHaveProperty("attached");
  for (const status of ["error", "check_failed", "timeout", "limit", "denied", "cancelled"] as const)
    expect(presentRun({ ...run, status }, "").failed).toBe(true);
  expect(presentRun({ ...run, status: "timeout", error: { message: "too long" } }, "").notices).toEqual([
    "run r1: timeout: too long",
  ]);
});
