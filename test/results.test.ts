import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { showRun } from "../src/runtime/results/run-result.ts";
import type { Language } from "../src/sandbox/engine.ts";
import { documented } from "./documented.ts";
import { folder, officialServer, openCoordinator, ownServer } from "./open-coordinator.ts";

// Whatever a server sends reaches the guest, in both languages: values, the rest of a result, whole results, and errors.

let coordinator: Coordinator;
beforeAll(async () => {
  const mcpServers = { content: ownServer("content-server"), everything: officialServer("everything") };
  coordinator = await openCoordinator({ mcpServers });
});

const resultOf = async (language: Language, code: string): Promise<unknown> => {
  const { status, result, error } = await coordinator.execute({ language, code });
  return status === "ok" ? result : { status, error };
};

/** A program of each language that has `json` and shows something as JSON text, so that no picture of it is shown as such. */
const show: Record<Language, (json: string, expression: string, names?: string) => string> = {
  typescript: (json, expression, names = "give") => `
    import { raw, rest_of } from "mcp_tools";
    import { ${names} } from "mcp_tools/content";
    const json = ${JSON.stringify(json)};
    JSON.stringify(${expression})`,
  python: (json, expression, names = "give") => `
import json as js
from mcp_tools import raw, rest_of
from mcp_tools.content import ${names}
json = ${JSON.stringify(json)}
js.dumps(${expression})`,
};
const calls: Record<Language, { value: string; rest: string; whole: string }> = {
  typescript: {
    value: "await give({ json })",
    rest: "rest_of(await give({ json }))",
    whole: "await raw(give, { json })",
  },
  python: { value: "give(json=json)", rest: "rest_of(give(json=json))", whole: "raw(give, json=json)" },
};

const text = (value: string) => ({ type: "text", text: value });
const marks = { annotations: { audience: ["user"], priority: 0.5 }, _meta: { "example.org/page": 3 } };
const everything = [
  { ...text("words"), ...marks },
  { type: "image", data: "aGk=", mimeType: "image/png", ...marks },
  { type: "audio", data: "aGk=", mimeType: "audio/wav" },
  { type: "resource", resource: { uri: "note://1", mimeType: "text/plain", text: "one", _meta: { size: 3 } } },
  { type: "resource", resource: { uri: "picture://1", mimeType: "image/png", blob: "aGk=" }, ...marks },
  { type: "resource_link", uri: "note://2", name: "two", description: "the second", size: 12 },
  { type: "hologram", beams: [1, 2], ...marks },
];

describe.each<Language>(["typescript", "python"])("%s", (language) => {
  test("a value that is nothing but an error is a value, and the answer says so once a tool", async () => {
    const failed = JSON.stringify({ content: [text('{"error":"fetch failed"}')] });
    const twice = `[${calls[language].value}, ${calls[language].value}]`;
    const run = await coordinator.execute({ language, code: show[language](failed, twice) });
    expect(JSON.parse(String(run.result))).toEqual([{ error: "fetch failed" }, { error: "fetch failed" }]);
    const notice =
      'content.give answered with nothing but an error: "fetch failed". Nothing was thrown: treat the call as failed, unless a look shows otherwise.';
    expect(run).toMatchObject({ status: "ok", notices: [notice], calls: { total: 2, failed: 0, suspect: 2 } });
    expect(showRun(run)).toMatch(/\n\[content\.give answered .* a look shows otherwise\.\]$/);
  });

  const read = async (result: unknown, what: keyof (typeof calls)[Language]): Promise<unknown> =>
    JSON.parse((await resultOf(language, show[language](JSON.stringify(result), calls[language][what]))) as string);

  test("gets content of every type, known or not, with all that is noted on it", async () => {
    expect(await read({ content: everything }, "value")).toEqual(["words", ...everything.slice(1)]);
    expect(await read({ content: everything }, "rest")).toEqual({ content: everything });
  });

  test("gets structured content as the value, and the rest beside it without a second call", async () => {
    const result = { content: everything, structuredContent: { rows: 2 }, ...marks };
    expect(await read(result, "value")).toEqual({ rows: 2 });
    expect(await read(result, "rest")).toEqual({ content: everything, _meta: marks._meta });
    expect(await read({ content: [text("[1]")], structuredContent: [1] }, "rest")).toEqual({ content: [] });
  });

  test("gets the whole result when it asks for it, fields of tomorrow included", async () => {
    const result = { content: everything, structuredContent: ["a"], _meta: marks._meta, "example.org/more": { a: 1 } };
    expect(await read(result, "whole")).toEqual(result);
  });

  test("gets structured content of each JSON type, and knows its type before the run", async () => {
    const names = "numbers, title, count, nothing, flag, record";
    const all = {
      typescript: "await Promise.all([numbers(), title(), count(), nothing(), flag(), record()])",
      python: "[numbers(), title(), count(), nothing(), flag(), record()]",
    };
    expect(JSON.parse((await resultOf(language, show[language]("", all[language], names))) as string)).toEqual([
      ...[[1, 2, 3], "A title", 0, null, false, { id: 7 }],
    ]);
    const wrong = {
      typescript: "(await numbers()).first, (await title()).pages",
      python: "[title().pages, numbers().first]",
    };
    const run = await coordinator.execute({ language, code: show[language]("", wrong[language], names) });
    expect([run.status, run.error?.problems?.length]).toEqual(["check_failed", 2]);
  });

  test("a wrong argument of raw is found before the run", async () => {
    const wrong = { typescript: "await raw(give, { jsn: json })", python: "raw(give, jsn=json)" };
    const run = await coordinator.execute({ language, code: show[language]("", wrong[language]) });
    expect([run.status, run.error?.problems?.[0]?.message]).toEqual(["check_failed", expect.stringContaining("jsn")]);
  });

  test("an error has what the tool sent with it", async () => {
    const result = {
      isError: true,
      content: [text("no room"), everything[1]],
      structuredContent: { free: 3 },
      ...marks,
    };
    const caught = {
      typescript: (call: string) => `
        import { ToolError, raw } from "mcp_tools";
        import { give } from "mcp_tools/content";
        const json = ${JSON.stringify(JSON.stringify(result))};
        let seen: unknown;
        try { ${call} } catch (error) { if (error instanceof ToolError) seen = [error.message, error.result] }
        JSON.stringify(seen)`,
      python: (call: string) => `
import json as js
from mcp_tools import ToolError, raw
from mcp_tools.content import give
json = ${JSON.stringify(JSON.stringify(result))}
try:
    ${call}
except ToolError as error:
    seen = [error.message, error.result]
js.dumps(seen)`,
    };
    for (const call of [calls[language].value, calls[language].whole]) {
      expect(JSON.parse((await resultOf(language, caught[language](call))) as string)).toEqual(["no room", result]);
    }
  });

  test("saves what a tool sent as a file", async () => {
    const program = {
      typescript: `import { artifacts } from "coordinator"; import { rest_of } from "mcp_tools"; import { act } from "mcp_tools/content";
        const [picture] = rest_of(await act()).content;
        const { uri } = await artifacts.save("p.png", picture);
        [...(await artifacts.read_bytes(uri))]`,
      python: `from coordinator import artifacts; from mcp_tools import rest_of; from mcp_tools.content import act
[picture] = rest_of(act())["content"]
list(artifacts.read_bytes(artifacts.save("p.png", picture)["uri"]))`,
    };
    expect(await resultOf(language, program[language])).toEqual([...Buffer.from("hi")]);
  });
});

