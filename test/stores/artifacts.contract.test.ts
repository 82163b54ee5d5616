import { afterEach, describe, expect, test, vi } from "vitest";
import type { Artifacts } from "../../src/runtime/results/artifacts.ts";
import { createArtifacts } from "../../src/store/files/artifacts.ts";
import { artifactFolders, createArtifactsInMemory } from "./in-memory/artifacts.ts";
import { temporaryFolder } from "./open-stores.ts";

// Every store of artifacts keeps to this.

afterEach(() => vi.useRealTimers());

interface Room {
  readonly maxMb?: number;
  readonly underWay?: readonly string[];
}

/** Opens the artifacts of an owner; all of one test share what is kept. */
type Owners = (principal?: string) => Artifacts;

const isUnderWayIn = (runs: readonly string[]) => async (run: string) => runs.includes(run);
const implementations: [string, (room?: Room) => Owners][] = [
  [
    "files",
    ({ maxMb = 10, underWay = [] } = {}) => {
      const home = temporaryFolder();
      return (principal = "local") => createArtifacts({ home, principal, maxMb, isUnderWay: isUnderWayIn(underWay) });
    },
  ],
  [
    "in memory",
    ({ maxMb = 10, underWay = [] } = {}) => {
      const folders = artifactFolders();
      return (principal = "local") =>
        createArtifactsInMemory({ folders, principal, maxMb, isUnderWay: isUnderWayIn(underWay) });
    },
  ],
];

const unknown = expect.objectContaining({ code: "artifact_unknown" });
const full = expect.objectContaining({ code: "storage_full" });

