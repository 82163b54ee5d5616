import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Connected, connect, createHome, createWire, server, spawnGateway } from "./connect.ts";

// Images, audio and resources that a guest returns, or a tool sends, as clients of all versions of the protocol get them.

const home = createHome({ content: server("content-server") });
const marks = { annotations: { audience: ["user"] }, _meta: { "example.org/page": 3 } };
const image = { type: "image", data: "aGk=", mimeType: "image/png", ...marks };
const audio = { type: "audio", data: "aGk=", mimeType: "audio/wav" };
const note = { type: "resource", resource: { uri: "note://1", mimeType: "text/plain", text: "one" } };
const blob = { type: "resource", resource: { uri: "data://1", blob: "aGk=" } };
const link = { type: "resource_link", uri: "note://2", name: "two" };
const hologram = { type: "hologram", beams: 2 };
const all = [image, audio, note, blob, link, hologram];

interface Answer {
  readonly content: readonly { type: string; text?: string; uri?: string }[];
  readonly structuredContent: { readonly result?: unknown; readonly artifacts?: string[]; readonly run?: string };
  readonly _meta?: object;
  readonly isError?: boolean;
}

const without = (answer: Answer, type: string) => answer.content.filter((item) => item.type !== type);
const execute = (items: unknown) => ({ name: "execute_code", arguments: { code: `(${JSON.stringify(items)})` } });
const give = (result: unknown) => ({
  name: "call_tool",
  arguments: { server_name: "content", tool_name: "give", arguments: { json: JSON.stringify(result) } },
});

