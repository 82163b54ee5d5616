import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Approval } from "../../src/approvals/approval.ts";
import { Place } from "./command.ts";

const folder = fileURLToPath(new URL(`../../node_modules/.tmp/asker-${process.pid}`, import.meta.url));
const program = join(folder, "asker.mjs");

beforeAll(() => {
  buildSync({
    entryPoints: [fileURLToPath(new URL("./terminal-asker.fixture.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const question = "anything else: not now. ";

function approval(id: string, more: Partial<Approval> = {}): Approval {
  return {
    ...{ id, run: "r1", kind: "tool", server: "gmail", tool: "send_mail", identity: "i", definition: "d" },
    ...{ argsHash: "h", args: '{"to":"a@b.c"}', via: "code", rule: "mail", policy: "p", reason: 'the rule "mail"' },
    ...{ approver: undefined, state: "pending", scope: undefined, uses: 0, most: 1, askedAt: 0, expiresAt: 1 },
    ...{ decidedAt: undefined, decidedBy: undefined, channel: undefined, note: undefined },
    ...more,
  };
}

function open() {
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  const file = join(place.folder, "outcomes.json");
  return { place, file, outcomes: () => JSON.parse(readFileSync(file, "utf8")) as unknown };
}

describe.skipIf(process.platform === "win32")("the person at the terminal of a command", () => {
  test("decides each call that is shown, and leaves open what they do not answer as asked", async () => {
    const { place, file, outcomes } = open();
    const typed = ["yes\n", "run\n", "no\n", "\n", "y\n", "yes \n", "yes\u0004\n"];
    const asked = typed.map((_, index) => approval(`a${index}`, { tool: `tool_${index}` }));
    const steps = typed.map((text) => [text, question] as const);
    const ended = await place.atTerminal(steps, process.execPath, program, file, JSON.stringify([asked]));
    expect(ended).toMatchObject({ code: 0, left: 0 });
    const answers = ["allow once", "allow in this run", "deny", ...Array<string>(4).fill("not now")];
    expect(outcomes()).toEqual({ channel: "cli", outcomes: [answers.map((answer, index) => [`a${index}`, answer])] });
    expect(ended.written).toContain(
      'A call waits for you (3 of 7).\r\ngmail.tool_2 wants to run (the rule "mail").\r\n',
    );
  });

  test("is asked one thing at a time, and what they typed before a question does not answer it", async () => {
    const { place, file, outcomes } = open();
    const steps = [["yes\nyes\n", question] as const, ["no\n", question] as const];
    const questions = JSON.stringify([[approval("a1")], [approval("a2")]]);
    expect(await place.atTerminal(steps, process.execPath, program, file, questions)).toMatchObject({ left: 0 });
    expect(outcomes()).toMatchObject({ outcomes: [[["a1", "allow once"]], [["a2", "deny"]]] });
  });

  test("is let go when somebody else has decided", async () => {
    const { place, file, outcomes } = open();
    const { written, code } = await place.atTerminal(
      [],
      process.execPath,
      program,
      file,
      JSON.stringify([[approval("a1")]]),
      "500",
    );
    expect(outcomes()).toMatchObject({ outcomes: ["AbortError"] });
    expect(written).toMatch(/not now\. \r\nNobody has to answer it any more: .*\r\n$/s);
    expect(code).toBe(0);
  });

  test.runIf(process.platform === "linux")("is not asked by a command in the background", async () => {
    const { place, file, outcomes } = open();
    const line = `set -m; '${process.execPath}' '${program}' '${file}' & wait`;
    await place.atTerminal([], "bash", "-c", line);
    expect(outcomes()).toEqual({ outcomes: "nobody to ask" });
  });

  test("is nobody where there is no terminal", async () => {
    const { place, file, outcomes } = open();
    const child = place.spawn(process.execPath, [program, file], { detached: true });
    await new Promise((resolve) => child.once("close", resolve));
    expect(outcomes()).toEqual({ outcomes: "nobody to ask" });
  });
});
