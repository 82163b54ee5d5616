import { expect, test, vi } from "vitest";
import { artifactOperations } from "../../src/operations/artifacts.ts";
import { JsonPieces } from "../../src/sandbox/json-pieces.ts";
import { createServices, runnerOf } from "./services.ts";

// What reads lines and JSON does so in a thread of its own: test/artifacts.test.ts has it.

async function open() {
  const { services, artifacts } = await createServices();
  return { run: runnerOf(artifactOperations(services)), artifacts };
}

const inRun = { run: { id: "r1", language: "typescript" } } as const;
const base64 = Buffer.from([0, 255, 128]).toString("base64");

test.each<[string, unknown, string | number[]]>([
  ["text", "é", "é"],
  ["bytes", { base64 }, [0, 255, 128]],
  ["an image of a tool", { type: "image", data: base64, mimeType: "image/png" }, [0, 255, 128]],
  ["a resource of a tool", { type: "resource", resource: { uri: "a:b", blob: base64 } }, [0, 255, 128]],
  ["a text resource", { type: "resource", resource: { uri: "a:b", text: "note" } }, "note"],
  ["what reading a resource gives", { uri: "a:b", mimeType: "text/plain", text: "note" }, "note"],
  ["what is not base64", { base64: "?" }, '{"base64":"?"}'],
  ["data", { rows: [1, null] }, '{"rows":[1,null]}'],
  ["nothing", null, "null"],
])("%s is saved as what it is", async (_what, data, expected) => {
  const { run, artifacts } = await open();
  const bytes = Buffer.from(typeof expected === "string" ? expected : Uint8Array.from(expected));
  expect(await run("save_artifact", { name: "a.bin", data }, inRun)).toEqual({
    uri: "artifact://r1/a.bin",
    bytes: bytes.length,
    mediaType: "application/octet-stream",
  });
  expect(await artifacts.readBytes("artifact://r1/a.bin")).toEqual(bytes);
});

test("only a run saves, under a name that can be a file, and what it is about to write counts", async () => {
  const { run, artifacts } = await open();
  const willStore = vi.fn();
  const invalid = { code: "input_invalid" };
  await expect(run("save_artifact", { name: "a", data: "x" })).rejects.toMatchObject(invalid);
  await expect(run("save_artifact", { name: "../a", data: "x" }, inRun)).rejects.toMatchObject(invalid);
  await expect(run("save_artifact", { name: "a" }, inRun)).rejects.toMatchObject(invalid);
  await run("save_artifact", { name: "a", data: "éé" }, { ...inRun, willStore });
  expect(willStore.mock.calls).toEqual([[4]]);
  willStore.mockImplementation(() => {
    throw new Error("too much");
  });
  await expect(run("save_artifact", { name: "b", data: "x" }, { ...inRun, willStore })).rejects.toThrow("too much");
  expect(await artifacts.list({ limit: 9 })).toHaveLength(1);
});

test("a file that comes in parts is there with its last one", async () => {
  const { run, artifacts } = await open();
  const send = (data: string, last: boolean, upload = "one") =>
    run("save_artifact", { name: `${upload}.txt`, data, part: { upload, last } }, inRun);
  expect(await send("first, ", false)).toMatchObject({ uri: "" });
  await send("other", false, "two");
  expect(await artifacts.list({ limit: 9 })).toEqual([]);
  expect(await send("last", true)).toMatchObject({ uri: "artifact://r1/one.txt", bytes: 11 });
  expect(await artifacts.read("artifact://r1/one.txt")).toBe("first, last");
  await send("again", true);
  expect(await artifacts.read("artifact://r1/one.txt")).toBe("again");
});

test("text is read whole or in pages of characters", async () => {
  const { run, artifacts } = await open();
  const { uri } = await artifacts.save("r1", "a.txt", "äbcdef");
  expect(await run("read_artifact", { uri })).toBe("äbcdef");
  expect(await run("read_artifact", { uri, offset: 1, limit: 2 })).toBe("bc");
  expect(await run("read_artifact", { uri, offset: 99 })).toBe("");
});

test("bytes are read whole or in part; a guest gets them in pieces of JSON", async () => {
  const { run, artifacts } = await open();
  const data = Buffer.alloc(1_000_000, "a\0\xff\n", "latin1");
  const { uri } = await artifacts.save("r1", "a.bin", data);
  expect(await run("read_artifact_bytes", { uri, offset: 2, limit: 3 })).toEqual({
    base64: data.subarray(2, 5).toString("base64"),
  });
  const pieces = await run("read_artifact_bytes", { uri }, inRun);
  expect(pieces).toBeInstanceOf(JsonPieces);
  const text = Buffer.concat(pieces instanceof JsonPieces ? [...pieces.pieces] : []).toString();
  expect(text).toBe(JSON.stringify({ base64: data.toString("base64") }));
});

test("the newest run is listed first, or the files of one run", async () => {
  const { run, artifacts } = await open();
  for (const id of ["r1", "r2"]) await artifacts.save(id, "a.txt", id);
  const uris = async (of: object) => ((await run("list_artifacts", of)) as { uri: string }[]).map(({ uri }) => uri);
  expect(await uris({})).toEqual(["artifact://r2/a.txt", "artifact://r1/a.txt"]);
  expect([await uris({ run: "r1" }), await uris({ limit: 1 })]).toEqual([
    ["artifact://r1/a.txt"],
    ["artifact://r2/a.txt"],
  ]);
});

test.each(["read_artifact", "read_artifact_bytes"])("%s says which artifact is unknown", async (name) => {
  const { run } = await open();
  await expect(run(name, { uri: "artifact://r1/gone" })).rejects.toMatchObject({ code: "artifact_unknown" });
});
