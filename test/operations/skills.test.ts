import { expect, test, vi } from "vitest";
import { skillOperations } from "../../src/operations/skills/skills.ts";
import type { Execute } from "../../src/runtime/execute.ts";
import type { SkillDraft } from "../../src/skills/skill-store.ts";
import { skillDraft } from "../stores/skill-draft.ts";
import { createServices, ranWell, runnerOf } from "./services.ts";

async function open({ execute = vi.fn<Execute>(async () => ranWell), drafts = [] as SkillDraft[] } = {}) {
  const { services, skills, journal } = await createServices({ execute });
  for (const draft of drafts) await skills.store.save(draft);
  return { run: runnerOf(skillOperations(services)), skills, journal, execute };
}

const draft = (name: string, change: Partial<SkillDraft> = {}) => skillDraft(name, { tools: [], ...change });
const code = `/** Adds one. */
export function add_one(x: number): number { return x + 1; }
`;
const pythonCode = `def add_two(x: int) -> int:
    """Adds two."""
    return x + 2
`;
/** A run that may use nothing. */
const limited = { may: { servers: new Set<string>() } };
const namesIn = (skills: unknown) => (skills as { name: string }[]).map(({ name }) => name);

test("the latest of each is listed, of all or of one tag or language, and what is stale of it", async () => {
  const { run } = await open({
    drafts: [
      draft("a", { tags: ["money"], code: "old" }),
      draft("a", { tags: ["money"] }),
      draft("b", { language: "python" }),
      skillDraft("c"),
      draft("d", { tools: [{ server: "gone", tool: "t", hash: "h" }] }),
    ],
  });
  const all = await run("list_skills", {});
  expect(all).toMatchObject([
    { name: "a", version: 2, tags: ["money"], import: 'import { a } from "skills/a"' },
    { name: "b", language: "python", import: "from skills.b import b" },
    { name: "c", stale: [expect.stringContaining("orders")] },
    { name: "d", stale: [expect.stringContaining("gone")] },
  ]);
  expect([
    namesIn(await run("list_skills", { tag: "money" })),
    namesIn(await run("list_skills", { language: "python" })),
  ]).toEqual([["a"], ["b"]]);
});

test("search finds by words, the one of that name first", async () => {
  const { run } = await open({
    drafts: [
      draft("report", { description: "Sums up" }),
      draft("report_all", { description: "report report", tags: ["report"] }),
      draft("other"),
    ],
  });
  expect(namesIn(await run("search_skills", { query: "the Report" }))).toEqual(["report_all", "report"]);
  expect(namesIn(await run("search_skills", { query: "Report" }))).toEqual(["report", "report_all"]);
  expect(namesIn(await run("search_skills", { query: "report all", limit: 1 }))).toEqual(["report_all"]);
  expect(await run("search_skills", { query: '"*' })).toEqual([]);
});

test("one is read whole, the latest or a version", async () => {
  const { run } = await open({ drafts: [draft("a", { code: "one", tests: "t" }), draft("a", { code: "two" })] });
  expect(await run("get_skill", { name: "a" })).toMatchObject({
    ...{ name: "a", version: 2, latest: true, code: "two", function: "a" },
    parameters: [{ name: "x", optional: false }],
  });
  expect(await run("get_skill", { name: "a", version: 1 })).toMatchObject({
    ...{ version: 1, latest: false, code: "one", tests: "t", import: 'import { a } from "skills/a@1"' },
  });
  await expect(run("get_skill", { name: "a", version: 3 })).rejects.toMatchObject({
    code: "skill_unknown",
    message: 'The skill "a" has no version 3',
    hint: "Choose one of: 1, 2.",
  });
  await expect(run("get_skill", { name: "aa" })).rejects.toMatchObject({
    code: "skill_unknown",
    hint: 'Did you mean "a"?',
  });
});

test("the statement that imports it is that of its language", async () => {
  const { run } = await open({ drafts: [draft("a")] });
  expect(await run("get_skill_import", { name: "a", language: "typescript" })).toMatchObject({
    import: 'import { a } from "skills/a"',
    calling: "positional",
  });
  await expect(run("get_skill_import", { name: "a", language: "python" })).rejects.toMatchObject({
    code: "input_invalid",
    message: 'The skill "a" is written in typescript, and cannot be imported in python',
  });
});

