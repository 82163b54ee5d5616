import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RunDetail } from "../../src/door/journal.ts";
import { callsEach, type Told } from "./guest.ts";
import { allow, ask, deny, user } from "./row.ts";
import { type Language, openStage, type Stage } from "./stage.ts";

// What programs do to rules, and rules to programs, while they run.

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ sandbox: { limits: { toolCalls: 300 } } });
});
afterAll(() => stage[Symbol.asyncDispose]());
beforeEach(() => {
  stage.done();
  stage.asked();
});

const codes = (result: unknown) => (result as readonly Told[]).map(({ code }) => code);
const done = () => stage.done().map(({ what }) => what);
const detail = (run: string) => stage.coordinator.run("get_run", { run }) as Promise<RunDetail>;

describe.each<Language>(["typescript", "python"])("a program in %s", (language) => {
  const execute = (code: string) => stage.coordinator.execute({ code, language, check: false });
  const calls = (...list: (readonly [tool: string, args?: object])[]) =>
    execute(
      callsEach(
        language,
        list.map(([tool, args = {}]) => [tool, JSON.stringify(args)]),
      ),
    );
  const rulesOf = (rules: readonly object[]) => JSON.stringify({ coordinator: { policy: { rules } } });
  const change = (text: string, isWhole = true) => ["write_rules", { path: stage.paths.user, text, isWhole }] as const;

  test("other rules hold from the next call on, in the middle of a run", async () => {
    await stage.govern({});
    const { result } = await calls(
      ["pay"],
      change(rulesOf([deny("no", { tool: "pay" })])),
      ["pay"],
      change(rulesOf([ask("ask", { tool: "pay" })])),
      ["pay"],
      change(rulesOf([])),
      ["pay"],
    );
    expect(codes(result)).toEqual([
      ...[undefined, undefined, "tool_denied", undefined],
      ...["approval_rejected", undefined, undefined],
    ]);
    expect(done()).toEqual(["pay", "pay"]);
  });

  test.each([
    ["half of it", '{ "coordinator": { "policy": { "rules": [ {'],
    ["nothing", ""],
    ["an unknown key", '{ "coordinator": { "policy": { "rulez": [] } } }'],
    ["another type", '{ "coordinator": { "policy": { "rules": "none" } } }'],
    ["a list", "[]"],
  ])("rules hold on when their file has %s", async (_what, text) => {
    await stage.govern(user(deny("no", { tool: "pay" })));
    const { result } = await calls(["pay"], change(text, false), ["pay"]);
    expect(codes(result)).toEqual(["tool_denied", undefined, "tool_denied"]);
    expect(done()).toEqual([]);
  });

  test("a program that goes on calling what is denied is ended by its limit; each call has its row, and nobody is asked", async () => {
    await stage.govern(user(deny("no", { tool: "pay" })));
    const { status, run } = await calls(...Array.from({ length: 10_000 }, () => ["pay"] as const));
    const { toolCalls } = await detail(run);
    expect(status).not.toBe("ok");
    expect(toolCalls.length).toBe(300);
    expect(new Set(toolCalls.map(({ outcome, decided }) => `${outcome} ${decided?.rule}`))).toEqual(
      new Set(["refused no"]),
    );
    expect([done(), stage.asked()]).toEqual([[], []]);
  });

  test("a program that goes on with what a person denies has them asked five times, and no more", async () => {
    await stage.govern(user(ask("mail", { tool: "send_mail" })));
    const { status } = await calls(...Array.from({ length: 5000 }, (_, n) => ["send_mail", { n }] as const));
    expect(status).not.toBe("ok");
    expect(stage.asked()).toHaveLength(5);
    expect(done()).toEqual([]);
  });

  test("a rule that is tried out is in the row of the call that it would have stopped", async () => {
    await stage.govern(user(deny("tried", { tool: "pay" }, { shadow: true }), allow("pay", { tool: "pay" })));
    const { run } = await calls(["pay"]);
    expect(done()).toEqual(["pay"]);
    expect((await detail(run)).toolCalls).toMatchObject([
      { decided: { decision: "allow", rule: "pay", shadow: [{ rule: "tried", action: "deny" }] } },
    ]);
  });

  test("a condition that throws is in the row of the call that it stopped, with the rule and the rules' hash", async () => {
    await stage.govern(user(deny("large", { tool: "pay", when: "args.amount > 100" })));
    const { run } = await calls(["pay", { amount: "7" }]);
    expect((await detail(run)).toolCalls).toMatchObject([
      {
        outcome: "refused",
        decided: { decision: "deny", rule: "large", policy: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);
    expect(done()).toEqual([]);
  });
});

test.each<[string, (path: string) => void]>([
  ["a folder", (path) => mkdirSync(path)],
  ["a pipe that nobody writes to", (path) => execFileSync("mkfifo", [path])],
  ["a link to nowhere", (path) => symlinkSync("/nowhere", path)],
  ["a link to itself", (path) => symlinkSync(path, path)],
  ["nothing", () => {}],
  ["another file for a moment", (path) => writeFileSync(path, "{}".padEnd(2_000_000))],
])("rules hold on when in place of their file there is %s", async (_what, become) => {
  await stage.govern(user(deny("no", { tool: "pay" })));
  const pay = () => stage.coordinator.callTool("counting", "pay", {});
  await expect(pay()).rejects.toMatchObject({ code: "tool_denied" });
  renameSync(stage.paths.user, `${stage.paths.user}.old`);
  become(stage.paths.user);
  await delay(30);
  await expect(pay()).rejects.toMatchObject({ code: "tool_denied" });
  rmSync(stage.paths.user, { recursive: true, force: true });
  await stage.govern({});
  await pay();
  expect(done()).toEqual(["pay"]);
});
