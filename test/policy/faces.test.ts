import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Coordinator } from "../../src/app/coordinator.ts";
import { type Connected, cli, connect } from "../gateway/connect.ts";
import { type Face, facesOf, prepare, type Reach } from "./faces.ts";
import { createGround, type Ground } from "./person.ts";
import { allow, ask, deny } from "./row.ts";

// Every face that there is, and what each answer of the rules does there: whether the server, or we ourselves, acted.

let ground: Ground;
let reach: Reach;
let gateway: Connected;
let faces: readonly Face[];

const toolsets = ["code", "discovery", "skills", "environment", "files", "registry"];
beforeAll(async () => {
  ground = createGround({}, { toolsets, sandbox: { network: { allow: ["api.invalid"] } } });
  ground.govern([]);
  const { config, home } = ground.home;
  const PATH = process.env["PATH"] ?? "";
  const env = { PATH, MCP_COORDINATOR_HOME: join(home, "data"), MCP_SERVERS_CONFIG: config };
  const coordinator = await Coordinator.open({ config, env });
  const folder = mkdtempSync(join(tmpdir(), "faces-"));
  gateway = await connect(ground.home, { args: ["--expose", "counting"] });
  reach = { gateway, coordinator, folder, env: { ...env, MCP_COORDINATOR_COMMAND: `"${process.execPath}" "${cli}"` } };
  await prepare(reach);
  faces = facesOf(reach);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await reach.coordinator.close();
});

const kinds = ["tool", "resource", "prompt", "completion", "own"];
const govern = async (...args: Parameters<Ground["govern"]>) => {
  ground.govern(...args);
  await delay(20); // as long as rules are taken to be what they were
};

/** What came of a face: how often it was done, and what was said. */
interface End {
  readonly face: string;
  readonly times: number;
  readonly said: string;
}

/** So many wait at a time, of one client's. */
const atOnce = 6;

let rounds = 0;

async function goThrough(word: string): Promise<readonly End[]> {
  const said: string[] = [];
  const round = ++rounds;
  const markOf = (index: number) => `${word}${round}n${index}x`;
  for (let first = 0; first < faces.length; first += atOnce) {
    const some = faces.slice(first, first + atOnce);
    const answers = some.map((face, index) => face.go(markOf(first + index)).then(textOf, textOf));
    said.push(...(await Promise.all(answers)));
    await ground.clear();
  }
  const done = ground.done();
  const own = await ground.ownActs();
  return faces.map(({ name, act }, index) => {
    const mark = markOf(index);
    const sent = done.filter((one) => one.what === act && JSON.stringify(one).includes(mark));
    const passed = own.filter((one) => one.name === act && one.args.includes(mark) && one.outcome !== "refused");
    return { face: name, times: sent.length + passed.length, said: said[index] ?? "" };
  });
}

function textOf(told: unknown): string {
  if (!(told instanceof Error)) return JSON.stringify(told) ?? "";
  const { stderr = "", code = "" } = told as Error & { stderr?: string; code?: unknown };
  return `${told.message} ${String(code)} ${stderr}`;
}

describe.each([
  ["deny", deny, 0, /denied by the rule \\*"face\\*"/],
  ["ask", ask, 0, /needs_approval|Waiting for approval|and was ended/],
  ["allow", allow, 1, /^(?!.*(denied|approval))/s],
] as const)("%s", (word, rule, times, words) => {
  test(`${word}: every face that there is`, { timeout: 180_000 }, async () => {
    await govern([rule("face", { kind: kinds })], "locked");
    const ends = await goThrough(word);
    expect(ends.map(({ face, times: done }) => `${face}: ${done}`)).toEqual(
      faces.map(({ name }) => `${name}: ${times}`),
    );
    expect(ends.filter(({ said }) => !words.test(said))).toEqual([]);
  });
});

test("a list passes every preset, and is stopped by a rule that names it", async () => {
  const list = () => gateway.client.listResources().then(textOf, textOf);
  const read = () => gateway.client.readResource({ uri: "note://one" }).then(textOf, textOf);
  await govern([], "locked");
  expect([await list(), await read()]).toEqual([
    expect.stringContaining("note://one"),
    expect.stringContaining("denied by the preset locked"),
  ]);
  expect(ground.done()).toEqual([]);
  await govern([deny("lists", { kind: "list", tool: "resources/list" })]);
  expect(await list()).not.toContain("note://one");
});

test("a rule about a face holds for that one: a skill that is run is not a program that imports it", async () => {
  const by = (name: string) => faces.find((face) => face.name === name) as Face;
  await govern([allow("skill", { via: "skill:spend" }), deny("rest", {})]);
  await by("run_skill").go("via1x");
  for (const name of ["skill, TypeScript", "import, Python", "call_tool", "exposed tool", "command call", "library"]) {
    expect(await by(name).go("via2x").then(textOf, textOf)).toContain("denied by");
  }
  expect(ground.done()).toEqual([{ what: "pay", args: { mark: "via1x" } }]);
  await govern([deny("exposed", { via: "exposed", kind: ["tool", "resource"] })]);
  for (const name of ["exposed tool", "exposed resource"]) {
    expect(await by(name).go("via3x").then(textOf, textOf)).toContain("denied by");
  }
  await by("call_tool").go("via4x");
  expect(ground.done()).toEqual([{ what: "pay", args: { mark: "via4x" } }]);
});