test("its versions are told, the newest first, and what changed between them", async () => {
  const { run } = await open({
    drafts: ["one\n", "two\n", "three\n"].map((text) => draft("a", { code: text, description: text.trim() })),
  });
  expect(await run("skill_history", { name: "a" })).toMatchObject([
    { version: 3, description: "three", savedAt: expect.stringMatching(/Z$/) },
    { version: 2, description: "two" },
    { version: 1, description: "one" },
  ]);
  expect(await run("skill_diff", { name: "a" })).toMatchObject({
    ...{ name: "a", from: 2, to: 3 },
    patch: expect.stringMatching(/^-two$[\s\S]*^\+three$/m),
  });
  expect(await run("skill_diff", { name: "a", from: 1, to: 2 })).toMatchObject({
    patch: expect.stringMatching(/^-one$[\s\S]*^\+two$/m),
  });
  expect(await run("skill_diff", { name: "a", to: 1 })).toMatchObject({ from: 1, to: 1 });
  for (const name of ["skill_history", "skill_diff"]) {
    await expect(run(name, { name: "nothing" })).rejects.toMatchObject({ code: "skill_unknown" });
  }
});

test("a version is deleted, or all of it; the journal has it", async () => {
  const { run, journal } = await open({ drafts: [draft("a", { code: "one" }), draft("a", { code: "two" })] });
  expect(await run("delete_skill", { name: "a", version: 2 })).toEqual({ name: "a", deleted: [2], latest: 1 });
  expect(await run("delete_skill", { name: "a" })).toEqual({ name: "a", deleted: [1] });
  await expect(run("delete_skill", { name: "a" })).rejects.toMatchObject({ code: "skill_unknown" });
  const runs = await journal.listRuns({ limit: 9 });
  expect(runs.map(({ status }) => status).sort()).toEqual(["error", "ok", "ok"]);
  const calls = await Promise.all(runs.map(({ id }) => journal.getRun(id)));
  expect(calls.flatMap((one) => one?.toolCalls.map(({ tool }) => tool))).toEqual(Array(3).fill("skills.delete"));
});

test("a run with limits neither replaces nor deletes what was saved without them", async () => {
  const { run, skills } = await open({ drafts: [draft("add_one")] });
  const refused = { code: "skill_refused" };
  await expect(run("delete_skill", { name: "add_one" }, limited)).rejects.toMatchObject(refused);
  await expect(run("save_skill", { name: "add_one", code }, limited)).rejects.toMatchObject(refused);
  expect(await skills.store.history("add_one")).toHaveLength(1);
});

test("what is saved is checked first and its tests are run, and each save is a version", async () => {
  const { run, skills, execute } = await open();
  const saved = await run("save_skill", { name: "add_one", code, tags: ["sum", "sum"], tests: "check();" });
  expect(saved).toMatchObject({
    ...{ name: "add_one", version: 1, stored: true, import: 'import { add_one } from "skills/add_one"' },
    ...{ parameters: [{ name: "x", type: "number", optional: false }], tools: [], tests: "passed" },
  });
  expect(execute.mock.calls.map(([request]) => request)).toMatchObject([
    { code, language: "typescript", dryRun: true },
    { code: "check();\n", language: "typescript" },
  ]);
  expect(await skills.store.get("add_one")).toMatchObject({ description: "Adds one.", tags: ["sum"], code });
  expect(await skills.store.files()).toMatchObject([{ name: "add_one", version: 1, mark: expect.any(String) }]);
  const again = { name: "add_one", code, tags: ["sum"], tests: "check();" };
  expect(await run("save_skill", again)).toMatchObject({ version: 1, stored: false });
  expect(await run("save_skill", { ...again, description: "Counts." })).toMatchObject({ version: 2, stored: true });
});

test("tags and tests stay as they are unless they are given, and go when they are given as nothing", async () => {
  const { run, skills, execute } = await open();
  await run("save_skill", { name: "add_one", code, tags: ["sum"], tests: "check();" });
  const changed = code.replace("Adds one", "Adds 1");
  execute.mockImplementation(async ({ dryRun }) =>
    dryRun ? ranWell : { ...ranWell, status: "error", error: { message: "1 is not 2" } },
  );
  await expect(run("save_skill", { name: "add_one", code: changed })).rejects.toMatchObject({
    message: expect.stringContaining("The tests of add_one, kept from version 1, failed:\n"),
    hint: 'Save it with `tests` that fit the new code, or with `tests` as "" for none.',
  });
  execute.mockImplementation(async () => ranWell);
  const kept = await run("save_skill", { name: "add_one", code: changed });
  expect(kept).toMatchObject({ version: 2, stored: true, tests: "passed" });
  expect(await skills.store.get("add_one")).toMatchObject({ tags: ["sum"], tests: "check();\n" });
  expect(await run("save_skill", { name: "add_one", code, tests: "" })).toMatchObject({ version: 3, tests: "none" });
  expect(await run("save_skill", { name: "add_one", code, tags: [], tests: null })).toMatchObject({ version: 4 });
  expect(await skills.store.get("add_one")).toMatchObject({ tags: [], code });
});

