import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/sqlite/store.ts";
import { connect, createHome, createWire, server, spawnGateway } from "../gateway/connect.ts";
import { type Answering, elicitation, mail, open, python, rules, textOf, typescript } from "./scene.ts";

// What a rule wants a person to decide waits for them: each by effect, on a server that writes down what it is asked to do.

const say =
  (decision: string): Answering =>
  () => ({ action: "accept", content: { decision } });

describe.each([
  ["before 2026-07-28", false],
  ["of 2026-07-28", true],
])("a client %s", (_version, modern) => {
  test.each([
    ["TypeScript", typescript(`${mail("a@b.c")};`)],
    ["Python", python('ledger.send_mail(to="a@b.c")')],
  ])("that allows it once has it done, once, from %s", async (_language, request) => {
    await using scene = await open(say("allow once"), { modern });
    const { structuredContent } = await scene.coordinator.call("execute_code", request);
    expect(structuredContent).toMatchObject({ status: "ok", calls: { total: 1, failed: 0 } });
    expect(scene.done()).toEqual([{ tool: "send_mail", args: { to: "a@b.c" } }]);
    expect(scene.asked).toHaveLength(1);
    expect(scene.asked[0]).toMatchObject({ fields: ["decision"], required: ["decision"] });
    expect(scene.asked[0]?.message).toMatch(
      /^ledger\.send_mail wants to run \(the rule "mail": mail leaves the company\)/,
    );
    expect(scene.asked[0]?.message).toContain("a@b.c");
  });

  test.each<[string, ReturnType<Answering>]>([
    ["accepts an empty form", { action: "accept", content: {} }],
    ["accepts without a form", { action: "accept" }],
    ["accepts with a space behind the words", { action: "accept", content: { decision: "allow once " } }],
    ["accepts with other letters", { action: "accept", content: { decision: "Allow once" } }],
    ["accepts with another field", { action: "accept", content: { call_1: "allow once" } }],
    ["cancels", { action: "cancel" }],
    ["says not now", { action: "accept", content: { decision: "not now" } }],
  ])("that %s decides nothing, and the run waits", async (_what, answer) => {
    await using scene = await open(() => answer, { modern, settings: { waitSeconds: 1 } });
    const answered = await scene.coordinator.call("execute_code", typescript(`${mail("a@b.c")};`));
    expect(answered.structuredContent).toMatchObject({ status: "needs_approval", error: { code: "needs_approval" } });
    expect(answered.isError).toBe(true);
    expect(scene.done()).toEqual([]);
    expect(await scene.pending(1)).toMatchObject([{ state: "pending", tool: "send_mail" }]);
  });

  test.each<[string, ReturnType<Answering>]>([
    ["declines", { action: "decline" }],
    ["says deny", { action: "accept", content: { decision: "deny" } }],
  ])("that %s has it refused, and is not asked the same again", async (_what, answer) => {
    await using scene = await open(() => answer, { modern });
    const code = `for (let i = 0; i < 3; i++) try { ${mail("a@b.c")} } catch (error) { console.log(error.code, error.delivery) }`;
    const { structuredContent } = await scene.coordinator.call("execute_code", typescript(code));
    expect(structuredContent).toMatchObject({
      status: "ok",
      stdout: "approval_rejected not_sent\napproval_rejected not_sent\napproval_rejected not_sent\n",
    });
    expect(scene.done()).toEqual([]);
    expect(scene.asked).toHaveLength(1);
  });

  test("that is asked about several at once decides each by itself", async () => {
    const answers = { call_1: "allow once", call_2: "deny", call_3: "allow once" };
    await using scene = await open(() => ({ action: "accept", content: answers }), { modern });
    const code = `const all = await Promise.allSettled(["a", "b", "c"].map((to) => ledger.send_mail({ to })));\nall.map(({ status }) => status)`;
    const { structuredContent } = await scene.coordinator.call("execute_code", typescript(code));
    expect(structuredContent["result"]).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(scene.asked).toMatchObject([{ fields: ["call_1", "call_2", "call_3"] }]);
    expect(scene.done().map(({ args }) => args)).toEqual([{ to: "a" }, { to: "c" }]);
  });

  test("that allows a tool in this run is asked once for it, and again for another tool and another run", async () => {
    await using scene = await open(say("allow in this run"), { modern });
    const twice = typescript(`${mail("a")};\n${mail("b")};\nawait ledger.delete_file({ path: "x" });`);
    expect((await scene.coordinator.call("execute_code", twice)).structuredContent).toMatchObject({ status: "ok" });
    expect(scene.asked).toHaveLength(2);
    expect((await scene.coordinator.call("execute_code", twice)).structuredContent).toMatchObject({ status: "ok" });
    expect(scene.asked).toHaveLength(4);
    expect(scene.done()).toHaveLength(6);
  });
});