test("the async twin has raw and rest_of too", async () => {
  const result = { content: [everything[1]], structuredContent: { a: 1 } };
  const code = `
import asyncio, json as js
from mcp_tools.aio import raw, rest_of
from mcp_tools.aio.content import give, call
json = ${JSON.stringify(JSON.stringify(result))}
value, whole, exact = await asyncio.gather(give(json=json), raw(give, json=json), raw(call, "give", {"json": json}))
js.dumps([rest_of(value)["content"], whole, exact == whole])`;
  expect(JSON.parse((await resultOf("python", code)) as string)).toEqual([result.content, result, true]);
});

test("raw and rest_of say what they take", async () => {
  const typescript = `import { raw, rest_of } from "mcp_tools";
    const told: string[] = [];
    for (const wrong of [() => raw(async () => 1), () => rest_of("text" as never)]) try { wrong() } catch (e) { told.push(e.message) }
    told`;
  const python = `from mcp_tools import raw, rest_of
told = []
for wrong in (lambda: raw(len, []), lambda: rest_of("text")):
    try:
        wrong()
    except TypeError as error:
        told.append(str(error))
told`;
  for (const [language, code] of Object.entries({ typescript, python })) {
    expect(await resultOf(language as Language, code)).toEqual([
      expect.stringContaining("a function of mcp_tools"),
      expect.stringMatching(/object or list|dict or list/),
    ]);
  }
});

describe("integers that a double cannot hold", () => {
  const json = '{"content":[{"type":"text","text":"{\\"id\\":12345678901234567890}"}]}';

  test("reach Python exactly in a text, and in a whole result", async () => {
    expect(await resultOf("python", show.python(json, '[give(json=json)["id"]]').replace("js.dumps", "str"))).toBe(
      "[12345678901234567890]",
    );
  });

  test("are what JSON.parse makes of them in TypeScript, and can be read from the text", async () => {
    const read = "[String((await give({ json })).id), (await raw(give, { json })).content[0].text]";
    expect(JSON.parse((await resultOf("typescript", show.typescript(json, read))) as string)).toEqual([
      ...["12345678901234567000", '{"id":12345678901234567890}'],
    ]);
  });
});

test("a program outside the sandbox has raw and rest_of in its generated library", async () => {
  const result = { content: [everything[1]], structuredContent: { a: 1 }, _meta: { "example.org/cost": 3 } };
  await coordinator.generateTools({ out: join(folder, "mcp_tools") });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(fileURLToPath(new URL("..", import.meta.url)), join(folder, "node_modules", "mcp-coordinator"));
  const program = join(folder, "program.mjs");
  writeFileSync(
    program,
    `import { raw, rest_of } from "./mcp_tools/index.js";
     import { call, give } from "./mcp_tools/content.js";
     const json = ${JSON.stringify(JSON.stringify(result))};
     const value = await give({ json });
     console.log(JSON.stringify([value, rest_of(value), await raw(give, { json }), await raw(call, "give", { json })]));`,
  );
  const env = { ...process.env, MCP_COORDINATOR_HOME: join(folder, "home") };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  const { structuredContent, ...rest } = result;
  expect(JSON.parse(stdout)).toEqual([structuredContent, rest, result, result]);
});

const logo = { type: "image", mimeType: "image/png", bytes: 4033, artifact: expect.stringMatching(/image-1\.png$/) };
const documentedResults: unknown[] = [
  ["number", 0, 1],
  [true, 0, 1],
  { title: "The logo", logo },
  { title: "The logo", logo },
  [true, 0, true, "What's weather in Paris?"],
  [true, true, true],
];
test.each(documented("results.md").map(([language, code], index) => ({ language, code, index })))(
  "docs/results.md: the $language block $index",
  async ({ language, code, index }) => {
    expect(await resultOf(language, code)).toEqual(documentedResults[index]);
  },
);
