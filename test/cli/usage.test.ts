import { afterAll, describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { Place } from "./command.ts";

const place = new Place();
afterAll(() => place[Symbol.dispose]());

describe("help", () => {
  const commands = [
    "serve",
    "servers",
    "tools",
    "search",
    "call",
    "run",
    "generate",
    "doctor",
    "runs",
    "memory",
    "pins",
    "config",
  ];

  test("of the program names every command, without colours in a pipe", async () => {
    const { stdout, stderr, code } = await place.run("--help");
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^ +${command}  +\\S`, "m"));
    expect(stdout).not.toContain("\u001b");
  });

  test.each([...commands, "runs list", "runs show", "pins accept", "memory set", "config schema"])(
    "of %s names its options",
    async (command) => {
      const { stdout, code } = await place.run(...command.split(" "), "--help");
      expect(code).toBe(0);
      expect(stdout).toContain(`USAGE mcp-coordinator ${command} [OPTIONS]`);
      expect(stdout).toMatch(/--json {4}/);
      expect(stdout).toContain("--config=<path>");
    },
  );

  test("and the version are answered whatever else is given", async () => {
    expect((await place.run("call", "-h")).stdout).toContain("<SERVER> <TOOL> [KEY=VALUE…]");
    expect(await place.run("--version")).toEqual({ stdout: `${packageJson.version}\n`, stderr: "", code: 0 });
    expect((await place.run("servers", "-v")).stdout).toBe(`${packageJson.version}\n`);
  });
});

describe("wrong usage", () => {
  test.each([
    ["serevrs", 'Unknown command "serevrs"', "Did you mean servers?"],
    ["runs shwo", 'Unknown command "shwo"', "Did you mean show?"],
    ["runs", '"runs" needs one of: list, show', undefined],
    ["servers --jsn", "Unknown option --jsn", "Did you mean --json?"],
    [
      "--limit 3 search x",
      "Unknown option --limit",
      "Choose one of: --http, --host, --port, --toolsets, --expose, --frozen, --json, --config, --help.",
    ],
    ["servers --no-config", "Unknown option --no-config", "Did you mean --config?"],
    ["tools", "SERVER is missing", undefined],
    ["call everything", "TOOL is missing", undefined],
    ["tools a b", '"b" is one word too many', "Put quotes around a value that has spaces."],
    ["servers --config", "--config needs a value", undefined],
    ["run x --timeout --dry-run", "--timeout needs a value", "Write --timeout=--dry-run if that is the value."],
    ["search x --detail ful", '--detail cannot be "ful"', "Did you mean full?"],
    ["serve --port 80", "--port is for --http", "Add --http, or leave it out."],
    ["serve --http --port 65536", '--port cannot be "65536"', "Give a number from 0 to 65535."],
    ["run x --language pyhton", '--language cannot be "pyhton"', "Did you mean python?"],
    ["run x --engine cpyton", '--engine cannot be "cpyton"', "Did you mean cpython?"],
    ["call a b nonsense", '"nonsense" is not an argument', "Write key=value, or --args JSON."],
  ])("%s: %s", async (line, message, hint) => {
    const words = line.split(" ");
    const told = `error input_invalid: ${message}\n${hint === undefined ? "" : `  hint: ${hint}\n`}`;
    expect(await place.run(...words)).toEqual({ stdout: "", stderr: told, code: 2 });
  });

  test("is data as well with --json", async () => {
    const { stdout, stderr, code } = await place.run("--json", "serevrs");
    const error = { code: "input_invalid", message: 'Unknown command "serevrs"', hint: "Did you mean servers?" };
    expect(JSON.parse(stdout)).toEqual({ error });
    expect(stderr).toContain("error input_invalid");
    expect(code).toBe(2);
  });
});
