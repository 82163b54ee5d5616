import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { NewApproval } from "../../src/approvals/approval.ts";
import { showApproval } from "../../src/approvals/show-approval.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { Place } from "./command.ts";

// What docs/approvals.md shows is so.

const text = readFileSync(new URL("../../docs/approvals.md", import.meta.url), "utf8");

function block(language: string): string {
  const [, found] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(text) ?? [];
  if (found === undefined) throw new Error(`docs/approvals.md has no block of ${language}`);
  return found;
}

const asked: NewApproval = {
  ...{ id: "amx7k2q9d", run: "r1", kind: "tool", server: "gmail", tool: "send_mail", identity: "i", definition: "d" },
  ...{ argsHash: "h", via: "code", rule: "mail", policy: "p", approver: undefined },
  reason: 'the rule "mail": mail leaves the company',
  args: '{"body":"The figures are attached.\u200b","to":["ann@example.org","eve@example.net"]}',
  askedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  expiresAt: Date.UTC(2026, 0, 3, 3, 4, 5),
};

test("what a person is asked looks as it is shown there", () => {
  expect(block("text")).toBe(`${showApproval(asked)}\n`);
});

test("the settings can be used, and those that may be left out are the usual ones", async () => {
  using place = new Place();
  const usual = (await loadConfig({ mayBeMissing: true, cwd: place.folder, env: {} })).config.approvals;
  const path = place.write("mcp_servers.json", `{ "mcpServers": {}, ${block("jsonc")} }`);
  const { config, policies } = await loadConfig({ path, env: { MCP_COORDINATOR_HOME: place.folder } });
  expect(config.approvals).toEqual({ ...usual, channels: ["client", "cli"] });
  expect(policies.layers[0]?.rules).toMatchObject([{ id: "mail", action: "ask" }]);
});

test.skipIf(process.platform === "win32")("every command does what is said there", async () => {
  using place = new Place();
  const { approvals, close } = openStore(join(place.folder, "home"));
  onTestFinished(close);
  const now = { askedAt: Date.now(), expiresAt: Date.now() + 60_000 };
  await approvals.ask([
    { ...asked, ...now },
    { ...asked, ...now, id: "ab3c4d5e6" },
    { ...asked, ...now, id: "aq2w3e4r5", run: "r2" },
    { ...asked, ...now, id: "aq2w3e4r6", run: "r2" },
    { ...asked, ...now, id: "at7r4n2kw", run: "r3" },
  ]);
  // With the rule that is shown there in the user's own file.
  place.write("home/config.json", `{ ${block("jsonc")} }`);
  const commands = block("sh")
    .trim()
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim().split(/ +/).slice(1));
  expect(commands.length).toBeGreaterThan(4);
  for (const words of commands) {
    const steps = words.includes("allow") ? [["yes\n", "Only yes allows it: "] as const] : [];
    expect({ words, ...(await place.typing(steps, ...words)) }).toMatchObject({ code: 0, left: 0 });
  }
  const decided = (await approvals.list({})).map(({ id, state, scope }) => [id, state, scope]);
  expect(decided).toEqual([
    ["amx7k2q9d", "approved", "once"],
    ["ab3c4d5e6", "rejected", undefined],
    ["aq2w3e4r5", "approved", "run"],
    ["aq2w3e4r6", "approved", "run"],
    ["at7r4n2kw", "approved", "once"],
  ]);
  expect(readFileSync(join(place.folder, "home", "config.json"), "utf8")).toContain('"action": "allow"');
});
