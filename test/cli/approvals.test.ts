import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Approval, createApprovalId, type NewApproval } from "../../src/approvals/approval.ts";
import type { ApprovalStore } from "../../src/approvals/approval-store.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { Place } from "./command.ts";

const question = "Allow this? Only yes allows it: ";
const hasNoPty = process.platform === "win32";

/** A place in whose data folder calls wait, with the store that another coordinator would have open on it. */
function open(...asked: Partial<NewApproval>[]) {
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  const { approvals, close } = openStore(join(place.folder, "home"));
  onTestFinished(close);
  return { place, approvals, ids: Promise.all(asked.map((one) => hold(approvals, one))) };
}

async function hold(approvals: ApprovalStore, more: Partial<NewApproval> = {}): Promise<string> {
  const now = Date.now();
  const act = {
    kind: "tool",
    server: "gmail",
    tool: "send_mail",
    identity: "i",
    definition: "d",
    argsHash: "h",
  } as const;
  const rest = { run: "r1", args: '{"to":"a@b.c"}', via: "code", rule: "mail", policy: "p", reason: 'the rule "mail"' };
  const one = { id: createApprovalId(), ...act, ...rest, approver: undefined, askedAt: now, expiresAt: now + 60_000 };
  await approvals.ask([{ ...one, ...more }]);
  return more.id ?? one.id;
}

const states = async (approvals: ApprovalStore, ...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await approvals.get(id))?.state));

describe("approvals list and show", () => {
  test("have what waits, the oldest first, also when it is a thousand", async () => {
    const { place, approvals } = open();
    expect((await place.run("approvals", "list")).stdout).toBe("Nothing waits for a decision.\n");
    const asked = Array.from({ length: 1000 }, (_, index) => ({
      ...{ id: `a${String(index).padStart(8, "0")}`, askedAt: Date.now() - ((index * 7919) % 1000) * 1000 },
    }));
    for (const one of asked) await hold(approvals, one);
    const { stdout } = await place.run("approvals", "list", "--json");
    const listed = JSON.parse(stdout) as { approvals: Approval[]; more: boolean };
    const inOrder = [...asked].sort((left, right) => left.askedAt - right.askedAt).map(({ id }) => id);
    expect(listed.approvals.map(({ id }) => id)).toEqual(inOrder);
    expect(listed.more).toBe(false);
    const text = await place.run("approvals", "list", "--limit", "2");
    expect(
      text.stdout
        .split("\n")
        .slice(0, 2)
        .map((line) => line.slice(0, 9)),
    ).toEqual(inOrder.slice(0, 2));
    expect(text.stdout).toContain("There are more than these 2");
  });

  test("show one whole, by the first letters of its id, and those of a run", async () => {
    const long = "x".repeat(5000);
    const { place, ids } = open({ id: "abcd23456" }, { id: "abce23456", run: "r2", args: JSON.stringify({ long }) });
    await ids;
    const { stdout, code } = await place.run("approvals", "show", "abce");
    expect(stdout).toContain(`gmail.send_mail wants to run (the rule "mail").\n  long: "${long}"\nRun r2 (by code).\n`);
    expect(code).toBe(0);
    expect((await place.run("approvals", "list", "--run", "r2")).stdout).toMatch(/^abce23456 .* pending .* run r2\n$/);
    expect(await place.run("approvals", "show", "abc")).toMatchObject({ code: 2 });
    expect((await place.run("approvals", "show", "abcx")).stderr).toMatch(/^error approval_unknown: .*"abcx"/);
    await hold(open().approvals);
    const both = await place.run("approvals", "show", "abcd", "abce", "--json");
    expect(JSON.parse(both.stdout)).toMatchObject([{ id: "abcd23456" }, { id: "abce23456" }]);
  });

  test("know what is over, also when nobody was there to notice", async () => {
    const { place, approvals, ids } = open({ expiresAt: Date.now() - 1 });
    const [id = ""] = await ids;
    expect((await place.run("approvals", "list")).stdout).toBe("Nothing waits for a decision.\n");
    expect((await place.run("approvals", "list", "--all")).stdout).toContain("expired");
    expect((await place.run("approvals", "deny", id)).stderr).toMatch(/^error approval_expired: The time to decide/);
    expect(await states(approvals, id)).toEqual(["expired"]);
  });
});

