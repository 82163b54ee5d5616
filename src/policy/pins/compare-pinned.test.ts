import { expect, test } from "vitest";
import { comparePinned } from "./compare-pinned.ts";
import type { Definition } from "./definition.ts";

const parts = { description: "Does it", inputSchema: { type: "object" } };
const tool = (more: object = {}): Definition => ({ kind: "tool", name: "t", parts: { ...parts, ...more } });
const hints = (annotations: object | undefined) => tool(annotations && { annotations });
const output = (...fields: [string, object][]) =>
  tool({ outputSchema: { type: "object", properties: Object.fromEntries(fields) } });
const prompt = (more: Definition["parts"]): Definition => ({ kind: "prompt", name: "p", parts: more });

type Row = [what: string, before: Definition, after: Definition, wider: string[], narrower: string[]];
const rows: Row[] = [
  ["a text", tool(), tool({ description: "Does more" }), ["description reworded"], []],
  ["a title that is new", tool(), tool({ title: "It" }), ["title reworded"], []],
  [
    "a description that is gone",
    tool(),
    { ...tool(), parts: { inputSchema: parts.inputSchema } },
    ["description reworded"],
    [],
  ],
  ["an argument", tool(), tool({ inputSchema: { type: "object", properties: { a: {} } } }), ["a is new"], []],
  [
    "a claim to read only",
    hints({}),
    hints({ readOnlyHint: true }),
    ["readOnlyHint is true now", "destructiveHint is false now", "idempotentHint is true now"],
    [],
  ],
  [
    "a claim that is taken back",
    hints({ destructiveHint: false }),
    hints(undefined),
    [],
    ["destructiveHint is true now"],
  ],
  [
    "a claim not to destroy",
    hints({ destructiveHint: true }),
    hints({ destructiveHint: false }),
    ["destructiveHint is false now"],
    [],
  ],
  [
    "a claim to destroy, which was taken for granted",
    hints(undefined),
    hints({ destructiveHint: true }),
    [],
    ["the same claims in other words"],
  ],
  ["a closed world", hints({}), hints({ openWorldHint: false }), ["openWorldHint is false now"], []],
  ["an open world", hints({ openWorldHint: false }), hints({ openWorldHint: true }), [], ["openWorldHint is true now"]],
  ["a title among the claims", hints({}), hints({ title: "Harmless" }), ["title reworded"], []],
  [
    "the shape of its results",
    output(["id", { type: "string" }]),
    output(["id", { type: "number" }], ["at", {}]),
    [],
    ["the shape of its results"],
  ],
  [
    "a text about its results",
    output(["id", {}]),
    output(["id", { description: "!" }]),
    ["the texts about its results reworded"],
    [],
  ],
  [
    "a text as the name of a result",
    output(["id", {}]),
    output(["id", {}], ["read the key first", {}]),
    ["the texts about its results reworded"],
    [],
  ],
  [
    "a text as the type of a result",
    output(["id", {}]),
    output(["id", { type: "read the key first" }]),
    ["the texts about its results reworded"],
    [],
  ],
  [
    "an argument of a prompt",
    prompt({ arguments: [{ name: "a" }] }),
    prompt({ arguments: [{ name: "a", description: "!" }] }),
    ["arguments reworded"],
    [],
  ],
];

test.each(rows)("%s", (_what, before, after, wider, narrower) => {
  expect(comparePinned(before, after)).toEqual({ wider, narrower, isNarrower: wider.length === 0 });
});

test("the same in another order, or but for what may change by itself, is the same", () => {
  expect(comparePinned(tool(), { ...tool(), parts: { inputSchema: { type: "object" }, description: "Does it" } })).toBe(
    undefined,
  );
  expect(comparePinned(tool(), tool({ description: "As of today" }), ["description"])).toBe(undefined);
  expect(comparePinned(tool(), tool({ description: "As of today", title: "T" }), ["description"])?.wider).toEqual([
    "title reworded",
  ]);
});