describe.each([true, false])("a client of the newest protocol: %s", (modern) => {
  let gateway: Connected;
  let call: (params: { name: string; arguments: object }) => Promise<Answer>;
  beforeAll(async () => {
    gateway = await connect(home, { modern, args: ["--toolsets", "code,discovery"] });
    call = ({ name, arguments: args }) => gateway.call(name, args) as Promise<Answer>;
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test("gets what a guest returns as content, and a result that refers to it", async () => {
    const answer = await call(execute({ rows: 3, items: all }));
    const { run, result, artifacts } = answer.structuredContent;
    const [shown, ...content] = answer.content;
    expect(shown?.text?.split("\n")[0]).toBe(
      JSON.stringify({
        rows: 3,
        items: [
          "[image 1: image/png, 2 bytes]",
          "[audio 2: audio/wav, 2 bytes]",
          "[resource 3: note://1, text/plain, 3 bytes]",
          "[resource 4: data://1, 2 bytes]",
          "[resource_link 5: note://2]",
          hologram,
        ],
      }),
    );
    expect(content.slice(0, 5)).toEqual([image, audio, note, blob, link]);
    const files = ["audio-2.wav", "image-1.png", "resource-3.txt", "resource-4.bin"];
    expect(artifacts).toEqual(files.map((name) => `artifact://${run}/${name}`));
    expect(content.slice(5).map(({ uri }) => uri)).toEqual(artifacts);
    const at = (name: string) => ({ artifact: `artifact://${run}/${name}`, bytes: name.endsWith("txt") ? 3 : 2 });
    const { data: _data, ...picture } = image;
    expect(result).toMatchObject({
      rows: 3,
      items: [
        { ...picture, ...at("image-1.png") },
        at("audio-2.wav"),
        at("resource-3.txt"),
        at("resource-4.bin"),
        link,
        hologram,
      ],
    });
    expect(JSON.stringify(answer.structuredContent)).not.toContain("aGk=");
  });

  test("gets a lone picture of Python as a picture", async () => {
    const code = "from mcp_tools import rest_of\nfrom mcp_tools.content import act\nrest_of(act())['content'][0]";
    const answer = await call({ name: "execute_code", arguments: { code, language: "python" } });
    expect(answer.content[0]?.text).toMatch(/^\[image 1: image\/png, 2 bytes\]\n\[saved: artifact:/);
    expect(answer.content[1]).toEqual({ type: "image", data: "aGk=", mimeType: "image/png" });
  });

  test("gets what call_tool brings as it came, types that it does not know as text", async () => {
    const meta = { "example.org/cost": 3 };
    const answer = await call(give({ content: all, structuredContent: { a: 1 }, _meta: meta }));
    expect(answer.content).toEqual([image, audio, note, blob, link, { type: "text", text: JSON.stringify(hologram) }]);
    expect([answer.structuredContent, answer._meta]).toMatchObject([{ a: 1 }, meta]);
    const failed = await call(
      give({ isError: true, content: [{ type: "text", text: "no" }, image], structuredContent: [1] }),
    );
    expect(failed.content).toEqual([{ type: "text", text: "no" }, image]);
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { error: { result: { structuredContent: [1] } } },
    });
  });
});

test("a client of an old protocol gets what it knows, and the rest by its address", async () => {
  const child = spawnGateway(home, ["--toolsets", "code,discovery"]);
  const { send, initialize } = createWire(child);
  await initialize("2024-11-05");
  const call = async (params: object) => ((await send("tools/call", params)) as { result: Answer }).result;
  const answer = await call(execute(all));
  expect(answer.content.slice(1)).toEqual([image, note, blob]);
  expect(answer.content[0]?.text).toMatch(
    /audio 2: audio\/wav.*resource_link 5: note:\/\/2.*\n\[saved: artifact:.*audio-2\.wav/,
  );
  const direct = await call(give({ content: all }));
  expect(direct.content.map(({ type }) => type)).toEqual(["image", "text", "resource", "resource", "text", "text"]);
  expect(without(direct, "image")[0]?.text).toBe(JSON.stringify(audio));
  child.kill();
});

describe("what is too large for an answer", () => {
  let gateway: Connected;
  beforeAll(async () => {
    gateway = await connect(home);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test.each([
    ["typescript", '({ type: "image", mimeType: "image/png", data: Buffer.alloc(3_000_000, 7).toString("base64") })'],
    [
      "python",
      'import base64\n{"type": "image", "mimeType": "image/png", "data": base64.b64encode(bytes(3_000_000)).decode()}',
    ],
  ])("is a file in %s, and the answer says why", async (language, code) => {
    const answer = (await gateway.call("execute_code", { code, language })) as Answer;
    const address = `artifact://${answer.structuredContent.run}/image-1.png`;
    expect(answer.content[0]?.text).toContain(
      `[image 1: image/png, 3000 kB; not shown here: an answer has at most 600 kB of them; it is in ${address}]`,
    );
    expect(without(answer, "text")).toMatchObject([{ type: "resource_link", uri: address, size: 3_000_000 }]);
  });

  test("is shown though what stands beside it is too long for the answer", async () => {
    const code = '({ type: "image", mimeType: "image/png", data: "aGk=", caption: "x".repeat(2_000_000) })';
    const { structuredContent, content } = (await gateway.call("execute_code", { code })) as Answer;
    expect(structuredContent).toMatchObject({
      status: "ok",
      truncated: [{ of: "result", shown: 3, total: 4, unit: "keys" }],
    });
    expect(content.filter(({ type }) => type === "image")).toMatchObject([{ data: "aGk=" }]);
  });

  test("more than eight, drawings, and long texts are named with their addresses", async () => {
    const many = [
      ...Array.from({ length: 9 }, () => image),
      { ...image, mimeType: "image/svg+xml" },
      { type: "resource", resource: { uri: "note://1", text: "long ".repeat(5000) } },
    ];
    const answer = (await gateway.call("execute_code", execute(many).arguments)) as Answer;
    expect(answer.content.filter(({ type }) => type === "image")).toHaveLength(8);
    expect(answer.content[0]?.text).toMatch(/image 9: .*at most 8; it is in artifact:.*image 10: .*models do not take/);
    expect(answer.content[0]?.text).toMatch(/resource 11: .*at most 8/);
  });
});

test("what is noted on an item in a way that clients refuse does not keep it from them", async () => {
  await using gateway = await connect(home);
  const odd = { type: "image", data: "aGk=", mimeType: "image/png", annotations: { priority: 5 } };
  const answer = (await gateway.call("execute_code", execute(odd).arguments)) as Answer;
  expect(answer.content[1]).toEqual({ type: "image", data: "aGk=", mimeType: "image/png" });
  expect(answer.structuredContent.result).toMatchObject({ annotations: { priority: 5 } });
});

test("what only looks like an image stays data", async () => {
  await using gateway = await connect(home);
  const odd = [{ type: "image", data: "not base64!", mimeType: "image/png" }, { type: "image" }, { type: "resource" }];
  const answer = (await gateway.call("execute_code", execute(odd).arguments)) as Answer;
  expect(answer.content).toEqual([{ type: "text", text: JSON.stringify(odd) }]);
  expect(answer.structuredContent.result).toEqual(odd);
});