test("Python is known by how it looks, and a skill stays in its language", async () => {
  const { run, skills } = await open();
  expect(await run("save_skill", { name: "add_two", code: pythonCode })).toMatchObject({
    ...{ version: 1, tests: "none", import: "from skills.add_two import add_two" },
  });
  expect((await skills.store.get("add_two"))?.language).toBe("python");
  const other = { name: "add_two", code: code.replace("add_one", "add_two"), language: "typescript" };
  await expect(run("save_skill", other)).rejects.toMatchObject({
    code: "skill_invalid",
    message: expect.stringContaining("a skill stays in its language"),
  });
});

test("the tools that it imports are kept with what they were", async () => {
  const { run, skills } = await open();
  const using = `import { orders } from "mcp_tools/data";
/** Counts orders. */
export async function count_orders() { return orders({}); }
`;
  expect(await run("save_skill", { name: "count_orders", code: using })).toMatchObject({ tools: ["data.orders"] });
  expect((await skills.store.get("count_orders"))?.tools).toMatchObject([{ server: "data", tool: "orders" }]);
  expect(await run("list_skills", {})).not.toMatchObject([{ stale: expect.anything() }]);
});

test("a run with limits saves skills that have them", async () => {
  const { run, skills } = await open();
  expect(await run("save_skill", { name: "add_one", code }, limited)).toMatchObject({
    limit: "limits the runs that import it to servers: none",
  });
  expect((await skills.store.get("add_one"))?.limit).toEqual({ servers: [] });
});

test("what the check finds, or a test that fails, keeps it from being stored", async () => {
  const problems = [{ line: 2, column: 1, message: "It is wrong" }];
  const failures: Record<string, Execute> = {
    "It is wrong": async () => ({
      ...ranWell,
      status: "check_failed",
      error: { name: "Check", message: "", problems },
    }),
    "The tests of add_one failed": async ({ dryRun }) =>
      dryRun ? ranWell : { ...ranWell, status: "error", error: { name: "Error", message: "1 is not 2" } },
    "the check ended as timeout": async () => ({ ...ranWell, status: "timeout" }),
  };
  for (const [message, failing] of Object.entries(failures)) {
    const { run, skills } = await open({ execute: vi.fn<Execute>(failing) });
    await expect(run("save_skill", { name: "add_one", code, tests: "check();" })).rejects.toMatchObject({
      code: "skill_invalid",
      message: expect.stringContaining(message),
    });
    expect([await skills.store.names(), await skills.store.files()]).toEqual([[], []]);
  }
});

test.each([
  ["no function", { code: "const a = 1;" }, "skill_invalid"],
  ["no doc comment", { code: "export function add_one() {}" }, "skill_invalid"],
  ["no name of a skill", { name: "Add One" }, "input_invalid"],
  ["what is not a character", { code: "\ud800" }, "input_invalid"],
])("%s is refused", async (_what, change, refusal) => {
  const { run } = await open();
  await expect(run("save_skill", { name: "add_one", code, ...change })).rejects.toMatchObject({ code: refusal });
});

test("the code of a run becomes a skill; of a run that is not known it cannot", async () => {
  const { run, journal, skills } = await open();
  await journal.startRun({ id: "r1", language: "typescript", engine: "deno", code: "const a = 1;\na + 1" });
  expect(await run("save_skill_from_run", { run: "r1", name: "again" })).toMatchObject({ name: "again", version: 1 });
  expect(await skills.store.get("again")).toMatchObject({
    description: "Does what the run r1 did.",
    code: expect.stringContaining("const a = 1;"),
  });
  await expect(run("save_skill_from_run", { run: "r9", name: "again" })).rejects.toMatchObject({ code: "run_unknown" });
});
