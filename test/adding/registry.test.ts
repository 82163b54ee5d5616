// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how configurations refer to variables
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Coordinator } from "../../src/app/coordinator.ts";
import { type HttpFixture, startHttpServer } from "../../src/upstream/test-servers.fixture.ts";
import { official, Place } from "../cli/command.ts";
import { cli } from "../gateway/connect.ts";

const { command, args } = official("everything");
const asked: string[] = [];
let registry: Server;
let place: Place;
let fixture: HttpFixture;
let remote: string;

beforeAll(async () => {
  fixture = await startHttpServer("streamable");
  remote = fixture.url;
  const meta = (status: string) => ({ "io.modelcontextprotocol.registry/official": { status } });
  const weather = { name: "com.example/weather", description: "Weather of cities", version: "2.0.0" };
  const pages: Record<string, unknown> = {
    first: {
      servers: [{ server: { ...weather, name: "com.example/weather-old" }, _meta: meta("deprecated") }],
      metadata: { nextCursor: "next" },
    },
    next: {
      servers: [{ server: { ...weather, remotes: [{ type: "streamable-http", url: remote }] }, _meta: meta("active") }],
    },
  };
  registry = createServer(({ url = "" }, response) => {
    asked.push(url);
    const { pathname, searchParams } = new URL(url, "http://x");
    const isOne = pathname === "/v0.1/servers/com.example%2Fweather/versions/latest";
    const page = pages[searchParams.get("cursor") ?? "first"];
    response.end(JSON.stringify(isOne ? (pages["next"] as { servers: unknown[] }).servers[0] : page));
  }).listen(0, "127.0.0.1");
  await once(registry, "listening");
  place = new Place(
    { taken: { command: "x", disabled: true } },
    { registry: { url: `http://127.0.0.1:${(registry.address() as AddressInfo).port}` } },
  );
});
afterAll(async () => {
  registry.close();
  await fixture[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const configured = () => JSON.parse(readFileSync(join(place.folder, "mcp_servers.json"), "utf8")).mcpServers;

describe("find", () => {
  test("searches the snapshot and asks nobody", async () => {
    const { stdout, code } = await place.run("find", "knowledge", "graph");
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^io\.github\.modelcontextprotocol\/server-memory +2026/m),
    ]);
    expect(asked).toEqual([]);
  });

  test("--online asks the registry, page by page, and shows what is deprecated", async () => {
    const { stdout } = await place.run("find", "--online", "weather", "--json");
    const found = JSON.parse(stdout) as { name: string; status: string }[];
    expect(found.map(({ name, status }) => [name, status]).toSorted()).toEqual([
      ["com.example/weather", "active"],
      ["com.example/weather-old", "deprecated"],
    ]);
    expect(asked).toHaveLength(2);
  });
});

describe("add", () => {
  test("takes a server from the registry itself, tries it, and writes it", async () => {
    const { stdout, stderr, code } = await place.run("add", "com.example/weather", "--online", "--yes");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^echo/m)]);
    expect(stderr).toContain(`url: ${remote}`);
    expect(stderr).toContain("from the registry: com.example/weather 2.0.0");
    expect(configured()).toMatchObject({ weather: { type: "http", url: remote } });
  });

  test("adds nothing that does not start, and says how to add it all the same", async () => {
    const before = configured();
    const { stderr, code } = await place.run("add", "broken", "--yes", "--", "node", "-e", "process.exit(3)");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/error server_start_failed[\s\S]*Nothing was added[\s\S]*--no-connect/),
    ]);
    expect(configured()).toEqual(before);
  });

  test("without a terminal and without --yes it shows what it would add, and adds nothing", async () => {
    const { stderr, code } = await place.run("add", "quiet", "--", "node", "x.js");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/command: node x\.js[\s\S]*error consent_missing[\s\S]*--yes/),
    ]);
  });

  test.each([
    ["n", false],
    ["y", true],
  ])("asks on a terminal: %s", async (answer, isAdded) => {
    const words = [process.execPath, cli, "add", "asked", "--", command, ...args].map((word) => `'${word}'`).join(" ");
    const child = place.spawn("script", ["-qec", words, "/dev/null"]);
    let shown = "";
    child.stdout.on("data", (chunk) => {
      shown += chunk;
      if (String(chunk).includes("[y/N]")) child.stdin.write(`${answer}\n`);
    });
    await once(child, "close");
    expect(shown).toContain(args[0]);
    expect(Object.hasOwn(configured(), "asked")).toBe(isAdded);
  });

  test.each<[what: string, input: object, why: RegExp]>([
    [
      "a hidden character",
      { name: "x", command: "node", args: ["a\u202eb"] },
      /args\[0\]: has a character that is not shown/,
    ],
    ["a line break in a url", { name: "x", url: "https://h.example/\nmcp" }, /url: has a character/],
    ["ourselves", { name: "x", command: "npx", args: ["mcp-coordinator"] }, /is mcp-coordinator itself/],
    ["a name that is taken", { name: "taken", url: "https://h.example" }, /is configured already/],
    [
      "a variable that is not set",
      { name: "x", command: "node", env: { A: "${NO_SUCH_VARIABLE}" } },
      /NO_SUCH_VARIABLE is not set/,
    ],
    [
      "what lacks its variables",
      { name: "server-slack" },
      /SLACK_BOT_TOKEN \(The bot's token; secret\); SLACK_TEAM_ID/,
    ],
    ["both a command and a url", { name: "x", command: "node", url: "https://h.example" }, /not both/],
  ])("refuses %s before anybody is asked", async (_what, input, why) => {
    const ask = async () => {
      throw new Error("nobody is asked");
    };
    const before = configured();
    await using coordinator = await Coordinator.open({
      config: join(place.folder, "mcp_servers.json"),
      env: { MCP_COORDINATOR_HOME: place.folder },
    });
    const caller = { id: "test", capabilities: { elicitation: {} }, ask };
    await expect(coordinator.run("mcp_add", input, { caller })).rejects.toThrow(why);
    expect(configured()).toEqual(before);
  });
});
