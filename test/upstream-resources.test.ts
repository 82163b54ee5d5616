import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import type { RunDetail } from "../src/door/journal.ts";
import type { Language } from "../src/sandbox/engine.ts";
import { folder, openCoordinator, ownServer } from "./open-coordinator.ts";

// Resources and prompts of the upstreams, as guests of both languages use them.

let coordinator: Coordinator;
beforeAll(async () => {
  const gone = { command: join(folder, "no-such-program") };
  const mcpServers = { content: ownServer("content-server"), twin: ownServer("content-server"), gone };
  coordinator = await openCoordinator({ mcpServers });
});

const execute = (language: Language, body: string, servers?: string[]) => {
  const imports = {
    typescript: 'import { artifacts, prompts, resources } from "coordinator";',
    python: "from coordinator import artifacts, prompts, resources",
  };
  return coordinator.execute({ language, code: `${imports[language]}\n${body}`, servers });
};
const resultOf = async (language: Language, body: string, servers?: string[]): Promise<unknown> => {
  const { status, result, error } = await execute(language, body, servers);
  return status === "ok" ? result : { status, error };
};

describe.each<Language>(["typescript", "python"])("%s", (language) => {
  const programs = (typescript: string, python: string) => ({ typescript, python })[language];

  test("lists every page of a server's resources, templates and prompts", async () => {
    const lists = programs(
      `const of = { server: "content" };
       [await resources.list(of), await resources.templates(of), await prompts.list(of)]`,
      `[resources.list(server="content"), resources.templates(server="content"), prompts.list(server="content")]`,
    );
    const picture = {
      uri: "picture://1",
      name: "a picture",
      mimeType: "image/png",
      _meta: { "example.org/by": "Ada" },
    };
    const notes = Array.from({ length: 5 }, (_, index) => ({ uri: `note://${index}`, name: `note ${index}` }));
    const own = (entry: object) => ({ ...entry, server: "content" });
    expect(await resultOf(language, lists)).toEqual([
      { resources: [...notes, picture].map(own), failed: [] },
      { templates: [{ uriTemplate: "note://{id}", name: "a note" }].map(own), failed: [] },
      {
        prompts: [
          own({ name: "review", description: "Review code", arguments: [{ name: "code", required: true }] }),
          own({ name: "greet", description: "Say hello" }),
        ],
        failed: [],
      },
    ]);
  });

  test("lists those of all servers, and says which could not be asked", async () => {
    const all = programs("await resources.list()", "resources.list()");
    expect(await resultOf(language, all)).toMatchObject({
      resources: { length: 12, 0: { server: "content" }, 11: { server: "twin" } },
      failed: [{ server: "gone", message: expect.stringContaining("no-such-program") }],
    });
  });

  test("reads text and bytes, and saves what was read", async () => {
    const read = programs(
      `const note = await resources.read("note://7", { server: "content" });
       const { contents: [picture] } = await resources.read("picture://1", { server: "content" });
       const { uri } = await artifacts.save("picture.png", picture);
       const text = await artifacts.save("note.txt", note.contents[0]);
       [note, [...(await artifacts.read_bytes(uri))], await artifacts.read(text.uri)]`,
      `note = resources.read("note://7", server="content")
[picture] = resources.read("picture://1", server="content")["contents"]
uri = artifacts.save("picture.png", picture)["uri"]
text = artifacts.save("note.txt", note["contents"][0])["uri"]
[note, list(artifacts.read_bytes(uri)), artifacts.read(text)]`,
    );
    expect(await resultOf(language, read)).toEqual([
      { contents: [{ uri: "note://7", mimeType: "text/plain", text: "This is note://7" }] },
      [...Buffer.from("hi")],
      "This is note://7",
    ]);
  });

  test("gets a prompt with its arguments", async () => {
    const get = programs(
      'await prompts.get("review", { code: "x = 1" }, { server: "twin" })',
      'prompts.get("review", {"code": "x = 1"}, server="twin")',
    );
    expect(await resultOf(language, get)).toEqual({
      description: "review",
      messages: [{ role: "user", content: { type: "text", text: "Please review: x = 1" } }],
    });
  });

  test("is told what failed, and whether the server may have acted", async () => {
    const caught = programs(
      `import { ToolError } from "mcp_tools";
       let seen: unknown;
       try { await resources.read("nowhere://1", { server: "content" }) }
       catch (error) { if (error instanceof ToolError) seen = [error.server, error.tool, error.delivery, error.message] }
       seen`,
      `from mcp_tools import ToolError
try:
    resources.read("nowhere://1", server="content")
except ToolError as error:
    seen = [error.server, error.tool, error.delivery, error.message]
seen`,
    );
    expect(await resultOf(language, caught)).toEqual([
      ...["content", "resources/read", "failed"],
      expect.stringMatching(/^Cannot read the resource "nowhere:\/\/1" of upstream "content": .*There is no nowhere/),
    ]);
  });
});

test("the server of an address or a prompt is found where only one has it", async () => {
  const read = `[(await resources.read("note://3")).contents[0].text, (await prompts.get("greet")).messages.length]`;
  expect(await resultOf("typescript", read, ["content"])).toEqual(["This is note://3", 1]);
  // By the beginning of a template, among two that can be asked.
  expect(await resultOf("typescript", `(await resources.read("note://99")).contents.length`, ["content", "gone"])).toBe(
    1,
  );
  for (const call of ['resources.read("note://3")', 'prompts.get("greet")']) {
    const { error } = await execute("typescript", `await ${call}`);
    expect(error?.message).toMatch(/^Cannot tell whose .* content and twin have /);
  }
  const { error } = await execute("typescript", 'await resources.read("nowhere://1")');
  expect(error?.message).toContain("no server lists it; gone could not be asked");
});

test("a run reaches only its servers, and each request is in the journal", async () => {
  const { error, run } = await execute("typescript", 'await resources.read("note://1", { server: "twin" })', [
    "content",
  ]);
  expect(error).toMatchObject({ code: "tool_denied", message: 'This run may not use the server "twin"' });
  expect(((await coordinator.run("get_run", { run })) as RunDetail).toolCalls).toMatchObject([
    { server: "twin", tool: "resources/read", outcome: "refused", error: 'This run may not use the server "twin"' },
  ]);
  const read = await execute("typescript", 'await resources.read("note://1", { server: "twin" })');
  const { toolCalls } = (await coordinator.run("get_run", { run: read.run })) as RunDetail;
  expect(toolCalls).toMatchObject([
    { server: "twin", tool: "resources/read", args: '{"uri":"note://1"}', outcome: "ok" },
  ]);
});

test("code that may call only some tools reads nothing else", async () => {
  const code = 'import { prompts } from "coordinator"; await prompts.get("greet", {}, { server: "content" })';
  const { error } = await coordinator.execute({ code, tools: [{ server: "content", tool: "act" }] });
  expect(error).toMatchObject({ code: "tool_denied", message: expect.stringContaining("read nothing else") });
});

test("a server has none where it declares none, or does not know the method that it declares", async () => {
  // The first answers nothing to what it does not know; the second says that it has prompts, and that there is no such method.
  const liar = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = { protocolVersion: params?.protocolVersion, capabilities: { prompts: {} }, serverInfo: { name: "liar", version: "1" } };
    const answer = method === "initialize" ? { result } : { error: { code: -32601, message: "Method not found" } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  })`;
  const mcpServers = { silent: ownServer("data-server"), liar: { command: process.execPath, args: ["-e", liar] } };
  await using other = await openCoordinator({ mcpServers, home: "without" });
  expect(await other.run("list_prompts", {})).toEqual({ prompts: [], failed: [] });
});
