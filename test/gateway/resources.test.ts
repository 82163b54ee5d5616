import type { CallToolResult } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Connected, connect, createHome, createWire, exitOf, server, spawnGateway } from "./connect.ts";
import { inspect } from "./inspector.ts";

// What an AI client gets of files, and what it can read beside calling tools.

const home = createHome({ data: { ...server("data-server"), description: "orders and customers" } });
let gateway: Connected;
beforeAll(async () => {
  gateway = await connect(home);
});
afterAll(() => gateway[Symbol.asyncDispose]());

const execute = (code: string, language = "typescript"): ReturnType<Connected["call"]> =>
  gateway.call("execute_code", { code, language });
const saving = (name: string, data: string) => `
  import { artifacts } from "coordinator";
  await artifacts.save(${JSON.stringify(name)}, ${data});`;
const text = async (uri: string): Promise<string> => {
  const { contents } = await gateway.client.readResource({ uri });
  return (contents[0] as { text: string }).text;
};

describe("the answer of a run", () => {
  test("has a link to each file that it saved, and names them in its text", async () => {
    const { content, structuredContent } = await execute(`${saving("charts/a.svg", '"<svg/>"')}\n1`);
    const uri = `artifact://${structuredContent["run"]}/charts/a.svg`;
    expect(structuredContent["artifacts"]).toEqual([uri]);
    expect(content).toEqual([
      { type: "text", text: `1\n[saved: ${uri}; artifacts.read(uri) from "coordinator" opens it]` },
      { type: "resource_link", uri, name: "charts/a.svg", mimeType: "image/svg+xml", size: 6 },
    ]);
  });

  test("has small images as such, at most four; a large one is a link only", async () => {
    const { content } = await execute(`
      import { artifacts } from "coordinator";
      for (let n = 0; n < 6; n++) await artifacts.save(n + ".png", new Uint8Array([n, 255]));
      await artifacts.save("large.png", new Uint8Array(256_001));`);
    const of = (type: string) => content.filter((item) => item.type === type) as CallToolResult["content"];
    expect(of("image")).toEqual(
      ["AP8=", "Af8=", "Av8=", "A/8="].map((data) => ({ type: "image", data, mimeType: "image/png" })),
    );
    expect(of("resource_link").map((item) => (item as { name: string }).name)).toEqual([
      ...["0.png", "1.png", "2.png", "3.png", "4.png", "5.png"],
      "large.png",
    ]);
  });

  test("links output that was cut, which can be read as a resource", async () => {
    const { content, structuredContent } = await execute(`"x".repeat(100_000)`);
    const [uri] = structuredContent["artifacts"] as string[];
    expect(content[1]).toMatchObject({ type: "resource_link", uri, mimeType: "application/json", size: 100_002 });
    expect(JSON.parse(await text(uri as string))).toHaveLength(100_000);
  });

  test("has no links for a client of a protocol that does not know them", async () => {
    const child = spawnGateway(home);
    const { send } = createWire(child);
    const clientInfo = { name: "old", version: "1" };
    await send("initialize", { protocolVersion: "2024-11-05", capabilities: {}, clientInfo });
    const params = { name: "execute_code", arguments: { code: saving("a.png", "new Uint8Array(1)") } };
    const { result } = (await send("tools/call", params)) as { result: CallToolResult };
    expect(result.content.map(({ type }) => type)).toEqual(["text", "image"]);
    child.stdin?.end();
    await exitOf(child);
  });
});

describe("resources", () => {
  test("are the guide, the servers, and the newest artifacts", async () => {
    await execute(saving("listed.txt", '"x"'));
    const { resources } = await gateway.client.listResources();
    expect(resources.slice(0, 3).map(({ uri }) => uri)).toEqual([
      "coordinator://capabilities",
      "servers://available",
      "servers://summary",
    ]);
    const found = resources.find(({ name }) => name === "listed.txt");
    expect(found).toMatchObject({ mimeType: "text/plain", size: 1, uri: expect.stringMatching(/^artifact:\/\//) });
    const { resourceTemplates } = await gateway.client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "artifact://{run}/{+name}" }]);
  });

  test("tell a model what it can do: languages, functions, limits", async () => {
    const guide = await text("coordinator://capabilities");
    for (const part of [
      "- `typescript`, on the engine deno",
      "- `python` 3.",
      "- `execute_code`: Run TypeScript or Python",
      "- `memory.get`: The value of a key",
      "update(key: string, change: Record<string, unknown> | ((value: any) => unknown)",
      "- 30 seconds, up to 600",
      "- network: none",
    ]) {
      expect(guide).toContain(part);
    }
    expect(guide).not.toMatch(/undefined|\[object/);
  });

  test("tell which servers there are, and of their tools as far as known", async () => {
    await gateway.call("search_tools", {});
    expect(JSON.parse(await text("servers://available"))).toMatchObject({
      count: 1,
      servers: [{ name: "data", module: "data", description: "orders and customers" }],
    });
    const [summary] = JSON.parse(await text("servers://summary")) as { first_tools: string[] }[];
    expect(summary).toMatchObject({ server: "data", tools: expect.any(Number) });
    expect(summary?.first_tools).toContain("customers");
    expect(summary?.first_tools.length).toBeLessThanOrEqual(5);
  });

  test("are text or bytes; what is not there or too large is refused with the way out", async () => {
    const { structuredContent } = await execute(`
      import { artifacts } from "coordinator";
      await artifacts.save("a.bin", new Uint8Array([1, 255]));
      await artifacts.save("a.csv", "a,b");
      await artifacts.save("large.txt", "x".repeat(8_000_001));`);
    const uri = (name: string) => `artifact://${structuredContent["run"]}/${name}`;
    const read = (name: string) => gateway.client.readResource({ uri: uri(name) });
    expect((await read("a.bin")).contents).toEqual([
      { uri: uri("a.bin"), mimeType: "application/octet-stream", blob: "Af8=" },
    ]);
    expect((await read("a.csv")).contents).toEqual([{ uri: uri("a.csv"), mimeType: "text/csv", text: "a,b" }]);
    await expect(read("large.txt")).rejects.toThrow(/Read it in execute_code, in parts/);
    await expect(read("none.txt")).rejects.toThrow(/There is no artifact artifact:/);
    await expect(gateway.client.readResource({ uri: "artifact://../coordinator.db" })).rejects.toThrow(
      /Not an artifact/,
    );
    await expect(gateway.client.readResource({ uri: "file:///etc/passwd" })).rejects.toThrow(/Not an artifact/);
  });

  test("are served to a client of the 2026-07-28 protocol, with links in its answers", async () => {
    await using modern = await connect(home, { modern: true });
    const { content } = await modern.call("execute_code", { code: saving("m.txt", '"m"') });
    const link = content[1] as { type: string; uri: string };
    expect(link.type).toBe("resource_link");
    expect((await modern.client.readResource({ uri: link.uri })).contents).toMatchObject([{ text: "m" }]);
  });

  test("are listed and read by the MCP Inspector", () => {
    expect(inspect(home, "--method", "resources/list").resources[0].uri).toBe("coordinator://capabilities");
    expect(inspect(home, "--method", "resources/templates/list").resourceTemplates).toHaveLength(1);
    const { contents } = inspect(home, "--method", "resources/read", "--uri", "servers://available");
    expect(JSON.parse(contents[0].text).count).toBe(1);
  });
});
