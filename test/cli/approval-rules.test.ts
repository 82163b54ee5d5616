import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createApprovalId, type NewApproval } from "../../src/approvals/approval.ts";
import { readDocument } from "../../src/config/document.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { Place, unfolded } from "./command.ts";

// What a person who is asked may change beside the call: a rule of their own, written after they have seen it.

interface Written {
  readonly coordinator: {
    readonly policy: { readonly rules: readonly { readonly match: { readonly args?: object } }[] };
  };
}

const question = "Allow this? Only yes allows it: ";
const rule = { id: "mail", match: { tool: "send_*" }, action: "ask" };
const config = (policy: object) => `{
  // mine
  "coordinator": {
    "policy": ${JSON.stringify(policy)}, // and that
  },
}
`;

/** A place with a call that waits, and rules in the user's own file, or in that of a project. */
async function open({ policy = { rules: [rule] } as object, project = {}, more = {} as Partial<NewApproval> } = {}) {
  const place = new Place();
  place.write("mcp_servers.json", JSON.stringify({ mcpServers: {}, coordinator: project }));
  onTestFinished(() => place[Symbol.dispose]());
  const home = join(place.folder, "home");
  mkdirSync(home, { recursive: true });
  const file = join(home, "config.json");
  writeFileSync(file, config(policy));
  const { approvals, close } = openStore(home);
  onTestFinished(close);
  const now = Date.now();
  const id = createApprovalId();
  const hashes = { identity: "i", definition: "d", argsHash: "h" };
  const act = { kind: "tool" as const, server: "gmail", tool: "send_mail", args: '{"to":"a@b.c"}', via: "code" };
  const about = { run: "r1", rule: "mail", policy: "p", reason: 'the rule "mail"', approver: undefined };
  await approvals.ask([{ id, ...hashes, ...act, ...about, askedAt: now, expiresAt: now + 60_000, ...more }]);
  const text = () => readFileSync(file, "utf8");
  const rules = () => (readDocument(text(), file).value as Written).coordinator.policy.rules;
  return { place, approvals, id, file, text, rules };
}

const allowing = { match: { server: "gmail", tool: "send_mail", via: "code" }, action: "allow" };

describe.skipIf(process.platform === "win32")("approvals allow --as-rule", () => {
  test("shows the rule, and after a yes allows the call and writes it before the rule that asks", async () => {
    const { place, approvals, id, file, text, rules } = await open();
    const { written, code } = await place.typing([["yes\n", question]], "approvals", "allow", id, "--as-rule");
    expect(code).toBe(0);
    const shown = unfolded(written);
    expect(shown).toContain(JSON.stringify(allowing, undefined, 2).replaceAll("\n", "\n  "));
    expect(shown).toContain(`It goes into ${file}, before the rule "mail".`);
    expect(rules()).toEqual([allowing, rule]);
    expect(text()).toContain("// mine");
    expect(text()).toContain("// and that");
    expect(await approvals.get(id)).toMatchObject({ state: "approved", scope: "once" });
    expect(readFileSync(`${file}.backup`, "utf8")).toBe(config({ rules: [rule] }));
  });

  test("takes only the same values of the arguments that are named", async () => {
    const { place, id, rules } = await open();
    const words = ["approvals", "allow", id, "--as-rule", "--same", "/to"];
    expect((await place.typing([["yes\n", question]], ...words)).code).toBe(0);
    expect(rules()[0]?.match.args).toEqual({ "/to": "a@b.c" });
  });

  test.each([
    ["anything but a yes", "no\n"],
    ["nothing", "\n"],
  ])("changes nothing after %s", async (_what, typed) => {
    const { place, approvals, id, text } = await open();
    const { code } = await place.typing([[typed, question]], "approvals", "allow", id, "--as-rule");
    expect(code).toBe(1);
    expect(text()).toBe(config({ rules: [rule] }));
    expect(await approvals.get(id)).toMatchObject({ state: "pending" });
  });

  test("is refused without a terminal", async () => {
    const { place, id, text } = await open();
    const { code, stderr } = await place.withoutTerminal("yes\n", "approvals", "allow", id, "--as-rule");
    expect([code, stderr]).toEqual([1, expect.stringContaining("terminal_needed")]);
    expect(text()).toBe(config({ rules: [rule] }));
  });

  test("is refused where no rule of the user's asks, and says whose it is", async () => {
    const { place, approvals, id } = await open({ policy: {}, project: { policy: { rules: [rule] } } });
    const { code, stderr } = await place.run("approvals", "allow", id, "--as-rule");
    expect(code).not.toBe(0);
    expect(stderr).toContain("no rule of yours asks about it: what asks is the administrator's, or a project's");
    expect(await approvals.get(id)).toMatchObject({ state: "pending" });
  });

  test("says when another file's rules ask all the same", async () => {
    const { place, id } = await open({ project: { policy: { rules: [rule] } } });
    const { written } = await place.typing([["no\n", question]], "approvals", "allow", id, "--as-rule");
    expect(written).toContain("Another file's rules say ask to this call all the same.");
  });
});

test("a rule that leaves it to another channel, or a configuration without the command line: deny works, allow says where", async () => {
  const left = await open({ more: { approver: "dashboard" } });
  const there = await left.place.run("approvals", "allow", left.id);
  expect(there.stderr).toContain("is allowed in the dashboard only");
  expect((await left.place.run("approvals", "deny", left.id)).code).toBe(0);
  const closed = await open({ project: { approvals: { channels: ["client"] } } });
  const refused = await closed.place.run("approvals", "allow", closed.id);
  expect(refused.stderr).toContain(
    "Nothing is allowed on the command line: coordinator.approvals.channels leaves it out",
  );
  expect(await closed.approvals.get(closed.id)).toMatchObject({ state: "pending" });
  expect((await closed.place.run("approvals", "deny", closed.id)).code).toBe(0);
});

test("who allows a call of a run that has ended is told that it is not made", async () => {
  const { place, id } = await open({ more: { run: "r9" } });
  const store = openStore(join(place.folder, "home"));
  await store.journal.startRun({ id: "r9", language: "none", engine: "none", code: "" });
  await store.journal.finishRun("r9", { status: "needs_approval", calls: 0, resultBytes: 0, stdoutBytes: 0 });
  store.close();
  expect((await place.run("approvals", "show", id)).stdout).toContain("Its run has ended: the call is not made");
  expect((await place.run("approvals", "list")).stdout).toMatch(/run r9 \(ended\)\n$/);
});
