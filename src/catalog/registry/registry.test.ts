// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how configurations refer to variables
import { describe, expect, test } from "vitest";
import { localName } from "./local-name.ts";
import { type Given, makeEntry } from "./make-entry.ts";
import { searchRegistry } from "./search-registry.ts";
import { readRegistryPage, readRegistryServer } from "./server-json.ts";
import snapshotPage from "./snapshot.json" with { type: "json" };

const given = (parts: Partial<Given> = {}): Given => ({
  env: {},
  headers: {},
  args: [],
  containers: "docker",
  isSet: () => false,
  ...parts,
});
const server = (parts: object) => {
  const read = readRegistryServer({ name: "io.example/x", description: "", version: "1", ...parts });
  if (!read) throw new Error("it was not read");
  return read;
};
const npm = (parts: object = {}) =>
  server({ packages: [{ registryType: "npm", identifier: "@a/x", version: "1.2.3", ...parts }] });

describe("the entry for a package", () => {
  test.each([
    ["npm", {}, { command: "npx", args: ["-y", "@a/x@1.2.3"] }],
    ["pypi", { identifier: "x-mcp" }, { command: "uvx", args: ["x-mcp@1.2.3"] }],
    ["oci", { identifier: "ghcr.io/a/x" }, { command: "docker", args: ["run", "-i", "--rm", "ghcr.io/a/x:1.2.3"] }],
    ["oci", { identifier: "ghcr.io/a/x:2" }, { command: "docker", args: ["run", "-i", "--rm", "ghcr.io/a/x:2"] }],
  ])("%s %j", (registryType, parts, entry) => {
    expect(makeEntry(npm({ registryType, ...parts }), given()).entry).toEqual(entry);
  });

  test("arguments: fixed, named, positional, and what nobody asked for", () => {
    const packageArguments = [
      { type: "positional", value: "--stdio" },
      { type: "named", name: "--db", isRequired: true },
      { type: "named", name: "--verbose" },
      { type: "positional", valueHint: "folder", isRequired: true },
    ];
    const args = ["db=/tmp/a.db", "folder=/f", "--extra"];
    expect(makeEntry(npm({ packageArguments }), given({ args })).entry).toEqual({
      command: "npx",
      args: ["-y", "@a/x@1.2.3", "--stdio", "--db", "/tmp/a.db", "/f", "--extra"],
    });
  });

  test("the environment: given, referred to when it is required and set, and passed on into a container", () => {
    const environmentVariables = [
      { name: "TOKEN", isRequired: true, isSecret: true },
      { name: "OPTIONAL" },
      { name: "MODE", value: "stdio" },
    ];
    const set = { isSet: () => true };
    expect(makeEntry(npm({ environmentVariables }), given(set))).toEqual({
      entry: { command: "npx", args: ["-y", "@a/x@1.2.3"], env: { TOKEN: "${TOKEN}", MODE: "stdio" } },
      secrets: ["TOKEN"],
    });
    const image = npm({ registryType: "oci", identifier: "a/x", environmentVariables });
    expect(makeEntry(image, given({ env: { TOKEN: "t" } })).entry).toMatchObject({
      args: ["run", "-i", "--rm", "-e", "TOKEN", "-e", "MODE", "a/x:1.2.3"],
      env: { TOKEN: "t", MODE: "stdio" },
    });
  });

  test("all that is missing is told at once", () => {
    const parts = {
      environmentVariables: [{ name: "TOKEN", description: "a token", isRequired: true, isSecret: true }],
      packageArguments: [{ type: "named", name: "--db", isRequired: true, choices: ["a", "b"] }],
    };
    expect(() => makeEntry(npm(parts), given())).toThrow(
      "Cannot add io.example/x: it needs TOKEN (a token; secret); --db (one of a, b)",
    );
  });

  test.each([["--help"], ["-x"], ["a b"], ["x;rm"], ["../x"], ["x\nrm"]])("%j is not a package name", (identifier) => {
    for (const registryType of ["npm", "pypi", "oci"])
      expect(() => makeEntry(npm({ registryType, identifier }), given())).toThrow(/is not valid/);
  });

  test("a version is one word that is not an option", () => {
    expect(() => makeEntry(npm({ version: "1 --eval x" }), given())).toThrow(/is not valid/);
  });

  test("a kind that cannot be started here is told", () => {
    expect(() => makeEntry(npm({ registryType: "nuget" }), given())).toThrow("the registry has only nuget for it");
  });
});

test("a remote: its url and headers, with variables filled in", () => {
  const remote = {
    type: "streamable-http",
    url: "https://{tenant}.example/mcp",
    variables: { tenant: { isRequired: true } },
    headers: [
      { name: "Authorization", value: "Bearer {api_key}", isSecret: true, variables: { api_key: { isSecret: true } } },
    ],
  };
  const one = server({ remotes: [remote] });
  expect(makeEntry(one, given({ args: ["tenant=acme", "api_key=${KEY}"] })).entry).toEqual({
    type: "http",
    url: "https://acme.example/mcp",
    headers: { Authorization: "Bearer ${KEY}" },
  });
  expect(() => makeEntry(one, given())).toThrow(/tenant; api_key \(secret\)/);
});

test.each([
  ["io.github.modelcontextprotocol/server-filesystem", "filesystem"],
  ["io.github.acme/weather-mcp-server", "weather"],
  ["com.supabase/mcp", "supabase"],
  ["npm/n8n-mcp", "n8n"],
  ["io.github.GLips/Figma-Context-MCP", "figma-context"],
])("%s is called %s", (name, local) => {
  expect(localName(name)).toBe(local);
});

describe("the snapshot", () => {
  const { servers } = readRegistryPage(snapshotPage);

  test("every entry of it is read, has a name of its own, and can be added", () => {
    expect(servers).toHaveLength(snapshotPage.servers.length);
    expect(new Set(servers.map(({ name }) => localName(name))).size).toBeGreaterThan(servers.length - 4);
    for (const one of servers)
      expect(makeEntry(one, given({ isSet: () => true, args: ["--db=/x", "--dsn=/x", "/x"] })).entry).toBeDefined();
  });

  test.each([
    ["files on my disk", "io.github.modelcontextprotocol/server-filesystem"],
    ["git commit", "io.github.cyanheads/git-mcp-server"],
    ["scrape web pages", "io.github.firecrawl/firecrawl-mcp-server"],
    ["github", "npm/server-github"],
    ["postgres database", "npm/server-postgres"],
    ["npm/n8n-mcp", "npm/n8n-mcp"],
    ["kubernets", "npm/mcp-server-kubernetes"],
    ["screenshot of a browser", "io.github.microsoft/playwright-mcp"],
  ])("%s", (query, name) => {
    expect(searchRegistry(servers, query, 3).map((one) => one.name)).toContain(name);
  });
});

test("what is deleted comes last, and what is not a server is left out", () => {
  const meta = (status: string) => ({ _meta: { "io.modelcontextprotocol.registry/official": { status } } });
  const page = {
    servers: [
      { server: { name: "a/weather", description: "weather", version: "1" }, ...meta("deleted") },
      { server: { name: "b/weather-two", description: "some weather", version: "1" }, ...meta("deprecated") },
      { server: { description: "weather without a name" } },
      "weather",
    ],
    metadata: { nextCursor: "more" },
  };
  const { servers, next } = readRegistryPage(page);
  expect(next).toBe("more");
  expect(searchRegistry(servers, "weather", 5).map(({ name, status }) => [name, status])).toEqual([
    ["b/weather-two", "deprecated"],
    ["a/weather", "deleted"],
  ]);
});
