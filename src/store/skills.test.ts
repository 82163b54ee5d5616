import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SkillDraft, Skills } from "./skills.ts";
import { openStore } from "./store.ts";

test("each save is the next version, and every version stays", () => {
  const skills = open();
  expect(skills.save(draft("report", { code: "one" }))).toMatchObject({ isNew: true, skill: { version: 1 } });
  expect(skills.save(draft("report", { code: "two" }))).toMatchObject({ isNew: true, skill: { version: 2 } });
  expect(skills.get("report")).toMatchObject({ ...draft("report", { code: "two" }), version: 2 });
  expect(skills.get("report", 1)?.code).toBe("one");
  expect(skills.get("report", 3)).toBeUndefined();
  expect(skills.history("report").map(({ version }) => version)).toEqual([2, 1]);
});

test("what is the same as the latest is not stored, what is the same as an older one is", () => {
  const skills = open();
  skills.save(draft("report", { code: "one" }));
  expect(skills.save(draft("report", { code: "one" }))).toMatchObject({ isNew: false, skill: { version: 1 } });
  for (const change of [{ description: "other" }, { tags: ["x"] }, { tests: "t" }, { code: "two" }, { code: "one" }]) {
    expect(skills.save(draft("report", { code: "one", ...change })).isNew).toBe(true);
  }
  expect(skills.history("report")).toHaveLength(6);
});

test("a number is not given twice, also when its version or the whole skill was deleted", () => {
  const skills = open();
  for (const code of ["one", "two", "three"]) skills.save(draft("report", { code }));
  expect(skills.delete("report", 3)).toEqual([3]);
  expect(skills.get("report")?.version).toBe(2);
  expect(skills.save(draft("report", { code: "four" })).skill.version).toBe(4);
  expect(skills.delete("report")).toEqual([1, 2, 4]);
  expect([skills.get("report"), skills.names(), skills.count()]).toEqual([undefined, [], 0]);
  expect(skills.delete("report")).toEqual([]);
  expect(skills.save(draft("report", { code: "five" })).skill.version).toBe(5);
});

test("search finds the latest versions, those with the word in the name first, then tags, description, code", () => {
  const skills = open();
  const filler = "and many other words that make a text long enough to be one";
  skills.save(draft("in_code", { code: `const invoice = 1; // ${filler}` }));
  skills.save(draft("in_text", { description: `Reads an invoice ${filler}` }));
  skills.save(draft("in_tags", { tags: ["invoice", "money"] }));
  skills.save(draft("invoice_total"));
  skills.save(draft("unrelated"));
  skills.save(draft("was_one", { description: "invoice" }));
  skills.save(draft("was_one", { description: "no more" }));
  expect(skills.search('"invoices"', 10).map(({ name }) => name)).toEqual([
    "invoice_total",
    "in_tags",
    "in_text",
    "in_code",
  ]);
  expect(skills.search('"invoices"', 1)).toHaveLength(1);
  skills.delete("invoice_total");
  expect(skills.search('"invoice"', 1).map(({ name }) => name)).toEqual(["in_tags"]);
});

test("the mark of a file is kept with the version that the file has", () => {
  const skills = open();
  skills.save(draft("report", { code: "one" }), () => "mark 1");
  expect(skills.files()).toEqual([{ name: "report", mark: "mark 1", version: 1, latest: 1, problem: undefined }]);
  skills.save(draft("report", { code: "two" }), () => undefined);
  skills.markFile("strange", "mark 2", { problem: "it does not parse" });
  expect(skills.files(["report"])).toMatchObject([{ mark: "mark 1", version: 1, latest: 2 }]);
  expect(skills.files(["strange"])).toMatchObject([
    { mark: "mark 2", latest: undefined, problem: "it does not parse" },
  ]);
  expect(skills.names()).toEqual(["report"]);
});

test("a save whose file cannot be placed in step leaves nothing behind when that throws", () => {
  const skills = open();
  const failing = () =>
    skills.save(draft("report"), () => {
      throw new Error("no space");
    });
  expect(failing).toThrow("no space");
  expect(skills.names()).toEqual([]);
});

function open(): Skills {
  const home = mkdtempSync(join(tmpdir(), "skills-"));
  const store = openStore(home);
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