describe("without a client that can be asked", () => {
  test("the run waits, another process allows, and resume_run has its result, as often as it is asked for", async () => {
    await using scene = await open(undefined, { settings: { waitSeconds: 1 } });
    const code = `await ledger.read_file({ path: "x" });\nconsole.log(await ledger.send_mail({ to: "a@b.c" }));`;
    const answered = await scene.coordinator.call("execute_code", typescript(code));
    const { run } = answered.structuredContent;
    expect(answered.structuredContent).toMatchObject({ status: "needs_approval" });
    expect(textOf(answered)).toContain(
      "Waiting for approval of 1 call (ledger.send_mail); 1 call is done and will not be repeated",
    );
    const [approval] = await scene.pending(1);
    if (!approval) throw new Error("nothing waits");
    expect(textOf(answered)).toContain(`mcp-coordinator approvals allow ${approval.id}`);
    expect((await scene.coordinator.call("resume_run", { run })).structuredContent).toMatchObject({
      status: "needs_approval",
    });
    const resumed = scene.coordinator.call("resume_run", { run });
    await scene.decide(approval, { state: "approved" });
    expect((await resumed).structuredContent).toMatchObject({ status: "ok", stdout: "send_mail is done\n", run });
    expect((await scene.coordinator.call("resume_run", { run })).structuredContent).toMatchObject({
      status: "ok",
      run,
    });
    expect(scene.done()).toHaveLength(2);
  });

  test("the run goes on by itself when a person allows it, whether or not somebody asks for it", async () => {
    await using scene = await open(undefined, { settings: { waitSeconds: 1 } });
    await scene.coordinator.call("execute_code", python('ledger.send_mail(to="a")'));
    for (const approval of await scene.pending(1)) await scene.decide(approval, { state: "approved" });
    await expect.poll(() => scene.done().length, { timeout: 5000 }).toBe(1);
  });

  test("a hundred times resume_run approves nothing", async () => {
    await using scene = await open(undefined, { settings: { waitSeconds: 1, parkMinutes: 1 } });
    const { structuredContent } = await scene.coordinator.call("execute_code", typescript(`${mail("a")};`));
    const { run } = structuredContent;
    const all = Array.from({ length: 100 }, () => scene.coordinator.call("resume_run", { run }));
    for (const one of await Promise.all(all)) expect(one.structuredContent).toMatchObject({ status: "needs_approval" });
    expect(scene.done()).toEqual([]);
  });

  test("of fifty that wait, those go that are decided", async () => {
    await using scene = await open(undefined, { settings: { waitSeconds: 1 } });
    const code = "await Promise.all(Array.from({ length: 50 }, (_, n) => ledger.send_mail({ to: String(n) })));";
    const { structuredContent } = await scene.coordinator.call("execute_code", typescript(code));
    const waiting = await scene.pending(50);
    for (const approval of waiting.slice(0, 20)) await scene.decide(approval, { state: "approved" });
    await expect.poll(() => scene.done().length, { timeout: 10_000 }).toBe(20);
    expect(await scene.pending(30)).toHaveLength(30);
    for (const approval of waiting.slice(20)) await scene.decide(approval, { state: "approved" });
    const resumed = await scene.coordinator.call("resume_run", { run: structuredContent["run"] });
    expect(resumed.structuredContent).toMatchObject({ status: "ok" });
    expect(scene.done()).toHaveLength(50);
  });

  test("a direct call waits too, and its result is there afterwards", async () => {
    await using scene = await open(undefined, { settings: { waitSeconds: 1 }, toolsets: "code,discovery" });
    const call = { server_name: "ledger", tool_name: "send_mail", arguments: { to: "a" } };
    const answered = await scene.coordinator.call("call_tool", call);
    expect(answered.isError).toBe(true);
    const [approval] = await scene.pending(1);
    if (!approval) throw new Error("nothing waits");
    expect(textOf(answered)).toContain(approval.run);
    await scene.decide(approval, { state: "approved" });
    const resumed = await scene.coordinator.call("resume_run", { run: approval.run });
    expect(resumed.structuredContent).toMatchObject({ status: "ok" });
    expect(resumed.structuredContent["result"]).toBe("send_mail is done");
    expect(scene.done()).toHaveLength(1);
  });
});

test("what cannot be shown whole is not asked of the client", async () => {
  await using scene = await open(say("allow once"), { settings: { waitSeconds: 1 } });
  const code = `${mail("x".repeat(5000))};`;
  const { structuredContent } = await scene.coordinator.call("execute_code", typescript(code));
  expect(structuredContent).toMatchObject({ status: "needs_approval" });
  expect(scene.asked).toEqual([]);
  expect(scene.done()).toEqual([]);
});

