import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Coordinator } from "../src/app/coordinator.ts";
import { servicesOf } from "../src/app/services-of.ts";
import { createFleet } from "./foreign/fleet.ts";
import { presented } from "./presented.ts";

// What a model reads of a search over 22 servers that others wrote: what it needs to write the call, within a budget of tokens.

const folder = join(tmpdir(), `search-answers-${process.pid}`);
let coordinator: Coordinator;
beforeAll(async () => {
  const { mcpServers } = createFleet(folder);
  const config = join(folder, "mcp_servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers }));
  coordinator = await Coordinator.open({ config, env: { ...process.env, MCP_COORDINATOR_HOME: join(folder, "home") } });
  await servicesOf(coordinator).libraries.discover();
});
afterAll(async () => {
  await coordinator.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly results: readonly { kind: string; server?: string; name: string; import: string }[];
  readonly also?: readonly { server: string; names: string[] }[];
  readonly total: number;
}

async function search(args: object) {
  const { data, text } = await presented<Answer>(coordinator, "search_tools", args);
  return { ...data, text, tokens: encode(text).length };
}

describe.each(["typescript", "python"])("in %s", (language) => {
  test("two tools that are asked for by name come alone, in 350 tokens", async () => {
    const { results, also, text, tokens } = await search({ query: "git_add git_commit", language });
    expect(results.map(({ name }) => name).sort()).toEqual(["git_add", "git_commit"]);
    expect(also).toBeUndefined();
    expect(text).not.toContain("Also in");
    expect(tokens).toBeLessThanOrEqual(350);
  });

  test("eight tools for notes fit 900 tokens, what they share written once", async () => {
    const { text, tokens } = await search({ query: "note of the vault", server: "vault", limit: 8, language });
    expect(text.match(/^obsidian_\w+\(/gm)).toHaveLength(8);
    expect(text.match(/^Result = /gm)).toHaveLength(1);
    expect(tokens).toBeLessThanOrEqual(900);
  });

  test.each(["create a merge request", "read a file", "draw a chart of sales by month", "take a screenshot"])(
    "what %j finds fits 1,200 tokens, and every tool is either signed or named",
    async (query) => {
      const { results, also = [], text, tokens } = await search({ query, limit: 30, language });
      expect(tokens).toBeLessThanOrEqual(1_200);
      for (const { name } of results) expect(text.replaceAll("-", "_")).toContain(name.replaceAll("-", "_"));
      expect(also.flatMap(({ names }) => names).length).toBeLessThanOrEqual(24);
    },
  );

  test.each(["chart", "chrome", "git", "slack"])("the list of all tools of %s fits 2,000 tokens", async (server) => {
    const { results, total, text, tokens } = await search({ server, language });
    expect(tokens).toBeLessThanOrEqual(2_000);
    expect(results).toHaveLength(total);
    for (const { import: line } of results) expect(text).toContain(/import (?:\{ )?(\w+)/.exec(line)?.[1] ?? "?");
  });

  test("a list that does not fit with its results still has every parameter", async () => {
    const { results, text } = await search({ server: "git", language });
    expect(text.match(/^git_\w+\(.*\)$/gm)).toHaveLength(results.length);
    expect(text).toMatch(/^Results are left out; to see them, search for names: query "git_add"\.$/m);
  });

  test("with full detail nothing is cut", async () => {
    const { text } = await search({ query: "generate_pie_chart", detail: "full", language });
    expect(text.slice(text.indexOf("\n"))).not.toContain("…");
  });

  test("coordinator is listed and found like a server", async () => {
    const all = await search({ server: "coordinator", language });
    expect(all.results.every(({ kind, server }) => kind === "api" && server === "coordinator")).toBe(true);
    expect(all.text).toMatch(/^memory\.get\(key/m);
    const { results } = await search({ query: "save an artifact", language });
    expect(results.map(({ name }) => name)).toContain("artifacts.save");
    expect((await search({ language })).text).toMatch(/^coordinator: /m);
  });
});

test("servers that say nothing of themselves are told by their first tools", async () => {
  const { text } = await search({});
  expect(text).toMatch(/^mcp_tools\/obsidian: 2 tools \(read_notes, search_notes\)$/m);
  expect(text).toMatch(/^mcp_tools\/knip: 2 tools \(knip_run, knip_docs\)$/m);
  expect(text).toMatch(/^mcp_tools\/slack: 8 tools \(\w+, \w+, \w+, …\)$/m);
  expect(text).toMatch(/^mcp_tools\/everything: Everything Reference Server, 17 tools$/m);
});

test("of very many servers as many are named as fit 2,000 tokens", async () => {
  const names = Array.from({ length: 1_000 }, (_, n) => `server${n}`);
  const config = join(folder, "many.json");
  const mcpServers = Object.fromEntries(
    names.map((name) => [name, { url: "http://127.0.0.1:9/mcp", description: name }]),
  );
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const env = { ...process.env, MCP_COORDINATOR_HOME: join(folder, "home-of-many") };
  await using many = await Coordinator.open({ config, env });
  const { data, text } = await presented<Answer>(many, "search_tools", {});
  expect(text).toContain(`${data.results.length} of 1000 servers shown`);
  expect(data.results.length).toBeGreaterThan(100);
  expect(encode(text.slice(0, text.indexOf("Not searched"))).length).toBeLessThanOrEqual(2_000);
});

test("what answers nothing well is told so, with the nearest", async () => {
  const { results, total, text } = await search({ query: "quantum chromodynamics" });
  expect(text).toMatch(/^No good match among \d+ tools of 22 servers\. /);
  expect(total).toBe(0);
  expect(results.length).toBeLessThanOrEqual(3);
});

test("the other tools of the first servers are named, and how many are left out", async () => {
  const { also = [], text } = await search({ query: "take a picture of the page in the browser" });
  expect(also.map(({ server }) => server)).toContain("chrome");
  expect(also.flatMap(({ names }) => names)).toHaveLength(24);
  expect(text).toMatch(/^Also in .*, and \d+ more$/m);
});

test("a regular expression is tried on what parameters are described by", async () => {
  const { results } = await search({ query: "/source timezone/" });
  expect(results.map(({ server }) => server)).toContain("time");
});

test("a search that does not name a function of coordinator shows none", async () => {
  for (const query of ["convert a time to another timezone", "create entities in the knowledge graph"]) {
    expect((await search({ query })).text).not.toContain('from "coordinator"');
  }
});
