import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { doctor } from "../src/app/doctor.ts";
import { servicesOf } from "../src/app/services-of.ts";
import { runOperation } from "../src/operations/operation.ts";
import type { SkillVersion } from "../src/skills/skill-store.ts";
import { openDatabase } from "../src/store/sqlite/database.ts";
import { folder, openCoordinator } from "./open-coordinator.ts";
import { presented } from "./presented.ts";

// One row that a broken disk or another program has changed must not take the others with it.

let coordinator: Coordinator;
let wholeRun: string;
let damagedRun: string;
const run = (name: string, input: object = {}) => coordinator.run(name, input) as Promise<never>;
const namesOf = (entries: readonly { name?: string; key?: string }[]) => entries.map(({ name, key }) => name ?? key);

beforeAll(async () => {
  coordinator = await openCoordinator();
  const code = (name: string) => `/** Adds. */\nexport function ${name}(a: number) { return a + 1; }`;
  for (const name of ["bad", "good", "odd"]) await run("save_skill", { name, code: code(name) });
  const user = `import { bad } from "skills/bad";\n/** Uses another. */\nexport const user = () => bad(1);`;
  await run("save_skill", { name: "user", code: user });
  for (const key of ["bad_metadata", "bad_value", "good"]) {
    await run("set_memory", { key, value: { a: 1 }, metadata: { b: 2 } });
  }
  const ran = async (code: string) => (await coordinator.execute({ language: "typescript", code })).run as string;
  [wholeRun, damagedRun] = [await ran("1"), await ran("2")];
  damage(
    `UPDATE skill_versions SET details = '{"broken' WHERE skill = (SELECT number FROM skills WHERE name = 'bad')`,
    `UPDATE skill_versions SET details = 'null' WHERE skill = (SELECT number FROM skills WHERE name = 'odd')`,
    `UPDATE memory SET metadata = '{"broken', created_at = 'x' WHERE key = 'bad_metadata'`,
    `UPDATE memory SET value = '{"broken' WHERE key = 'bad_value'`,
    `UPDATE runs SET started_at = 'x' WHERE id = '${damagedRun}'`,
  );
});

function damage(...statements: string[]): void {
  const database = openDatabase(join(folder, "home", "coordinator.db"));
  for (const statement of statements) database.execute(statement);
  database.close();
}

const damaged = (what: string) => ({
  code: "storage_unavailable",
  message: expect.stringContaining(`Cannot read ${what}: its row in the database is damaged`),
});

test("of skills the others are listed and found, and the damaged ones are told", async () => {
  const listed = await run("list_skills");
  expect(namesOf(listed)).toEqual(["good", "user", "bad", "odd"]);
  const told = "cannot be read, its row in the database is damaged: save it again, or delete it";
  const about = (listed as { description: string }[]).map(({ description }) => description);
  expect(about).toEqual(["Adds.", "Uses another.", told, told]);
  expect(namesOf(await run("search_skills", { query: "adds" }))).toEqual(["good"]);
  await expect(run("get_skill", { name: "bad" })).rejects.toMatchObject(damaged('version 1 of the skill "bad"'));
  const findings = await runOperation(doctor(servicesOf(await openCoordinator())), {});
  expect(findings.map(({ message }) => message)).toContain("the row of bad in the database is damaged");
});

test("who has a limit neither replaces nor deletes a damaged skill: nobody knows within which it was saved", async () => {
  const { store } = servicesOf(coordinator).skills;
  const limit = { servers: [] };
  const good = (await store.get("good")) as SkillVersion;
  const refused = expect.objectContaining({ code: "skill_refused" });
  await expect(store.save({ ...good, name: "odd", limit })).rejects.toThrow(refused);
  await expect(store.delete("odd", { limit })).rejects.toThrow(refused);
});

test("a damaged skill can be saved again, and deleted", async () => {
  const code = "/** Adds. */\nexport function bad(a: number) { return a + 2; }";
  expect(await run("save_skill", { name: "bad", code })).toMatchObject({ version: 2 });
  expect(await run("get_skill", { name: "bad" })).toMatchObject({ version: 2 });
  await expect(run("get_skill", { name: "bad", version: 1 })).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(await run("delete_skill", { name: "bad", version: 2 })).toMatchObject({ latest: 1 });
  await run("delete_skill", { name: "odd" });
  expect(namesOf(await run("list_skills"))).toEqual(["good", "user", "bad"]);
});

test("of the memory the others are listed, in whole pages, and the damaged ones are told", async () => {
  const listed = await run("list_memory");
  expect(namesOf(listed)).toEqual(["bad_value", "good"]);
  expect(namesOf(await run("list_memory", { limit: 1 }))).toEqual(["bad_value"]);
  expect((await presented(coordinator, "list_memory", {})).text).toMatch(
    /^good .*\nLeft out, since their rows in the database are damaged: bad_metadata$/m,
  );
  for (const key of ["bad_metadata", "bad_value"]) {
    await expect(run("get_memory", { key })).rejects.toMatchObject(damaged(`"${key}" of the memory`));
    await expect(run("update_memory", { key, patch: {} })).rejects.toMatchObject({ code: "storage_unavailable" });
    await run("set_memory", { key, value: 2 });
    expect(await run("get_memory", { key })).toBe(2);
  }
  expect(namesOf(await run("list_memory"))).toEqual(["bad_metadata", "bad_value", "good"]);
});

test("of the runs the others are shown, and the damaged one is told", async () => {
  const lines = (await presented(coordinator, "list_runs", {})).text.split("\n");
  expect(lines).toContain(`${damagedRun}  cannot be read: its row in the database is damaged`);
  expect(lines.find((line) => line.startsWith(wholeRun))).toMatch(/ ok .* deno$/);
  await expect(run("get_run", { run: damagedRun })).rejects.toMatchObject(damaged(`the run "${damagedRun}"`));
  expect(await run("get_run", { run: wholeRun })).toMatchObject({ code: "1" });
});
