import { expect, test } from "vitest";
import { definitionHash } from "./definition-hash.ts";
import type { Tool } from "./tool.ts";

const tool: Tool = {
  name: "send_mail",
  identifier: "send_mail",
  description: "Sends a mail.",
  inputSchema: { type: "object", properties: { to: { type: "string" }, body: { type: "string" } } },
  annotations: { destructiveHint: true, openWorldHint: true },
};

test("is the same whatever the order of keys, and what guests call the tool", () => {
  const inputSchema = { properties: { body: { type: "string" }, to: { type: "string" } }, type: "object" };
  const annotations = { openWorldHint: true, destructiveHint: true };
  expect(definitionHash({ ...tool, identifier: "send_mail_2", inputSchema, annotations })).toBe(definitionHash(tool));
});

test.each<[string, Partial<Tool>]>([
  ["name", { name: "send_mails" }],
  ["title", { title: "Send" }],
  ["description", { description: "Sends a mail. " }],
  ["input", { inputSchema: { type: "object" } }],
  ["output", { outputSchema: { type: "object" } }],
  ["annotations", { annotations: { destructiveHint: false, openWorldHint: true } }],
])("is another with another %s", (_part, changed) => {
  expect(definitionHash({ ...tool, ...changed })).not.toBe(definitionHash(tool));
});