test("a run whose program is gone stays as it is, says what is done and what is not, and sends nothing", async () => {
  await using scene = await open(undefined, { settings: { waitSeconds: 1 } });
  const code = `await ledger.read_file({ path: "x" });\n${mail("a")};`;
  const { structuredContent } = await scene.coordinator.call("execute_code", typescript(code));
  const { run } = structuredContent;
  await scene.coordinator[Symbol.asyncDispose]();
  const [approval] = await scene.pending(1);
  if (!approval) throw new Error("nothing waits");
  await scene.decide(approval, { state: "approved" });
  await using later = await connect(scene, { args: ["--toolsets", "code,runs"] });
  const resumed = await later.call("resume_run", { run });
  expect(resumed.structuredContent).toMatchObject({ status: "needs_approval", calls: { total: 2 } });
  expect(textOf(resumed)).toContain("waited for approval of 1 call (ledger.send_mail) and was ended");
  expect(textOf(resumed)).toMatch(
    /Done:\n {2}ledger\.read_file \{"path":"x"\}: done\.\nNot done:\n {2}ledger\.send_mail \{"to":"a"\}: allowed once by anna on the command line at .*, and not used so far\./,
  );
  expect(textOf(await later.call("list_runs"))).toContain("needs_approval");
  expect(scene.done()).toMatchObject([{ tool: "read_file" }]);
});

describe("a client of 2026-07-28 that comes back with the state of a question", () => {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "wire", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": elicitation,
  };
  const request = { name: "execute_code", arguments: typescript(`${mail("a")};`) };
  const allow = { approval: { action: "accept", content: { decision: "allow once" } } };
  interface Answered {
    readonly result?: {
      readonly resultType?: string;
      readonly requestState?: string;
      readonly content?: readonly { readonly text: string }[];
      readonly structuredContent?: object;
    };
    readonly error?: { readonly message: string };
  }
  const start = (made: { readonly config: string; readonly home: string }) => {
    const child = spawnGateway(made);
    const wire = createWire(child);
    const call = (more: object = {}, params: object = request) =>
      wire.send("tools/call", { ...params, ...more, _meta: envelope }) as Promise<Answered>;
    return {
      call,
      async kill() {
        child.kill("SIGKILL");
        await once(child, "exit");
      },
    };
  };
  const openWire = () => {
    const file = join(mkdtempSync(join(tmpdir(), "ledger-")), "ledger.jsonl");
    const made = createHome({ ledger: server("ledger-server", file) }, { policy: { rules } });
    const done = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
    return { ...made, done };
  };

  test("is served once, with its own request only", async () => {
    const made = openWire();
    const gateway = start(made);
    const { result: asked } = await gateway.call();
    expect(asked).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    const back = { requestState: asked?.requestState, inputResponses: allow };
    const other = { ...request, arguments: typescript(`${mail("eve")};`) };
    expect((await gateway.call(back, other)).error?.message).toContain("The requestState is unknown");
    expect((await gateway.call({ ...back, requestState: `${asked?.requestState}x` })).error?.message).toContain(
      "unknown",
    );
    expect(made.done()).toEqual([]);
    expect((await gateway.call(back)).result?.structuredContent).toMatchObject({ status: "ok" });
    expect((await gateway.call(back)).error?.message).toContain("The requestState is unknown");
    expect(made.done()).toHaveLength(1);
    await gateway.kill();
  });

  test("gets the same question again when it answers nothing", async () => {
    const made = openWire();
    const gateway = start(made);
    const { result: asked } = await gateway.call();
    const { result: again } = await gateway.call({ requestState: asked?.requestState });
    expect(again).toMatchObject({ resultType: "input_required" });
    expect(again?.requestState).not.toBe(asked?.requestState);
    const { result } = await gateway.call({ requestState: again?.requestState, inputResponses: allow });
    expect(result?.structuredContent).toMatchObject({ status: "ok" });
    expect(made.done()).toHaveLength(1);
    await gateway.kill();
  });

  test("is told how its run is when the program was killed meanwhile; its decision is kept, and nothing is sent", async () => {
    const made = openWire();
    const first = start(made);
    const { result: asked } = await first.call();
    await first.kill();
    const second = start(made);
    const back = { requestState: asked?.requestState, inputResponses: allow };
    const { result } = await second.call(back);
    expect(result?.structuredContent).toMatchObject({ status: "needs_approval" });
    expect(result?.content?.[0]?.text).toMatch(
      /Not done:\n {2}ledger\.send_mail \{"to":"a"\}: allowed once by the user of the client/,
    );
    expect((await second.call(back)).error?.message).toContain("The requestState is unknown");
    await second.kill();
    const store = openStore(join(made.home, "data"));
    expect(await store.approvals.list({})).toMatchObject([{ state: "approved", channel: "client", uses: 0 }]);
    store.close();
    expect(made.done()).toEqual([]);
  });
});
