import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SkillDraft, SkillQuota, SkillStore } from "../../skills/skill-store.ts";
import { openStore } from "./store.ts";

test("each save is the next version, and every version stays", async () => {
  const skills = open();
  expect(await skills.save(draft("report", { code: "one" }))).toMatchObject({ isNew: true, skill: { version: 1 } });
  expect(await skills.save(draft("report", { code: "two" }))).toMatchObject({ isNew: true, skill: { version: 2 } });
  expect(await skills.get("report")).toMatchObject({ ...draft("report", { code: "two" }), version: 2 });
  expect((await skills.get("report", 1))?.code).toBe("one");
  expect(await skills.get("report", 3)).toBeUndefined();
  expect((await skills.history("report")).map(({ version }) => version)).toEqual([2, 1]);
});

test("what is the same as the latest is not stored, what is the same as an older one is", async () => {
  const skills = open();
  await skills.save(draft("report", { code: "one" }));
  expect(await skills.save(draft("report", { code: "one" }))).toMatchObject({ isNew: false, skill: { version: 1 } });
  for (const change of [{ description: "other" }, { tags: ["x"] }, { tests: "t" }, { code: "two" }, { code: "one" }]) {
    expect((await skills.save(draft("report", { code: "one", ...change }))).isNew).toBe(true);
  }
  expect(await skills.history("report")).toHaveLength(6);
});

test("a number is not given twice, also when its version or the whole skill was deleted", async () => {
  const skills = open();
  for (const code of ["one", "two", "three"]) await skills.save(draft("report", { code }));
  expect(await skills.delete("report", { version: 3 })).toEqual([3]);
  expect((await skills.get("report"))?.version).toBe(2);
  expect((await skills.save(draft("report", { code: "four" }))).skill.version).toBe(4);
  expect(await skills.delete("report")).toEqual([1, 2, 4]);
  expect([await skills.get("report"), await skills.names(), await skills.count()]).toEqual([undefined, [], 0]);
  expect(await skills.delete("report")).toEqual([]);
  expect((await skills.save(draft("report", { code: "five" }))).skill.version).toBe(5);
});

test("who has a limit changes what was saved within the same limit, and nothing else", async () => {
  const skills = open();
  const none = { servers: [] };
  await skills.save(draft("users", { code: "one" }));
  await skills.save(draft("own", { code: "one", limit: none }));
  expect((await skills.get("own"))?.limit).toEqual(none);
  expect((await skills.history("own"))[0]?.limit).toEqual(none);
  const refused = expect.objectContaining({
    code: "skill_refused",
    message: expect.stringContaining("Nothing was changed"),
  });
  for (const limit of [none, { servers: ["a"] }]) {
    await expect(skills.save(draft("users", { code: "two", limit }))).rejects.toThrow(refused);
    await expect(skills.delete("users", { limit })).rejects.toThrow(refused);
  }
  await expect(skills.save(draft("own", { code: "two", limit: { servers: ["a"] } }))).rejects.toThrow(refused);
  expect((await skills.save(draft("own", { code: "two", limit: none }))).skill.version).toBe(2);
  // The same text without the limit is another version: who may do everything lifts it.
  expect(await skills.save(draft("own", { code: "two" }))).toMatchObject({ isNew: true, skill: { version: 3 } });
  expect((await skills.get("own"))?.limit).toBeUndefined();
  await expect(skills.delete("own", { limit: none })).rejects.toThrow(refused);
  expect(await skills.delete("own", { version: 1, limit: none })).toEqual([1]);
  expect(await skills.delete("own")).toEqual([2, 3]);
});

