import { expect, test } from "vitest";
import { compareDefinitions } from "./compare-definitions.ts";
import { readTools } from "./read-tools.ts";

const read = (...tools: object[]) => readTools(tools).tools;
const pay = {
  name: "pay",
  description: "Pays a bill",
  inputSchema: { type: "object", properties: { amount: { type: "number" } } },
};

test("the same in another order is not a change", () => {
  const other = { inputSchema: { properties: pay.inputSchema.properties, type: "object" }, description: "Pays a bill" };
  expect(compareDefinitions(read(pay, { name: "a" }), read({ name: "a" }, { ...other, name: "pay" }))).toEqual([]);
});

test("tools come, go and change, with what changed and how", () => {
  const after = {
    ...pay,
    description: "Pays any bill",
    inputSchema: { type: "object", properties: { amount: { type: "string" } } },
    annotations: { destructiveHint: true },
  };
  expect(compareDefinitions(read(pay, { name: "old" }), read(after, { name: "new", description: "Is new" }))).toEqual([
    {
      tool: "pay",
      kind: "changed",
      parts: ["description", "input", "annotations"],
      diff: `@@ -1,9 +1,12 @@
-description: Pays a bill
+description: Pays any bill
 input: {
   "properties": {
     "amount": {
-      "type": "number"
+      "type": "string"
     }
   },
   "type": "object"
 }
+annotations: {
+  "destructiveHint": true
+}
`,
    },
    {
      tool: "old",
      kind: "removed",
      parts: [],
      diff: expect.stringMatching(/^@@ .*\n-description: \n-input: \{\n/),
    },
    {
      tool: "new",
      kind: "added",
      parts: [],
      diff: expect.stringMatching(/^@@ .*\n\+description: Is new\n\+input: \{\n/),
    },
  ]);
});

test.each([
  ["title", { title: "Pay" }],
  ["output", { outputSchema: { type: "object" } }],
  ["annotations", { annotations: { readOnlyHint: true } }],
])("a change of the %s is one", (part, change) => {
  expect(compareDefinitions(read(pay), read({ ...pay, ...change }))).toMatchObject([{ tool: "pay", parts: [part] }]);
});

test("long definitions, and many of them, have no diff rather than one that takes for ever", () => {
  const long = (letter: string) =>
    Array.from({ length: 20 }, (_, number) => ({
      name: `tool${number}`,
      inputSchema: { enum: Array.from({ length: 10_000 }, (_, n) => letter + n) },
    }));
  const changes = compareDefinitions(read(...long("a")), read(...long("b")));
  expect(changes).toHaveLength(20);
  expect(changes.at(-1)?.diff).toBe("(too much changed at once for a diff)\n");
});

test("a diff is cut where it is long", () => {
  const long = (letter: string) => ({ ...pay, inputSchema: { enum: [letter.repeat(10_000)] } });
  const [change] = compareDefinitions(read(long("a")), read(long("b")));
  expect(change?.diff).toMatch(/^@@ .*\n… cut$/s);
  expect(change?.diff.length).toBeLessThan(8_100);
});
