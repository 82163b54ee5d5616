import { expect, test } from "vitest";
import * as z from "zod";
import { defineOperation, perform, runOperation, textOf } from "./operation.ts";

const operation = defineOperation({
  name: "look",
  description: "",
  readOnly: true,
  input: () => z.strictObject({ query: z.string().optional(), names: z.array(z.string()).optional() }),
  run: async () => "ran",
});

test("an unknown argument is refused with the name that was meant", async () => {
  await expect(runOperation(operation, { qeury: "a" })).rejects.toThrow(
    'unknown argument "qeury", did you mean "query"?',
  );
});

test("of a hundred thousand wrong arguments the first ten are named", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`a_A_${index}`, ""]));
  for (const args of [unknown, { names: Array.from({ length: 100_000 }, () => 1) }]) {
    const error = await runOperation(operation, args).catch((thrown: Error) => thrown);
    expect((error as Error).message.split("; ").length).toBeLessThan(25);
    expect((error as Error).message.length).toBeLessThan(2000);
  }
});

test("what an operation does not present is its output, and its text the data", async () => {
  expect(await perform(operation, {})).toEqual({ data: "ran" });
  expect(textOf({ data: "ran" })).toBe("ran");
  expect(textOf({ data: { a: [1] } })).toBe('{"a":[1]}');
  const presenting = { ...operation, present: (output: string) => ({ text: `it ${output}`, failed: true }) };
  expect(await perform(presenting, {})).toEqual({ data: "ran", text: "it ran", failed: true });
});

test("the schema of an operation is made when a face first needs it, and once", async () => {
  let made = 0;
  const late = defineOperation({
    name: "late",
    description: "",
    input: () => {
      made++;
      return z.strictObject({});
    },
    run: async () => made,
  });
  expect(made).toBe(0);
  expect([await runOperation(late, {}), await runOperation(late, {})]).toEqual([1, 1]);
});