test("there is room for so many skills, versions and bytes, and deleting makes more", async () => {
  const full = (setting: string) =>
    expect.objectContaining({
      code: "storage_full",
      message: expect.stringContaining("is not stored"),
      hint: expect.stringContaining(`skills.delete), or raise coordinator.skills.${setting}`),
    });
  const skills = open({ maxSkills: 2, maxVersions: 3, maxMb: 1 });
  await skills.save(draft("one"));
  await skills.save(draft("two"));
  await expect(skills.save(draft("three"))).rejects.toThrow(full("maxSkills"));
  for (const code of ["b", "c"]) await skills.save(draft("one", { code }));
  await expect(skills.save(draft("one", { code: "d" }))).rejects.toThrow(full("maxVersions"));
  expect((await skills.save(draft("one", { code: "c" }))).isNew).toBe(false);
  await skills.delete("one", { version: 1 });
  await skills.save(draft("one", { code: "d".repeat(990_000) }));
  await expect(skills.save(draft("two", { code: "e".repeat(20_000) }))).rejects.toThrow(full("maxMb"));
  expect(await skills.usedBytes()).toBeGreaterThan(990_000);
  await skills.delete("one");
  await skills.save(draft("two", { code: "e".repeat(20_000) }));
  await skills.save(draft("three"));
  expect([await skills.count(), (await skills.usedBytes()) < 25_000]).toEqual([2, true]);
});

test("search finds the latest versions, those with the word in the name first, then tags, description, code", async () => {
  const skills = open();
  const filler = "and many other words that make a text long enough to be one";
  await skills.save(draft("in_code", { code: `const invoice = 1; // ${filler}` }));
  await skills.save(draft("in_text", { description: `Reads an invoice ${filler}` }));
  await skills.save(draft("in_tags", { tags: ["invoice", "money"] }));
  await skills.save(draft("invoice_total"));
  await skills.save(draft("unrelated"));
  await skills.save(draft("was_one", { description: "invoice" }));
  await skills.save(draft("was_one", { description: "no more" }));
  expect((await skills.search(["invoices"], 10)).map(({ name }) => name)).toEqual([
    "invoice_total",
    "in_tags",
    "in_text",
    "in_code",
  ]);
  expect(await skills.search(["invoices"], 1)).toHaveLength(1);
  await skills.delete("invoice_total");
  expect((await skills.search(["invoice"], 1)).map(({ name }) => name)).toEqual(["in_tags"]);
});

test.each(["OR", "NOT", "NEAR(invoice)", "name:invoice", '"', 'x" OR "invoice', "a AND", "("])(
  "the word %j is looked for as it is: the index does not read its own signs in it",
  async (word) => {
    const skills = open();
    await skills.save(draft("invoice_total"));
    expect(await skills.search([word], 10)).toEqual([]);
    expect(await skills.search([word, "invoice"], 10)).toHaveLength(1);
  },
);

test("the mark of a file is kept with the version that the file has", async () => {
  const skills = open();
  await skills.save(draft("report", { code: "one" }), () => "mark 1");
  expect(await skills.files()).toEqual([{ name: "report", mark: "mark 1", version: 1, latest: 1, problem: undefined }]);
  await skills.save(draft("report", { code: "two" }), () => undefined);
  await skills.markFile("strange", "mark 2", { problem: "it does not parse" });
  expect(await skills.files(["report"])).toMatchObject([{ mark: "mark 1", version: 1, latest: 2 }]);
  expect(await skills.files(["strange"])).toMatchObject([
    { mark: "mark 2", latest: undefined, problem: "it does not parse" },
  ]);
  expect(await skills.names()).toEqual(["report"]);
});

test("a save whose file cannot be placed in step leaves nothing behind when that throws", async () => {
  const skills = open();
  const failing = () =>
    skills.save(draft("report"), () => {
      throw new Error("no space");
    });
  await expect(failing()).rejects.toThrow("no space");
  expect(await skills.names()).toEqual([]);
});

function open(quota?: SkillQuota): SkillStore {
  const home = mkdtempSync(join(tmpdir(), "skills-"));
  const store = openStore(home, quota && { skills: quota });
  onTestFinished(() => {
    store.close();
    rmSync(home, { recursive: true, force: true });
  });
  return store.skills;
}

function draft(name: string, change: Partial<SkillDraft> = {}): SkillDraft {
  return {
    name,
    language: "typescript",
    description: "Does something",
    tags: [],
    entry: { function: name, isAsync: false, calling: "positional", parameters: [{ name: "x", optional: false }] },
    tools: [{ server: "data", tool: "orders", hash: "h" }],
    imports: [],
    code: "export function f() {}",
    ...change,
  };
}
