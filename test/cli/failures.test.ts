import { afterAll, describe, expect, test } from "vitest";
import { escaping, faulty, official, Place } from "./command.ts";

describe("a configuration", () => {
  test("that is not there: the places that were tried and a first file", async () => {
    using place = new Place();
    const { stdout, stderr, code } = await place.run("servers", "--json");
    expect(stderr).toMatch(/^error config_not_found: Cannot find a configuration file. Tried:\n {2}\//);
    expect(stderr).toMatch(
      /^ {2}hint: `mcp-coordinator import --write` makes one .* Or write mcp_servers.json, for example \{ "mcpServers"/m,
    );
    expect(JSON.parse(stdout).error.code).toBe("config_not_found");
    expect(code).toBe(1);
  });

  test("that is wrong: every problem with its line", async () => {
    using place = new Place();
    const file = place.write("wrong.json", '{\n  "mcpServers": {\n    "a": { "comand": "x" },\n    "b": 1\n  }\n}');
    const { stdout, stderr, code } = await place.run("servers", "--config", file);
    expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
    expect(stderr).toContain(`error config_invalid: Cannot use ${file}:`);
    expect(stderr).toContain('mcpServers.a.comand: unknown key; did you mean "command"? (line 3)');
    expect(stderr).toMatch(/mcpServers\.b: .* \(line 4\)/);
  });

  test("may be named before the command or after it", async () => {
    using place = new Place();
    const file = place.write("other.json", JSON.stringify({ mcpServers: { other: faulty() } }));
    expect((await place.run("--config", file, "servers")).stdout).toContain("other");
    expect((await place.run("servers", `--config=${file}`)).stdout).toContain("other");
  });
});

describe("a server", () => {
  const place = new Place({
    everything: official("everything"),
    nowhere: { command: "no-such-program-here" },
    dies: faulty("exit=3"),
  });
  afterAll(() => place[Symbol.dispose]());

  test.each([
    ["tools evrything", "server_unknown", 'No server "evrything" is configured', 'Did you mean "everything"?'],
    ["call nowhere x", "server_start_failed", "no-such-program-here", undefined],
    ["call dies x", "server_start_failed", "ended with exit code 3", undefined],
    ["call everything ecko", "tool_unknown", 'has no tool "ecko"', 'Did you mean "echo"?'],
  ])("%s: %s", async (line, errorCode, message, hint) => {
    const { stdout, stderr, code } = await place.run(...line.split(" "), "--json");
    expect(code).toBe(1);
    const { error } = JSON.parse(stdout);
    expect(error.code).toBe(errorCode);
    expect(error.message).toContain(message);
    expect(stderr).toContain(`error ${errorCode}: ${error.message}`);
    if (hint !== undefined) expect(error.hint).toBe(hint);
    if (error.hint !== undefined) expect(stderr).toContain(`  hint: ${error.hint}`);
  });

  test("that cannot be asked is named by a search, with the reason", async () => {
    using fresh = new Place({ dies: faulty("exit=3") });
    const { stdout, stderr, code } = await fresh.run("search", "echo");
    expect(stdout).toContain('dies: Cannot start upstream "dies": the server ended with exit code 3.');
    expect(stderr).toBe("0/1 asking servers for their tools\n1/1 dies: failed\n");
    expect(code).toBe(0);
  });

  test("that fails is told on stderr and leaves the others in the table", async () => {
    const { stdout, stderr, code } = await place.run("servers", "--connect");
    expect(stdout).toMatch(/^everything +stdio +ready +\d+/m);
    expect(stdout).toMatch(/^dies +stdio +failed +\?$/m);
    expect(stderr).toMatch(/^error server_start_failed: .*"dies".*\nthe database is missing$/m);
    expect(code).toBe(0);
  });
});

describe("text of a server or a guest", () => {
  const place = new Place({ hostile: escaping() });
  afterAll(() => place[Symbol.dispose]());
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/;

  test.each([
    "servers --connect",
    "servers --json",
    "tools hostile",
    "tools hostile --schema",
    "tools hostile --json",
    "search paint --detail full",
    "search paint --json",
    "call hostile fail",
    "call hostile fail --json",
    "call hostile paint --json",
    "call hostile \u001b[31mred",
    "doctor",
    "doctor --json",
    "runs list",
    "runs list --json",
  ])("never reaches a terminal raw: %s", async (line) => {
    const { stdout, stderr } = await place.run(...line.split(" "));
    expect(stdout + stderr).not.toBe("");
    expect(stdout).not.toMatch(obeyed);
    expect(stderr).not.toMatch(obeyed);
  });

  test("is lost to no program: JSON escapes it", async () => {
    const { stdout } = await place.run("call", "hostile", "paint", "--json");
    expect(JSON.parse(stdout)).toBe("painted \u001b[2J\u001b]0;owned\u0007\u009b31m\u202edesrever\u200b");
  });

  test("reaches a pipe byte for byte when it is the answer", async () => {
    const { stdout } = await place.run("call", "hostile", "paint");
    expect(stdout).toBe("painted \u001b[2J\u001b]0;owned\u0007\u009b31m\u202edesrever\u200b\n");
    const printed = await place.feed('console.log("\\u001b[31mred")', "run", "-");
    expect(printed.stdout).toBe("\u001b[31mred\n");
  });

  test("reaches a terminal without escapes when it is the answer", async () => {
    expect(await place.onTerminal("call", "hostile", "paint")).toBe("painted desrever\r\n");
    const file = place.write(
      "red.ts",
      'console.log("\\u001b[31mred"); console.error("\\u009b32mgreen"); "\\u001b[33myellow"',
    );
    expect(await place.onTerminal("run", file)).toBe("green\r\nred\r\nyellow\r\n");
  });
});

test("progress is a bar on a terminal that leaves nothing behind", async () => {
  using place = new Place({ one: faulty() });
  const shown = await place.onTerminal("generate", "--out", "libraries");
  expect(shown).toContain("\r\u001b[2K[########################] 1/1 one: 7 tools");
  const clearLine = "\r\u001b[2K";
  expect(shown.split(clearLine).at(-1)).toBe(`Wrote 7 tools of 1 server to ${place.folder}/libraries\r\n`);
});

test("a reader that goes away ends no command with an error", async () => {
  using place = new Place({ everything: official("everything") });
  const child = place.start(["tools", "everything"]);
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
});
