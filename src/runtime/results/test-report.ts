import * as z from "zod";
import { plainText } from "../../catalog/plain-text.ts";
import type { Prepared } from "../prepare-guest.ts";
import { guestError } from "./explain-outcome.ts";
import type { RunError, RunStatus } from "./run-result.ts";

type OwnCode = Pick<Prepared, "compiled" | "linked">;

const mostTests = 10_000;
const longestName = 200;
const longestMessage = 2000;

/** What a guest says of its tests: its word, no more than that. */
const guestReport = z.object({
  tests: z
    .array(
      z.object({
        name: z.string(),
        status: z.enum(["passed", "failed", "skipped"]),
        ms: z.number(),
        error: z
          .object({ name: z.string(), message: z.string(), stack: z.string().optional(), line: z.int().optional() })
          .optional(),
      }),
    )
    .max(mostTests),
});

interface TestResult {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly ms: number;
  readonly message?: string;
  readonly line?: number;
}

export interface TestEnding {
  readonly status: RunStatus;
  readonly value: unknown;
  readonly error?: RunError;
  /** The tests as a person reads them: a line each, failures with their place, and how many there were. */
  readonly text: string;
}

/** How a run of tests ended. */
export function readTestReport(value: unknown, code: OwnCode): TestEnding {
  const read = guestReport.safeParse(value);
  if (!read.success) return failed("The tests ran, but their report was lost", { tests: [] }, "");
  const tests = read.data.tests.map((test) => resultOf(test, code));
  const count = (status: TestResult["status"]) => tests.filter((test) => test.status === status).length;
  const result = { passed: count("passed"), failed: count("failed"), skipped: count("skipped"), tests };
  if (tests.length === 0) return failed("The file defines no tests", result, "", howToTest);
  const text = `${[...tests.map(showTest), summary(result)].join("\n")}\n`;
  if (result.failed === 0) return { status: "ok", value: result, text };
  const line = tests.find((test) => test.status === "failed")?.line;
  return failed(`${result.failed} of ${tests.length} tests failed`, result, text, undefined, line);
}

/** Whether the result of a run is about its tests: then its text has been printed. */
export function isTestReport(result: unknown): boolean {
  return typeof result === "object" && result !== null && "passed" in result && "tests" in result;
}

const howToTest =
  'TypeScript: import { test } from "node:test". Python: unittest.TestCase classes, or functions named test_…';

function failed(message: string, value: unknown, text: string, hint?: string, line?: number): TestEnding {
  const error = { code: "tests_failed", message, ...(hint && { hint }), ...(line !== undefined && { line }) };
  return { status: "error", value, error, text };
}

type GuestTest = z.output<typeof guestReport>["tests"][number];

function resultOf({ name, status, ms, error }: GuestTest, code: OwnCode): TestResult {
  const own = error && guestError(error as Parameters<typeof guestError>[0], code);
  const message = own && `${own.name && own.name !== "Error" ? `${own.name}: ` : ""}${own.message}`;
  const place = own?.stack?.split("\n").find((frame) => !frame.startsWith("line "));
  return {
    name: plainText(name, longestName).replaceAll("\n", " "),
    status,
    ms,
    ...(message !== undefined && { message: plainText(place ? `${message}\n(${place})` : message, longestMessage) }),
    ...(own?.line !== undefined && { line: own.line }),
  };
}

function showTest({ name, status, ms, message, line }: TestResult): string {
  if (status === "skipped") return `skip  ${name}`;
  if (status === "passed") return `ok    ${name} (${ms} ms)`;
  const place = line === undefined ? "" : `, line ${line}`;
  return `FAIL  ${name} (${ms} ms)${place}\n${(message ?? "").replace(/^/gm, "      ")}`;
}

function summary({ passed, failed, skipped }: { passed: number; failed: number; skipped: number }): string {
  return [`${passed} passed`, `${failed} failed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(", ");
}
