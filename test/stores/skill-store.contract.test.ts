import { afterEach, describe, expect, test, vi } from "vitest";
import { type SkillDraft, type SkillQuota, type SkillStore, textBytes } from "../../src/skills/skill-store.ts";
import { createSkillsInMemory, skillShelves } from "./in-memory/skill-store.ts";
import { openStores } from "./open-stores.ts";
import { skillDraft as draft } from "./skill-draft.ts";

// Every store of skills keeps to this.

afterEach(() => vi.useRealTimers());

/** Opens the skills of an owner; all of one test share what is kept. */
type Owners = (principal?: string) => SkillStore;

const implementations: [string, (quota?: SkillQuota) => Owners][] = [
  [
    "sqlite",
    (quota) => {
      const open = openStores(quota && { skills: quota });
      return (principal) => open(principal).skills;
    },
  ],
  [
    "in memory",
    (quota) => {
      const shelves = skillShelves();
      return (principal = "local") => createSkillsInMemory({ shelves, principal, quota });
    },
  ],
];

const namesOf = (skills: readonly { readonly name: string }[]) => skills.map(({ name }) => name);
const versionsOf = (skills: readonly { readonly version: number }[]) => skills.map(({ version }) => version);

describe.each(implementations)("skills, %s", (_implementation, owners) => {
  test("each save is the next version, and every version stays", async () => {
    vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
    const skills = owners()();
    expect(await skills.save(draft("report", { code: "one" }))).toMatchObject({ isNew: true, skill: { version: 1 } });
    expect(await skills.save(draft("report", { code: "two" }))).toMatchObject({ isNew: true, skill: { version: 2 } });
    const latest = { ...draft("report", { code: "two" }), version: 2, savedAt: 1000 };
    expect(await skills.get("report")).toEqual(latest);
    expect(await skills.peek("report")).toEqual(latest);
    expect([(await skills.get("report", 1))?.code, (await skills.peek("report", 1))?.code]).toEqual(["one", "one"]);
    expect([await skills.get("report", 3), await skills.peek("nothing")]).toEqual([undefined, undefined]);
    expect(versionsOf(await skills.history("report"))).toEqual([2, 1]);
    expect(await skills.history("nothing")).toEqual([]);
  });

  test("a version comes back whole; in lists it is without its texts", async () => {
    const skills = owners()();
    const { code, tests, ...about } = draft("report", {
      language: "python",
      description: "Größe 😀",
      tags: ["a", "b"],
      imports: ["clean_rows@2"],
      tests: "assert True\n",
      code: "def report(): ...\n",
      limit: { servers: ["a"], tools: [{ server: "a", tool: "t" }] },
    });
    await skills.save({ ...about, code, tests });
    expect(await skills.get("report")).toMatchObject({ ...about, code, tests });
    for (const listed of [await skills.list(), await skills.history("report"), await skills.search(["report"], 1)]) {
      expect(listed).toEqual([{ ...about, version: 1, savedAt: expect.any(Number) }]);
    }
  });

  test("what is the same as the latest is not stored, what is the same as an older one is", async () => {
    const skills = owners()();
    await skills.save(draft("report", { code: "one" }));
    const place = vi.fn(() => "mark");
    expect(await skills.save(draft("report", { code: "one", tools: [] }), place)).toMatchObject({
      isNew: false,
      skill: { version: 1 },
    });
    expect(place).not.toHaveBeenCalled();
    for (const change of [
      { description: "other" },
      { tags: ["x"] },
      { tests: "t" },
      { code: "two" },
      { code: "one" },
    ]) {
      expect((await skills.save(draft("report", { code: "one", ...change }))).isNew).toBe(true);
    }
    expect(await skills.history("report")).toHaveLength(6);
  });

  test("a number is not given twice, also when its version or the whole skill was deleted", async () => {
    const skills = owners()();
    for (const code of ["one", "two", "three"]) await skills.save(draft("report", { code }));
    expect(await skills.delete("report", { version: 3 })).toEqual([3]);
    expect((await skills.get("report"))?.version).toBe(2);
    expect((await skills.save(draft("report", { code: "four" }))).skill.version).toBe(4);
    expect(await skills.delete("report", { version: 3 })).toEqual([]);
    expect(await skills.delete("report")).toEqual([1, 2, 4]);
    expect([await skills.get("report"), await skills.names(), await skills.count()]).toEqual([undefined, [], 0]);
    expect(await skills.delete("report")).toEqual([]);
    expect((await skills.save(draft("report", { code: "five" }))).skill.version).toBe(5);
  });

  test("names and lists go by name; names of one language are those whose latest version is written in it", async () => {
    const skills = owners()();
    await skills.save(draft("b"));
    await skills.save(draft("c", { language: "python" }));
    await skills.save(draft("a"));
    expect(namesOf(await skills.list())).toEqual(["a", "b", "c"]);
    expect([await skills.names(), await skills.names("python"), await skills.names("typescript")]).toEqual([
      ["a", "b", "c"],
      ["c"],
      ["a", "b"],
    ]);
    expect(await skills.count()).toBe(3);
  });

  test("who has a limit changes what was saved within the same limit, and nothing else", async () => {
    const skills = owners()();
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
    expect(versionsOf(await skills.history("own"))).toEqual([3, 2, 1]);
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
    const skills = owners({ maxSkills: 2, maxVersions: 3, maxMb: 1 })();
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

  test("the text of all versions counts, in bytes", async () => {
    const skills = owners()();
    const drafts: SkillDraft[] = [draft("one", { code: "ü", tests: "t" }), draft("one", { tags: ["é"] }), draft("two")];
    for (const one of drafts) await skills.save(one);
    expect(await skills.usedBytes()).toBe(drafts.reduce((sum, one) => sum + textBytes(one), 0));
  });

  describe("search", () => {
    test("finds the latest versions that have a word, in whatever part; the one that is named so first", async () => {
      const skills = owners()();
      const filler = "and many other words that make a text long enough to be one";
      await skills.save(draft("in_code", { code: `const invoice = 1; // ${filler}` }));
      await skills.save(draft("in_text", { description: `Reads an invoice ${filler}` }));
      await skills.save(draft("in_tags", { tags: ["invoice", "money"] }));
      await skills.save(draft("invoice_total"));
      await skills.save(draft("unrelated"));
      await skills.save(draft("was_one", { description: "invoice" }));
      await skills.save(draft("was_one", { description: "no more" }));
      const found = namesOf(await skills.search(["invoice"], 10));
      expect([found[0], ...found.slice(1).sort()]).toEqual(["invoice_total", "in_code", "in_tags", "in_text"]);
      expect(namesOf(await skills.search(["invoice"], 1))).toEqual(["invoice_total"]);
      await skills.delete("invoice_total");
      expect(namesOf(await skills.search(["invoice"], 10)).sort()).toEqual(["in_code", "in_tags", "in_text"]);
    });

    test("finds those that have one of the words", async () => {
      const skills = owners()();
      await skills.save(draft("apples"));
      await skills.save(draft("pears"));
      expect(namesOf(await skills.search(["apples", "pears", "plums"], 10)).sort()).toEqual(["apples", "pears"]);
      expect([await skills.search(["plums"], 10), await skills.search([], 10)]).toEqual([[], []]);
    });

    test("finds words that only begin so, where none is found otherwise", async () => {
      const skills = owners()();
      await skills.save(draft("quarterly"));
      await skills.save(draft("quarry"));
      await skills.save(draft("one_quart"));
      expect(namesOf(await skills.search(["quart"], 10))).toEqual(["one_quart"]);
      expect(namesOf(await skills.search(["quar"], 10)).sort()).toEqual(["one_quart", "quarry", "quarterly"]);
    });
  });

  describe("files", () => {
    test("the mark of a file is kept with the version that the file has", async () => {
      const skills = owners()();
      await skills.save(draft("report", { code: "one" }), () => "mark 1");
      expect(await skills.files()).toEqual([
        { name: "report", mark: "mark 1", version: 1, latest: 1, problem: undefined },
      ]);
      await skills.save(draft("report", { code: "two" }), () => undefined);
      expect(await skills.files(["report"])).toMatchObject([{ mark: "mark 1", version: 1, latest: 2 }]);
      expect(await skills.files(["nothing"])).toEqual([]);
    });

    test("what is wrong with one is kept until it is in step; one that was never a skill is none", async () => {
      const skills = owners()();
      await skills.save(draft("report"), () => "mark 1");
      await skills.markFile("report", "mark 2", { problem: "it does not parse" });
      await skills.markFile("strange", "mark 3", { problem: "nor does it" });
      expect(await skills.files(["report"])).toMatchObject([
        { mark: "mark 2", version: 1, problem: "it does not parse" },
      ]);
      expect(await skills.files(["strange"])).toEqual([
        { name: "strange", mark: "mark 3", version: undefined, latest: undefined, problem: "nor does it" },
      ]);
      expect(namesOf(await skills.files()).sort()).toEqual(["report", "strange"]);
      expect([await skills.names(), await skills.count(), await skills.get("strange")]).toEqual([
        ["report"],
        1,
        undefined,
      ]);
      await skills.markFile("report", "mark 4", { version: 1 });
      expect(await skills.files(["report"])).toMatchObject([{ mark: "mark 4", version: 1, problem: undefined }]);
    });

    test("a save whose file cannot be put in place leaves nothing behind when that throws", async () => {
      const skills = owners()();
      const failing = skills.save(draft("report"), () => {
        throw new Error("no space");
      });
      await expect(failing).rejects.toThrow("no space");
      expect([await skills.names(), await skills.files()]).toEqual([[], []]);
    });

    test("one is put in place again for the latest version only", async () => {
      const skills = owners()();
      for (const code of ["one", "two"]) await skills.save(draft("report", { code }), () => code);
      const place = vi.fn(() => "again");
      await skills.refile("report", 1, place);
      await skills.refile("nothing", 1, place);
      expect(place).not.toHaveBeenCalled();
      await skills.refile("report", 2, () => undefined);
      expect(await skills.files()).toMatchObject([{ mark: "two", version: 2 }]);
      await skills.refile("report", 2, place);
      expect(await skills.files()).toMatchObject([{ mark: "again", version: 2 }]);
    });

    test("that of a skill goes when nothing is left of it", async () => {
      const skills = owners()();
      for (const code of ["one", "two"]) await skills.save(draft("report", { code }), () => code);
      const whenGone = vi.fn();
      await skills.delete("report", { version: 1, whenGone });
      await skills.delete("nothing", { whenGone });
      expect(whenGone).not.toHaveBeenCalled();
      const failing = skills.delete("report", {
        whenGone() {
          throw new Error("it is in use");
        },
      });
      await expect(failing).rejects.toThrow("it is in use");
      expect(await skills.names()).toEqual(["report"]);
      await skills.delete("report", { whenGone });
      expect(whenGone).toHaveBeenCalledOnce();
      const left = await skills.files(["report"]);
      expect(left.filter(({ mark, version, latest }) => mark ?? version ?? latest)).toEqual([]);
    });
  });

  test("of many saves at once each has a version of its own", async () => {
    const open = owners();
    const stores = [open(), open()];
    const codes = Array.from({ length: 10 }, (_, number) => `code ${number}`);
    const saved = await Promise.all(codes.map((code, number) => stores[number % 2]?.save(draft("report", { code }))));
    const numbers = saved.map((one) => one?.skill.version ?? 0);
    expect(numbers.sort((left, right) => left - right)).toEqual(codes.map((_, index) => index + 1));
  });

  test("what belongs to one owner is not another's, also under the same name", async () => {
    const open = owners({ maxSkills: 1, maxVersions: 2, maxMb: 1 });
    const [ours, theirs] = [open("ours"), open("theirs")];
    await ours.save(draft("same", { code: "ours" }), () => "our mark");
    expect([await theirs.get("same"), await theirs.peek("same", 1)]).toEqual([undefined, undefined]);
    expect([await theirs.list(), await theirs.history("same"), await theirs.names()]).toEqual([[], [], []]);
    expect([await theirs.files(), await theirs.search(["same"], 9)]).toEqual([[], []]);
    expect([await theirs.count(), await theirs.usedBytes(), await theirs.delete("same")]).toEqual([0, 0, []]);
    await theirs.refile("same", 1, () => "their mark");
    // Neither the numbers nor the room are shared.
    expect((await theirs.save(draft("same", { code: "theirs" }))).skill.version).toBe(1);
    await theirs.markFile("same", "their mark", { problem: "theirs" });
    expect([(await ours.get("same"))?.code, (await theirs.get("same"))?.code]).toEqual(["ours", "theirs"]);
    expect(await ours.files()).toMatchObject([{ mark: "our mark", problem: undefined }]);
  });
});
