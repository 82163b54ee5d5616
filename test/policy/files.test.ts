import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Coordinator } from "../../src/app/coordinator.ts";
import { allow, deny, user } from "./row.ts";
import { openStage, type Stage } from "./stage.ts";

// Files of rules that are wrong, at the start and later.

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const pay = () => stage.coordinator.callTool("counting", "pay", {});

test("a rule that is wrong stops the start, and all that is wrong is said, in whichever file", async () => {
  const rules = (...all: object[]) => ({ rules: all }) as const;
  await stage.govern({
    managed: rules({ match: { tol: "x" }, action: "deny" }),
    user: rules({ match: {}, action: "permit" }, deny("pointer", { args: { to: "x" } })),
  });
  const { managed, user: own } = stage.paths;
  const opened = Coordinator.open({
    cwd: `${stage.folder}/project`,
    env: { ...process.env, MCP_COORDINATOR_HOME: `${stage.folder}/data`, MCP_SERVERS_CONFIG: "" },
    managedPolicy: managed,
  });
  const failure = await opened.then(
    () => "it started",
    ({ code, message }) => `${code} ${message}`,
  );
  expect(failure).toMatch(/^config_invalid /);
  for (const part of [managed, "match.tol: unknown key", own, "permit", "is not a JSON pointer"])
    expect(failure).toContain(part);
});

test("a condition that could take for ever stops the start", async () => {
  await stage.govern(user(deny("slow", { when: 'args.x.matches("(a+)+$")' })));
  const env = { ...process.env, MCP_COORDINATOR_HOME: `${stage.folder}/data`, MCP_SERVERS_CONFIG: "" };
  const opened = Coordinator.open({ cwd: `${stage.folder}/project`, env, managedPolicy: stage.paths.managed });
  await expect(opened).rejects.toThrow(
    /config\.json: coordinator\.policy\.rules\[0\]\.match\.when: .*uses matches\(\)/,
  );
});

test("a project's file that becomes unreadable loosens nothing, and what the user tightens meanwhile counts later", async () => {
  await stage.govern({ project: { rules: [deny("no", { tool: "pay" })] } });
  await expect(pay()).rejects.toMatchObject({ code: "tool_denied" });
  writeFileSync(stage.paths.project, "{");
  await delay(20);
  await expect(pay()).rejects.toMatchObject({ code: "tool_denied" });
  await stage.govern({ ...user(deny("mine", { tool: "pay" })), project: { rules: [allow("all", {})] } });
  await expect(pay()).rejects.toMatchObject({ message: expect.stringContaining('the rule "mine"') });
  expect(stage.done()).toEqual([]);
});
