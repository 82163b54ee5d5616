import { expect, test } from "vitest";
import * as z from "zod";
import { fewKeys } from "./inputs.ts";
import { inputSchema } from "./operation.ts";

let looked = 0;
const value = z.string().refine(() => ++looked > 0);
const record = z.record(z.string(), value);

test("too many keys are refused before one of them is looked at", () => {
  const { error } = fewKeys(2, record).safeParse({ a: "1", b: "2", c: "3" });
  expect([error?.issues.map(({ message }) => message), looked]).toEqual([["at most 2 are taken at a time"], 0]);
  expect(fewKeys(2, record).parse({ a: "1", b: "2" })).toEqual({ a: "1", b: "2" });
  expect(looked).toBe(2);
});

test("what is not a record is told so, and the schema that clients see is the record's", () => {
  for (const wrong of [undefined, null, 1, "text", ["a", "b", "c", "d"]])
    expect(fewKeys(9, record).safeParse(wrong).error?.issues[0]?.message).toMatch(/expected record/);
  const object = (variables: z.ZodType) => ({ input: () => z.strictObject({ variables }) });
  expect(inputSchema(object(fewKeys(2, record)))).toEqual(inputSchema(object(record)));
  expect(inputSchema(object(fewKeys(2, record).optional()))).toEqual(inputSchema(object(record.optional())));
});