describe.skipIf(hasNoPty)("approvals allow", () => {
  test("is refused without a terminal and changes nothing, whatever stdin, flags and variables say", async () => {
    const { place, approvals, ids } = open({});
    const [id = ""] = await ids;
    const refused = await place.withoutTerminal("yes\n", "approvals", "allow", id);
    expect(refused).toEqual({
      stdout: "",
      stderr:
        "error terminal_needed: What loosens something is allowed at a terminal only, and there is none here\n" +
        "  hint: Nothing was changed. A person runs this command in a terminal of their own and types yes.\n",
      code: 1,
    });
    const asData = await place.withoutTerminal("yes\nyes\n", "approvals", "allow", id, "--json");
    expect(JSON.parse(asData.stdout)).toMatchObject({ error: { code: "terminal_needed" } });
    for (const flag of ["--yes", "-y", "--force"])
      expect(await place.withoutTerminal("yes\n", "approvals", "allow", id, flag)).toMatchObject({
        code: 2,
        stdout: "",
      });
    expect(await place.withoutTerminal("yes\n", "approvals", "allow", "--all", "--run", "r1")).toMatchObject({
      code: 1,
    });
    expect(await states(approvals, id)).toEqual(["pending"]);
  });

  test("takes its yes from the terminal, and from nowhere else", async () => {
    const { place, approvals, ids } = open({}, {});
    const [first = "", second = ""] = await ids;
    const { written, code } = await place.typing([["yes\n", question]], "approvals", "allow", first);
    expect(written).toContain('gmail.send_mail wants to run (the rule "mail").\r\n  to: "a@b.c"\r\n');
    expect(written).toMatch(
      new RegExp(`${first} \\(gmail\\.send_mail\\): allowed once by \\S+ on the command line at `),
    );
    expect(code).toBe(0);
    expect(await approvals.get(first)).toMatchObject({ state: "approved", scope: "once", channel: "cli", most: 1 });
    const piped = await place.inTerminal(
      [["no\n", question]],
      `echo yes | $mcp approvals allow ${second} --json > out`,
    );
    expect(piped).toMatchObject({ code: 1, left: 0 });
    expect(await states(approvals, second)).toEqual(["pending"]);
  });

  test.each([
    ["y", "y\n"],
    ["YES", "YES\n"],
    ["a yes among spaces", " yes \n"],
    ["a yes twice", "yesyes\n"],
    ["a yes in two pieces", "yes\u0004\n"],
    ["a yes without Enter", "yes\u0004\u0004"],
    ["the end of the input", "\u0004"],
    ["nothing", "\n"],
    ["a yes behind an escape", "\u001b[Ayes\n"],
    ["a yes on the next line", "\nyes\n"],
    ["a full-width yes", "ｙｅｓ\n"],
    ["an interruption", "\u0003"],
  ])("takes %s for no", async (_what, typed) => {
    const { place, approvals, ids } = open({});
    const [id = ""] = await ids;
    const { code, left } = await place.typing([[typed, question]], "approvals", "allow", id);
    expect({ isRefused: code !== 0, left }).toEqual({ isRefused: true, left: 0 });
    expect(await states(approvals, id)).toEqual(["pending"]);
  });

  test("takes no yes that was typed before the question was there", async () => {
    const { place, approvals, ids } = open({});
    const [id = ""] = await ids;
    const steps = [
      ["yes\n", ""],
      ["no\n", question],
    ] as const;
    expect(await place.typing(steps, "approvals", "allow", id)).toMatchObject({ code: 1, left: 0 });
    expect(await states(approvals, id)).toEqual(["pending"]);
  });

  test("shows escapes, directions and hidden characters as what they are", async () => {
    const hostile = `\u001b[2J\u001b]0;x\u0007\u009b31m\u202e\u2066\u200b\u{e0041}\ufe0f\u2028\r\n${" ".repeat(300)}${question}`;
    const { place, ids } = open({
      args: JSON.stringify({ text: hostile, [hostile]: 1 }),
      tool: hostile,
      reason: hostile,
    });
    const [id = ""] = await ids;
    const { written, left } = await place.typing([["no\n", `made, once.\r\n${question}`]], "approvals", "allow", id);
    expect(left).toBe(0);
    expect(written.replaceAll("\r\n", "\n")).not.toMatch(/(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
    for (const shown of [
      "\\u001b[2J",
      "\\u{9b}",
      "\\u{202e}",
      "\\u{2066}",
      "\\u{200b}",
      "\\u{e0041}",
      "\\u{fe0f}",
      "\\u{2028}",
    ])
      expect(written.replaceAll("\r\n    | ", "")).toContain(shown);
    // What looks like the question begins a line only where we have put it.
    expect(written.split("\r\n").filter((line) => line.startsWith("Allow this?"))).toHaveLength(1);
  });

  test("allows several with one yes, or a whole run, or for the run", async () => {
    const { place, approvals, ids } = open({}, {}, { run: "r2" }, { run: "r2" }, { run: "r3" });
    const [a = "", b = "", c = "", d = "", e = ""] = await ids;
    const several = await place.typing([["yes\n", question]], "approvals", "allow", a, b);
    expect(several.written.match(/wants to run/g)).toHaveLength(2);
    expect(several.written).toContain("The 2 calls above may be made, once.");
    const run = ["approvals", "allow", "--all", "--run", "r2", "--in-this-run"];
    expect((await place.typing([["yes\n", question]], ...run)).code).toBe(0);
    expect(await states(approvals, a, b, c, d, e)).toEqual([...Array(4).fill("approved"), "pending"]);
    expect(await approvals.get(d)).toMatchObject({ scope: "run", most: 100 });
    expect((await place.run(...run)).stdout).toBe("Nothing waits for a decision.\n");
  });

  test("asks for nothing when one of them cannot be allowed", async () => {
    const { place, approvals, ids } = open({}, { approver: "dashboard" });
    const [id = "", other = ""] = await ids;
    const only = await place.typing([], "approvals", "allow", id, other);
    expect(only.written).toContain(`error needs_approval: ${other} (gmail.send_mail) is allowed in the dashboard only`);
    expect(only).toMatchObject({ code: 1 });
    expect((await place.typing([], "approvals", "allow", id, "a1234")).written).toContain("error approval_unknown");
    const part = await place.typing([], "approvals", "allow", id.slice(0, 6));
    expect(part.written).toContain(`"${id.slice(0, 6)}" is not a whole id`);
    expect(part.code).toBe(2);
    for (const words of [[], ["--all"], [id, "--run", "r1"], [id, "--all", "--run", "r1"]])
      expect(await place.typing([], "approvals", "allow", ...words)).toMatchObject({ code: 2 });
    expect(await states(approvals, id, other)).toEqual(["pending", "pending"]);
  });
});

describe("approvals deny", () => {
  test("needs no terminal", async () => {
    const { place, approvals, ids } = open({}, {}, { run: "r2" }, { approver: "client" });
    const [id = "", other = "", ofRun = "", elsewhere = ""] = await ids;
    const { stdout, code } = await place.withoutTerminal("", "approvals", "deny", id);
    expect(stdout).toMatch(
      new RegExp(`^${id} \\(gmail\\.send_mail\\): denied by \\S+ on the command line at .* UTC\\.\n$`),
    );
    expect(code).toBe(0);
    const both = await place.withoutTerminal("", "approvals", "deny", elsewhere, other, "--json");
    expect(JSON.parse(both.stdout)).toMatchObject([
      { id: elsewhere, state: "rejected", channel: "cli" },
      { id: other, state: "rejected", channel: "cli" },
    ]);
    expect(both.code).toBe(0);
    expect((await place.withoutTerminal("", "approvals", "deny", "--all", "--run", "r2")).code).toBe(0);
    expect(await states(approvals, id, other, ofRun, elsewhere)).toEqual(Array(4).fill("rejected"));
  });

  test("comes too late when somebody has decided, and is told who and what", async () => {
    const { place, approvals, ids } = open({});
    const [id = ""] = await ids;
    await approvals.decide(id, { state: "approved", scope: "run", by: "ann\u001b[8m", channel: "dashboard" });
    const { stderr, code } = await place.run("approvals", "deny", id);
    expect(stderr).toMatch(
      /^error approval_decided: a\w+ \(gmail\.send_mail\) is decided already: allowed in this run by ann\\u\{1b\}\[8m in the dashboard at .* UTC, used 0 of 100 times\.\n {2}hint: This changed nothing\.\n$/,
    );
    expect(code).toBe(1);
    expect(await states(approvals, id)).toEqual(["approved"]);
  });
});

describe.skipIf(hasNoPty)("a command whose call a person has to decide", () => {
  const asking = "anything else: not now. ";
  const rules = [{ id: "mail", match: { tool: "send_*" }, action: "ask" }];

  /** A server that writes down what it is made to do, and a rule that has a person asked. */
  function openLedger() {
    const ledger = join(mkdtempSync(join(tmpdir(), "ledger-")), "done.jsonl");
    const server = fileURLToPath(new URL("../servers/ledger-server.mjs", import.meta.url));
    const policy = { policy: { rules }, approvals: { waitSeconds: 1 } };
    const place = new Place({ ledger: { command: process.execPath, args: [server, ledger] } }, policy);
    onTestFinished(() => place[Symbol.dispose]());
    const { approvals, close } = openStore(join(place.folder, "home"));
    onTestFinished(close);
    const done = () =>
      existsSync(ledger)
        ? readFileSync(ledger, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        : [];
    return { place, approvals, done };
  }
  const call = ["call", "ledger", "send_mail", "to=a@b.c"];
  const sent = { tool: "send_mail", args: { to: "a@b.c" } };

  test.each([
    ["yes", 0, [sent], "approved"],
    ["no", 1, [], "rejected"],
    ["", 1, [], "pending"],
    ["y", 1, [], "pending"],
  ])("asks there, and %j has its effect", async (typed, code, effect, state) => {
    const { place, approvals, done } = openLedger();
    const ended = await place.typing([[`${typed}\n`, asking]], ...call);
    expect(ended.written).toContain('ledger.send_mail wants to run (the rule "mail").\r\n  to: "a@b.c"\r\n');
    expect(ended).toMatchObject({ code, left: 0 });
    expect(done()).toEqual(effect);
    const [row] = await approvals.list({});
    expect(row?.state === "consumed" ? "approved" : row?.state).toBe(state);
    const told = {
      approved: "send_mail is done",
      rejected: "error approval_rejected",
      pending: "error needs_approval",
    };
    expect(ended.written).toContain(told[state as keyof typeof told]);
  });

  test("asks once for all calls of a tool that are allowed in the run, and each run anew", async () => {
    const { place, done } = openLedger();
    const code =
      'import { send_mail } from "mcp_tools/ledger"; for (const to of ["a", "b", "c"]) await send_mail({ to });';
    const file = place.write("guest.ts", code);
    expect(await place.typing([["run\n", asking]], "run", file)).toMatchObject({ code: 0, left: 0 });
    expect(done().map(({ args }) => args.to)).toEqual(["a", "b", "c"]);
    expect(await place.typing([["no\n", asking]], "run", file)).toMatchObject({ code: 1, left: 0 });
    expect(done()).toHaveLength(3);
  });

  test("ends with needs_approval and its run where there is no terminal", async () => {
    const { place, approvals, done } = openLedger();
    const { stdout, stderr, code } = await place.withoutTerminal("yes\n", ...call);
    const [row] = await approvals.list({});
    expect(stderr).toMatch(/^error needs_approval: .*approval of 1 call \(ledger\.send_mail\)/);
    expect(stderr).toContain(row?.run);
    expect({ stdout, code, done: done() }).toEqual({ stdout: "", code: 1, done: [] });
  });

  test("goes on when it is allowed elsewhere while it asks, and says so", async () => {
    const { place, approvals, done } = openLedger();
    const waiting = place.typing([], ...call);
    const [row] = await vi.waitFor(async () => {
      const found = await approvals.list({ states: ["pending"] });
      expect(found).toHaveLength(1);
      return found;
    }, 10_000);
    const elsewhere = await place.typing([["yes\n", question]], "approvals", "allow", row?.id ?? "");
    expect(elsewhere.code).toBe(0);
    const { written, code } = await waiting;
    expect(written).toContain("Nobody has to answer it any more");
    expect({ code, done: done() }).toEqual({ code: 0, done: [sent] });
  });
});

test("of two processes that decide at the same moment, 200 times, one is first, and the other is told who", async () => {
  const { place, approvals } = open();
  const library = new URL("../../dist/index.js", import.meta.url).href;
  const script = `
    import { createInterface } from "node:readline";
    import { Coordinator } from ${JSON.stringify(library)};
    const coordinator = await Coordinator.open({ mayBeMissing: true });
    const [by, answer] = process.argv.slice(-2);
    console.log("ready");
    for await (const id of createInterface(process.stdin)) {
      const told = await coordinator.run("decide_approval", { id, answer, by, channel: "cli" }).then(() => "first", (error) => error.code + " " + error.message);
      console.log(told);
    }
    await coordinator.close();`;
  const deciders = [["ann", "allow once"] as const, ["ben", "deny"] as const].map(([name, answer]) => {
    const child = place.spawn(process.execPath, ["--input-type=module", "-e", script, name, answer]);
    onTestFinished(() => void child.kill());
    return { name, child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
  });
  for (const { lines } of deciders) expect((await lines.next()).value).toBe("ready");
  const firsts = { ann: 0, ben: 0 };
  for (let round = 0; round < 200; round++) {
    const id = await hold(approvals);
    for (const { child } of deciders) child.stdin.write(`${id}\n`);
    const told = await Promise.all(deciders.map(async ({ lines }) => String((await lines.next()).value)));
    const winner = told[0] === "first" ? "ann" : "ben";
    firsts[winner]++;
    expect(told[winner === "ann" ? 0 : 1]).toBe("first");
    expect(told[winner === "ann" ? 1 : 0]).toMatch(
      winner === "ann" ? /^approval_decided .*allowed once by ann / : /^approval_decided .*denied by ben /,
    );
    expect(await approvals.get(id)).toMatchObject({
      decidedBy: winner,
      state: winner === "ann" ? "approved" : "rejected",
    });
  }
  console.log(`first: ann ${firsts.ann} times, ben ${firsts.ben} times`);
  for (const { child } of deciders) {
    child.stdin.end();
    await once(child, "exit");
  }
});
