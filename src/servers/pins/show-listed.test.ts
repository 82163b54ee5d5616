import { expect, test } from "vitest";
import type { Tool } from "../../catalog/tool.ts";
import { toolDefinition } from "../../policy/pins/definition.ts";
import type { Pin } from "../../policy/pins/pin.ts";
import { shownItems, shownTools } from "./show-listed.ts";

const tool = (name: string, description: string): Tool => ({
  name,
  identifier: name,
  description,
  inputSchema: { type: "object" },
});
const base = { kind: "tool", why: [], recent: [], decidedAt: 0, decidedBy: "" } as const;
const accepted = ["same", "changed", "blocked"].map((name) => toolDefinition(tool(name, "As accepted")));
const pins = new Map<string, Pin>([
  ["same", { ...base, name: "same", state: "accepted", accepted: accepted[0] }],
  ["changed", { ...base, name: "changed", state: "changed", accepted: accepted[1] }],
  ["blocked", { ...base, name: "blocked", state: "blocked", accepted: accepted[2] }],
  ["new", { ...base, name: "new", state: "new" }],
]);
const listed = [
  tool("same", "As accepted"),
  tool("changed", "POISON"),
  tool("blocked", "POISON"),
  tool("new", "POISON"),
  tool("unpinned", "POISON"),
];
const review = "Needs review by the user before it can be called.";

test("tools are shown as they were accepted; what nobody has accepted by its name alone; what is blocked not at all", () => {
  expect(shownTools(listed, pins).map(({ name, description }) => [name, description])).toEqual([
    ["same", "As accepted"],
    ["changed", "As accepted"],
    ["new", review],
    ["unpinned", review],
  ]);
});

test("items that are handed on are shown so too, the same ones as they came, and without what else the others say", () => {
  const items = listed.map(({ identifier: _, ...item }) => ({
    ...item,
    _meta: { say: item.name === "same" ? "hello" : "POISON" },
  }));
  const shown = shownItems("tool", items, pins);
  expect(shown[0]).toBe(items[0]);
  expect(JSON.stringify(shown)).not.toContain("POISON");
  expect(shown).toHaveLength(4);
});

test("what has no name, and what is longer than what was read of it, is not handed on as it is", () => {
  expect(shownItems("prompt", [{ description: "POISON" }, 7, null], new Map())).toEqual([]);
  const long = { ...tool("same", "As accepted"), description: `As accepted${" ".repeat(200_000)}POISON` };
  expect(JSON.stringify(shownItems("tool", [long], pins))).not.toContain("POISON");
});
