import { expect, test } from "vitest";
import { CoordinatorError } from "./errors.ts";

test("a message does not repeat millions of characters that somebody sent", () => {
  const { message } = new CoordinatorError("run_unknown", `The journal has no run "${"x".repeat(3_000_000)}"`);
  expect([message.length, message.slice(0, 25), message.at(-1)]).toEqual([50_001, 'The journal has no run "x', "…"]);
});
