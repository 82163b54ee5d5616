import { expect, test } from "vitest";
import { presentQuestion } from "./present-question.ts";

const field = {
  get type(): string {
    throw new Error("a field was looked at");
  },
};

test.each([
  [
    "fields",
    { type: "object", properties: Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`f${n}`, field])) },
  ],
  ["choices", { type: "string", enum: Array.from({ length: 2000 }, () => field) }],
])("a form with too many %s is refused before one is looked at", (_, requestedSchema) => {
  expect(() => presentQuestion("s", "elicitation/create", { message: "?", requestedSchema })).toThrow(
    "the form is too large to be shown",
  );
});
