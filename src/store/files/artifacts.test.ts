import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildKeeper, temporaryFolder } from "../sqlite/start-keeper.fixture.ts";
import { createArtifacts } from "./artifacts.ts";

const open = (home = temporaryFolder(), maxMb = 10, underWay: readonly string[] = []) =>
  createArtifacts({ home, maxMb, isUnderWay: async (run) => underWay.includes(run) });
const unknown = expect.objectContaining({ code: "artifact_unknown" });
const full = expect.objectContaining({ code: "storage_full" });
/** How often a process is killed; more on a machine with time. */
const kills = Number(process.env["KILLS"] ?? 5);

describe("what a run saved", () => {
  test("is read back by its address, by another process too", async () => {
    const home = temporaryFolder();
    const artifacts = open(home);
    const saved = await artifacts.save("r1", "data/result.json", '[1, "é"]');
    expect(saved).toMatchObject({
      uri: "artifact://r1/data/result.json",
      run: "r1",
      name: "data/result.json",
      bytes: 9,
      mediaType: "application/json",
    });
    expect(await open(home).find(saved.uri)).toEqual(saved);
    expect(await open(home).read(saved.uri)).toBe('[1, "é"]');
  });

  test("cannot be a file and a folder at once", async () => {
    const artifacts = open();
    await artifacts.save("r1", "a", "");
    const refused = expect.objectContaining({ code: "input_invalid", message: expect.stringContaining("at once") });
    await expect(artifacts.save("r1", "a/b", "")).rejects.toThrow(refused);
    await artifacts.save("r1", "c/d", "");
    await expect(artifacts.save("r1", "c", "")).rejects.toThrow(refused);
  });
});

test("of 10,000 files in 1,000 runs all are listed, or as many as wanted", async () => {
  const artifacts = open();
  for (let run = 0; run < 1000; run++) {
    for (let file = 0; file < 10; file++) await artifacts.save(`r${run}`, `${file}.txt`, "");
  }
  expect(await artifacts.list({ limit: 10_000 })).toHaveLength(10_000);
  expect(await artifacts.list({ limit: 50 })).toHaveLength(50);
}, 60_000);

describe("room", () => {
  const size = 400_000;
  const data = Buffer.alloc(size);

  test("that other processes took is seen at the start", async () => {
    const home = temporaryFolder();
    const before = open(home, 10);
    for (const run of ["r1", "r2", "r3"]) await before.save(run, "a", data);
    const artifacts = open(home, 1);
    await artifacts.prune(30);
    expect((await artifacts.list({ limit: 9 })).map(({ run }) => run)).toEqual(["r3", "r2"]);
  });

  test("is 32 MB for a file and 128 MB for a run, and what replaces a file needs no more", async () => {
    const artifacts = open(undefined, 1000);
    const most = Buffer.alloc(32_000_000);
    await expect(artifacts.save("r1", "a", Buffer.alloc(32_000_001))).rejects.toThrow(full);
    for (const name of ["a", "b", "c", "d"]) await artifacts.save("r1", name, most);
    await expect(artifacts.save("r1", "e", "x")).rejects.toThrow(full);
    await artifacts.save("r1", "d", most);
  });
});

test("one run saves so many files, however small", async () => {
  const home = temporaryFolder();
  const artifacts = open(home);
  await artifacts.save("r1", "f0", "");
  for (let index = 1; index < 1000; index++) writeFileSync(join(home, "artifacts", "local", "r1", `f${index}`), "");
  await expect(artifacts.save("r1", "more", "")).rejects.toThrow("one run may save 1000 files");
  await artifacts.save("r1", "f1", "replaced");
  expect(await open(home).used()).toMatchObject({ bytes: 8, files: 1000 });
});

test("the files of old runs are removed, and what killed processes left", async () => {
  const home = temporaryFolder();
  const artifacts = open(home);
  const [old, young] = [
    await artifacts.save("r2", "stdout.txt", "old"),
    await artifacts.save("r3", "stdout.txt", "young"),
  ];
  const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  utimesSync(join(home, "artifacts", "local", "r2"), longAgo, longAgo);
  const partial = join(home, "artifacts", "local", ".partial", "1-1");
  writeFileSync(partial, "half");
  utimesSync(partial, longAgo, longAgo);
  await artifacts.prune(30);
  expect(await artifacts.read(young.uri)).toBe("young");
  await expect(artifacts.read(old.uri)).rejects.toThrow(unknown);
  expect(existsSync(partial)).toBe(false);
});

describe("a process that is killed while it saves", () => {
  let keeper: ReturnType<typeof buildKeeper>;
  beforeAll(() => {
    keeper = buildKeeper();
  });
  afterAll(() => keeper.remove());

  test(
    `leaves every file that it acknowledged, and none that is half (${kills} times)`,
    async () => {
      for (let kill = 0; kill < kills; kill++) {
        const home = temporaryFolder();
        const said = await keeper.killAfter("save", home, Math.ceil(Math.random() * 200));
        const files = await open(home, 1000).list({ limit: 10_000 });
        const names = files.map(({ name }) => name);
        expect(said.filter((name) => !names.includes(name))).toEqual([]);
        expect(files.length - said.length).toBeLessThanOrEqual(1);
        const whole = Buffer.from(`${"x".repeat(100_000)}.`);
        const isWhole = (name: string) => readFileSync(join(home, "artifacts", "local", "r1", name)).equals(whole);
        expect(names.filter((name) => !isWhole(name))).toEqual([]);
        expect(readdirSync(join(home, "artifacts", "local")).sort()).toEqual([".partial", "r1"]);
      }
    },
    60_000 + kills * 5000,
  );
});
