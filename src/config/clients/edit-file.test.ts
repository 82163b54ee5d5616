import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { editServers } from "./edit-file.ts";

const entry = { command: "npx", args: ["-y", "mcp-coordinator"], env: { A: "b" } };
const edit = (format: "json" | "toml" | "yaml", key: string[], to: object | undefined, list = false) => ({
  file: "/f",
  format,
  key,
  changes: new Map([["mcp-coordinator", to as Record<string, unknown> | undefined]]),
  list,
});

const json = `{
  // my servers
  "mcpServers": {
    "a": { "command": "a" }, // the first
    /* the second */
    "b": { "command": "b" },
  },
  "theme": "dark",
}
`;

describe("JSON", () => {
  test("an entry comes last, comments and trailing commas stay", () => {
    expect(editServers(json, edit("json", ["mcpServers"], { command: "x" }))).toBe(`{
  // my servers
  "mcpServers": {
    "a": { "command": "a" }, // the first
    /* the second */
    "b": { "command": "b" },
    "mcp-coordinator": {
      "command": "x"
    },
  },
  "theme": "dark",
}
`);
  });

  test("what was added can be taken out again, and leaves what was there", () => {
    const added = editServers(json, edit("json", ["mcpServers"], entry));
    const removed = editServers(added, edit("json", ["mcpServers"], undefined));
    for (const part of ["// my servers", "// the first", "/* the second */", '"theme": "dark"'])
      expect(removed).toContain(part);
    expect(removed).not.toContain("mcp-coordinator");
  });

  test.each([
    ["nothing", ""],
    ["an empty object", "{}"],
    ["another key", '{ "theme": "dark" }\n'],
    ["tabs", '{\n\t"theme": "dark"\n}\n'],
    ["CRLF", '{\r\n  "theme": "dark"\r\n}\r\n'],
  ])("a file with %s gets the key", (_name, text) => {
    const edited = editServers(text, edit("json", ["servers"], entry));
    expect(JSON.parse(edited)).toMatchObject({ servers: { "mcp-coordinator": entry } });
    if (text.includes("\r")) expect(edited.replaceAll("\r\n", "")).not.toContain("\n");
  });

  test("what cannot be read is not written over", () => {
    expect(() => editServers('{ "mcpServers": {', edit("json", ["mcpServers"], entry))).toThrow(/Cannot read/);
  });

  test("a place that holds something else is left alone", () => {
    expect(() => editServers('{ "mcpServers": 7 }', edit("json", ["mcpServers"], entry))).toThrow();
  });
});

const toml = `# mine
model = "o5"

[mcp_servers.docs]
command = "docs" # with a remark

[mcp_servers.docs.env]
A = "1"

[profiles.x]
model = "y"
`;

describe("TOML", () => {
  test("a table is appended and taken out again, byte for byte", () => {
    const added = editServers(toml, edit("toml", ["mcp_servers"], entry));
    expect(added.startsWith(toml)).toBe(true);
    expect(added).toContain("[mcp_servers.mcp-coordinator]");
    expect(editServers(added, edit("toml", ["mcp_servers"], undefined)).trimEnd()).toBe(toml.trimEnd());
  });

  test("an entry of that name is replaced", () => {
    const added = editServers(toml, edit("toml", ["mcp_servers"], entry));
    const again = editServers(added, edit("toml", ["mcp_servers"], { command: "other" }));
    expect(again.match(/mcp-coordinator/g)).toHaveLength(1);
  });

  test("text that only looks like a table is not cut", () => {
    const tricky = `${toml}\n[notes]\ntext = '''\n[mcp_servers.mcp-coordinator]\ncommand = "no"\n'''\n`;
    expect(() => editServers(tricky, edit("toml", ["mcp_servers"], undefined))).toThrow(/Cannot/);
  });
});

describe("YAML", () => {
  const goose = "# mine\nextensions:\n  developer: # built in\n    type: builtin\n    enabled: true\nGOOSE_MODEL: x\n";
  const list = "name: mine # who\nmcpServers:\n  - name: docs\n    command: docs\n";

  test("a map gets an entry and loses it, comments stay", () => {
    const added = editServers(goose, edit("yaml", ["extensions"], { cmd: "npx", args: ["x"] }));
    expect(added).toContain("# built in");
    expect(added).toContain("mcp-coordinator:");
    const removed = editServers(added, edit("yaml", ["extensions"], undefined));
    expect(parse(removed)).toEqual(parse(goose));
    for (const comment of ["# mine", "# built in"]) expect(removed).toContain(comment);
  });

  test.each([
    ["a list that is there", list],
    ["none yet", "name: mine # who\n"],
    ["an empty file", ""],
  ])("a list: %s", (_name, text) => {
    const added = editServers(text, edit("yaml", ["mcpServers"], entry, true));
    expect(added).toContain("- name: mcp-coordinator");
    const removed = editServers(added, edit("yaml", ["mcpServers"], undefined, true));
    expect(removed).not.toContain("mcp-coordinator");
    if (text === list) expect(removed).toBe(list);
  });
});