describe.each(implementations)("artifacts, %s", (_implementation, owners) => {
  describe("what a run saved", () => {
    test("is read back by its address", async () => {
      const artifacts = owners()();
      const saved = await artifacts.save("r1", "data/result.json", '[1, "é"]');
      expect(saved).toEqual({
        uri: "artifact://r1/data/result.json",
        run: "r1",
        name: "data/result.json",
        bytes: 9,
        mediaType: "application/json",
        saved: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
      expect(await artifacts.find(saved.uri)).toEqual(saved);
      expect(await artifacts.read(saved.uri)).toBe('[1, "é"]');
    });

    test("may be bytes, read whole or in parts", async () => {
      const artifacts = owners()();
      const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const { uri } = await artifacts.save("r1", "all.bin", bytes);
      bytes.fill(0);
      expect([...(await artifacts.readBytes(uri))]).toEqual(Array.from({ length: 256 }, (_, byte) => byte));
      const part = await artifacts.readChunks(uri, { offset: 250, limit: 100 });
      expect([part.length, ...Buffer.concat([...part.chunks])]).toEqual([6, 250, 251, 252, 253, 254, 255]);
      const few = await artifacts.readChunks(uri, { offset: 1, limit: 2 });
      expect([few.length, ...Buffer.concat([...few.chunks])]).toEqual([2, 1, 2]);
      const none = await artifacts.readChunks(uri, { offset: 300 });
      expect([none.length, ...none.chunks]).toEqual([0]);
    });

    test("is given in chunks of a length that three divides, but for the last", async () => {
      const artifacts = owners()();
      const data = Buffer.alloc(
        2_000_000,
        Uint8Array.from({ length: 251 }, (_, at) => at),
      );
      const { uri } = await artifacts.save("r1", "large.bin", data);
      const { length, chunks } = await artifacts.readChunks(uri, { offset: 7 });
      const got = [...chunks];
      expect(got.length).toBeGreaterThan(1);
      expect(got.slice(0, -1).filter((chunk) => chunk.length % 3 !== 0)).toEqual([]);
      expect([length, Buffer.concat(got).equals(data.subarray(7))]).toEqual([data.length - 7, true]);
    });

    test("is replaced by what the guest saves under the same name; a file of ours goes beside it", async () => {
      const artifacts = owners()();
      await artifacts.save("r1", "output.txt", "one");
      await artifacts.save("r1", "output.txt", "two");
      const ours = await artifacts.keep("r1", "output.txt", "ours");
      expect(ours.name).not.toBe("output.txt");
      expect([await artifacts.read("artifact://r1/output.txt"), await artifacts.read(ours.uri)]).toEqual([
        "two",
        "ours",
      ]);
      expect((await artifacts.keep("r2", "output.txt", "ours")).name).toBe("output.txt");
      expect(await artifacts.used()).toMatchObject({ bytes: 3 + 4 + 4, files: 3 });
    });
  });

  describe("a file that is written bit by bit", () => {
    test("is there when it is finished, beside what the guest saved under its name", async () => {
      const artifacts = owners()();
      await artifacts.save("r1", "stdout.txt", "the guest's");
      const draft = await artifacts.begin("r1", "stdout.txt");
      await draft.append(Buffer.from("one "));
      await draft.append(Buffer.from("two"));
      expect((await artifacts.list({ limit: 9 })).map(({ name }) => name)).toEqual(["stdout.txt"]);
      const { uri, bytes } = await draft.finish();
      expect([bytes, await artifacts.read(uri)]).toEqual([7, "one two"]);
      expect(await artifacts.read("artifact://r1/stdout.txt")).toBe("the guest's");
      expect(await artifacts.used()).toMatchObject({ bytes: 11 + 7, files: 2 });
    });

    test("may be larger than one that a guest saves", async () => {
      const artifacts = owners({ maxMb: 50 })();
      const draft = await artifacts.begin("r1", "stdout.txt");
      for (let piece = 0; piece < 40; piece++) await draft.append(Buffer.alloc(1_000_000, "x"));
      expect((await draft.finish()).bytes).toBe(40_000_000);
    });

    test("takes the room of the oldest runs; where there is none, what came before stays", async () => {
      const artifacts = owners({ maxMb: 1, underWay: ["r2"] })();
      await artifacts.save("r1", "a", Buffer.alloc(400_000));
      await artifacts.save("r2", "a", Buffer.alloc(400_000));
      const draft = await artifacts.begin("r3", "stdout.txt");
      await draft.append(Buffer.alloc(500_000));
      await expect(draft.append(Buffer.alloc(500_000))).rejects.toThrow(full);
      expect((await draft.finish()).bytes).toBe(500_000);
      expect((await artifacts.list({ limit: 9 })).map(({ run }) => run)).toEqual(["r3", "r2"]);
    });

    test("leaves nothing when it is discarded", async () => {
      const artifacts = owners({ maxMb: 1 })();
      const draft = await artifacts.begin("r1", "stdout.txt");
      await draft.append(Buffer.alloc(900_000));
      await draft.discard();
      expect(await artifacts.list({ limit: 9 })).toEqual([]);
      await artifacts.save("r2", "a", Buffer.alloc(900_000));
    });
  });

  test.each(["", "../up", ".hidden", "a//b", "a/b/c/d/e", "a\\b", "a\0b", "con"])(
    "the name %j is refused",
    async (name) => {
      const artifacts = owners()();
      await expect(artifacts.save("r1", name, "")).rejects.toMatchObject({ code: "input_invalid" });
      expect(await artifacts.list({ limit: 9 })).toEqual([]);
    },
  );

  test.each([
    "artifact://r1/missing.json",
    "artifact://../r1",
    "artifact://r1/../../coordinator.db",
    "artifact://r1/.hidden",
    "artifact://r1/a//b",
    "artifact://r1/a/",
    "artifact://r1/a/b/c/d/e",
    "artifact://r1/a\\b",
    "artifact://.partial/1-1",
    "file:///etc/passwd",
    "artifact://r1/a\0b",
  ])("%j is unknown", async (address) => {
    const artifacts = owners()();
    await artifacts.save("r1", "a/b/c/d", "");
    await expect(artifacts.find(address)).rejects.toThrow(unknown);
    await expect(artifacts.read(address)).rejects.toThrow(unknown);
    await expect(artifacts.readBytes(address)).rejects.toThrow(unknown);
    await expect(artifacts.readChunks(address, { offset: 0 })).rejects.toThrow(unknown);
  });

  test("a list has the newest run first, or one run, and no more than asked for", async () => {
    const artifacts = owners()();
    for (const [run, name] of [
      ["r1", "b"],
      ["r1", "a/c"],
      ["r2", "z"],
    ] as const)
      await artifacts.save(run, name, name);
    const names = async (of: object) =>
      (await artifacts.list({ limit: 9, ...of })).map(({ uri }) => uri.slice("artifact://".length));
    expect(await names({})).toEqual(["r2/z", "r1/a/c", "r1/b"]);
    expect(await names({ run: "r1" })).toEqual(["r1/a/c", "r1/b"]);
    expect([await names({ limit: 1 }), await names({ run: ".." }), await names({ run: "r9" })]).toEqual([
      ["r2/z"],
      [],
      [],
    ]);
  });

  describe("room", () => {
    const data = Buffer.alloc(400_000);
    const runsIn = async (artifacts: Artifacts) => (await artifacts.list({ limit: 9 })).map(({ run }) => run);

    test("is made by removing the oldest runs that are over", async () => {
      const artifacts = owners({ maxMb: 1, underWay: ["r2"] })();
      for (const run of ["r1", "r2", "r3"]) await artifacts.save(run, "a", data);
      expect(await runsIn(artifacts)).toEqual(["r3", "r2"]);
    });

    test("is not made at the cost of the run that saves, nor of others under way", async () => {
      const artifacts = owners({ maxMb: 1, underWay: ["r1"] })();
      for (const run of ["r1", "r2"]) await artifacts.save(run, "a", data);
      await expect(artifacts.save("r2", "b", data)).rejects.toThrow(full);
      expect(await runsIn(artifacts)).toEqual(["r2", "r1"]);
      // What replaces a file needs no more.
      await artifacts.save("r2", "a", data);
    });

    test("is judged one after the other for many that save at once", async () => {
      const artifacts = owners({ maxMb: 1, underWay: ["r1"] })();
      const saving = ["a", "b", "c", "d"].map((name) => artifacts.save("r1", name, data));
      const saved = await Promise.allSettled(saving);
      expect(saved.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
    });
  });

  test("the files of runs that are older than so many days are removed", async () => {
    const artifacts = owners()();
    await artifacts.prune(30);
    const { uri } = await artifacts.save("r1", "stdout.txt", "old");
    const in29Days = Date.now() + 29 * 24 * 60 * 60 * 1000;
    vi.useFakeTimers({ now: in29Days, toFake: ["Date"] });
    await artifacts.prune(30);
    expect(await artifacts.read(uri)).toBe("old");
    vi.setSystemTime(in29Days + 2 * 24 * 60 * 60 * 1000);
    await artifacts.prune(30);
    await expect(artifacts.read(uri)).rejects.toThrow(unknown);
  });

  test("what belongs to one owner is not another's, also of a run of the same name", async () => {
    const open = owners({ maxMb: 1 });
    const [ours, theirs] = [open("ours"), open("theirs")];
    const { uri } = await ours.save("r1", "a", Buffer.alloc(900_000));
    expect([await theirs.list({ limit: 9 }), await theirs.list({ run: "r1", limit: 9 })]).toEqual([[], []]);
    await expect(theirs.find(uri)).rejects.toThrow(unknown);
    await expect(theirs.read(uri)).rejects.toThrow(unknown);
    // Neither takes the other's room.
    await theirs.save("r2", "a", Buffer.alloc(900_000));
    await theirs.prune(30);
    expect([(await ours.find(uri)).bytes, await ours.used()]).toMatchObject([900_000, { bytes: 900_000, files: 1 }]);
  });
});
