import { describe, expect, test } from "vitest";
import { createArtifactsInMemory } from "../../../test/stores/in-memory/artifacts.ts";
import { createPrintout } from "./printout.ts";

function printoutOf({ held = 10, mostBytes = 1000, maxMb = 10 } = {}) {
  const artifacts = createArtifactsInMemory({ maxMb });
  return { artifacts, printout: createPrintout({ held, mostBytes, begin: (name) => artifacts.begin("r1", name) }) };
}

describe("what is printed", () => {
  test("is held while it is short", async () => {
    const { artifacts, printout } = printoutOf();
    printout.print("stdout", "one\n");
    printout.print("stdout", "two\n");
    const { stdout, stderr } = await printout.finish();
    expect(stdout).toEqual({ head: "one\ntwo\n", tail: "one\ntwo\n", characters: 8, bytes: 8 });
    expect(stderr.characters).toBe(0);
    expect(await artifacts.list({ limit: 9 })).toEqual([]);
  });

  test("is whole in a file when it is longer, and its start and end are held", async () => {
    const { artifacts, printout } = printoutOf();
    for (const text of ["start ", "ü".repeat(20), " end"]) await printout.print("stdout", text);
    const { stdout } = await printout.finish();
    expect(stdout).toEqual({
      head: "start üüüü",
      tail: "üüüüüü end",
      characters: 30,
      bytes: 50,
      artifact: "artifact://r1/stdout.txt",
    });
    expect(await artifacts.read("artifact://r1/stdout.txt")).toBe(`start ${"ü".repeat(20)} end`);
  });

  test("is counted past the limit, which both streams share, and kept up to it in whole characters", async () => {
    const { artifacts, printout } = printoutOf({ mostBytes: 20 });
    await printout.print("stdout", "ü".repeat(8));
    await printout.print("stderr", "abcü€");
    await printout.print("stdout", "the end");
    const { stdout, stderr } = await printout.finish();
    const dropped = (bytes: number) => ({ bytes, setting: "coordinator.sandbox.limits.outputBytes" });
    expect(stderr).toMatchObject({ head: "abcü€", tail: "abcü€", characters: 5, dropped: dropped(5) });
    expect(await artifacts.read("artifact://r1/stderr.txt")).toBe("abc");
    expect(stdout).toMatchObject({ characters: 15, tail: "üüüthe end", dropped: dropped(7) });
    expect(await artifacts.read("artifact://r1/stdout.txt")).toBe("ü".repeat(8));
  });

  test("that there is no room for is dropped, and the setting of the room is named", async () => {
    const { artifacts, printout } = printoutOf({ mostBytes: 10_000_000, maxMb: 1 });
    for (let piece = 0; piece < 5; piece++) await printout.print("stdout", "x".repeat(300_000));
    const { stdout } = await printout.finish();
    expect(stdout.dropped).toEqual({ bytes: 600_000, setting: "coordinator.artifacts.maxMb" });
    expect((await artifacts.find("artifact://r1/stdout.txt")).bytes).toBe(900_000);
  });

  test("leaves nothing when it is discarded", async () => {
    const { artifacts, printout } = printoutOf();
    await printout.print("stdout", "x".repeat(100));
    await printout.discard();
    expect(await artifacts.list({ limit: 9 })).toEqual([]);
  });
});

describe("a result in parts", () => {
  test("is a file", async () => {
    const { artifacts, printout } = printoutOf();
    for (const part of ["[1,", "2]"]) await printout.addResult(part);
    expect((await printout.finish()).result).toMatchObject({ bytes: 5, artifact: "artifact://r1/result.json" });
    expect(await artifacts.read("artifact://r1/result.json")).toBe("[1,2]");
  });

  test("that is longer than it may be is not kept: it would not be JSON", async () => {
    const { artifacts, printout } = printoutOf({ mostBytes: 10 });
    for (const part of ["[1,2,3,4,", "5,6]"]) await printout.addResult(part);
    expect((await printout.finish()).result.artifact).toBeUndefined();
    expect(await artifacts.list({ limit: 9 })).toEqual([]);
  });
});
