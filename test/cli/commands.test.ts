import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { faulty, official, Place } from "./command.ts";

// One place: the tools of a server are asked for once and known to all later commands.
const place = new Place({
  everything: { ...official("everything"), description: "all of MCP" },
  memory: official("memory"),
  faulty: faulty(),
});
afterAll(() => place[Symbol.dispose]());

const json = async (...words: string[]) => {
  const { stdout, stderr, code } = await place.run(...words, "--json");
  return { data: JSON.parse(stdout), lines: stdout.trimEnd().split("\n").length, stderr, code };
};

describe("servers", () => {
  test("asks nobody unless told to, and knows the tools ever after", async () => {
    const before = await place.run("servers");
    expect(before.stdout).toBe(
      [
        "NAME        TRANSPORT  STATE  TOOLS  DESCRIPTION",
        "everything  stdio      idle   ?      all of MCP",
        "memory      stdio      idle   ?",
        "faulty      stdio      idle   ?",
        "",
      ].join("\n"),
    );
    const connected = await place.run("servers", "--connect");
    expect(connected.stdout).toMatch(/^memory +stdio +ready +9$/m);
    expect(connected.stderr).toMatch(/^3\/3 \w+: \d+ tools$/m);
    expect((await place.run("servers")).stdout).toMatch(/^memory +stdio +idle +9$/m);
  });

  test("as data", async () => {
    const { data, lines, stderr, code } = await json("servers");
    expect({ lines, stderr, code }).toEqual({ lines: 1, stderr: "", code: 0 });
    const memory = { name: "memory", module: "memory", description: "", tools: 9, transport: "stdio", state: "idle" };
    expect(data[1]).toEqual(memory);
  });
});

describe("tools", () => {
  test("of a server that stayed as it was have no changes", async () => {
    expect((await place.run("tools", "everything", "--changes")).stdout).toBe("No change was noticed.\n");
    expect((await json("tools", "everything", "--changes")).data).toEqual({ definitions: [], results: [] });
  });

  test("are a TypeScript header with docs", async () => {
    const { stdout, code } = await place.run("tools", "everything");
    expect(code).toBe(0);
    expect(stdout).toContain('// import { … } from "mcp_tools/everything";');
    expect(stdout).toMatch(/\*\/\nexport declare function get_sum\(args: \{ a: number; b: number \}\): Promise<any>;/);
    expect(stdout).toContain(" * - a: First number");
  });

  test("are Python stubs with --python", async () => {
    const { stdout, code } = await place.run("tools", "everything", "--python");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# from mcp_tools\.everything import …\n/);
    expect(stdout).toMatch(/^def get_sum\(\*, a: float, b: float\) -> Any:\n {4}"""/m);
  });

  test("are JSON Schemas with --schema", async () => {
    const { stdout } = await place.run("tools", "everything", "--schema");
    const sum = JSON.parse(stdout).find(({ name }: { name: string }) => name === "get-sum");
    expect(sum).toMatchObject({ identifier: "get_sum", inputSchema: { required: ["a", "b"] } });
  });

  test("are names and descriptions with --json", async () => {
    const { data } = await json("tools", "everything");
    const echo = { name: "echo", identifier: "echo", description: "Echoes back the input string" };
    expect(data).toContainEqual(echo);
  });

  test("that cannot be used are named on stderr when the server is asked", async () => {
    using fresh = new Place({ faulty: faulty("odd") });
    const { stdout, stderr } = await fresh.run("tools", "faulty");
    expect(stdout).toContain("function bare(");
    expect(stderr).toBe("left out tool 2: it is not an object\n");
  });
});

describe("search", () => {
  test("prints what the AI gets, its query in any number of words", async () => {
    const { stdout, code } = await place.run("search", "sum", "numbers", "--limit", "1");
    expect(stdout).toMatch(
      /^import \{ … \} from "mcp_tools\/everything"; \/\/ all of MCP\n(?:\/\/.*\n)+get_sum\(\{ a: number, b: number \}\)$/m,
    );
    expect(code).toBe(0);
  });

  test("takes a server, a detail and gives data", async () => {
    const { stdout } = await place.run("search", "--server", "memory", "--detail=names");
    expect(stdout).toMatch(/^import \{ … \} from "mcp_tools\/memory";\ncreate_entities: /);
    const { data } = await json("search", "echo", "--server", "everything");
    const found = { kind: "tool", server: "everything", name: "echo" };
    expect(data.results[0]).toEqual({ ...found, import: 'import { echo } from "mcp_tools/everything"' });
  });

  test("answers in Python when asked to", async () => {
    const { stdout } = await place.run("search", "sum", "numbers", "--limit", "1", "--language", "python");
    expect(stdout).toMatch(
      /^from mcp_tools\.everything import … # all of MCP\n(?:#.*\n)+get_sum\(\*, a: float, b: float\)$/m,
    );
    const { data } = await json("search", "echo", "--server", "everything", "--language=python");
    expect(data.results[0].import).toBe("from mcp_tools.everything import echo");
  });

  test("refuses a limit that is none", async () => {
    expect(await place.run("search", "x", "--limit", "many")).toMatchObject({
      stderr: 'error input_invalid: --limit cannot be "many"\n  hint: Give a number.\n',
      code: 2,
    });
    expect((await place.run("search", "x", "--limit", "0")).code).toBe(2);
  });
});

describe("call", () => {
  test("prints a text as it is, and as a JSON string with --json", async () => {
    const words = ["call", "everything", "get-sum", "a=1", "b=2"];
    expect(await place.run(...words)).toEqual({ stdout: "The sum of 1 and 2 is 3.\n", stderr: "", code: 0 });
    expect((await json(...words)).data).toBe("The sum of 1 and 2 is 3.");
  });

  test("takes arguments from JSON, a file and stdin, each under key=value", async () => {
    const path = place.write("arguments.json", '{ "message": "from a file" }');
    const echo = ["call", "everything", "echo"];
    expect((await place.run(...echo, "--args", `@${path}`)).stdout).toBe("Echo: from a file\n");
    expect((await place.feed('{"message":"from stdin"}', ...echo, "--args", "-")).stdout).toBe("Echo: from stdin\n");
    expect((await place.run(...echo, '--args={"message":"a"}', "message=b c")).stdout).toBe("Echo: b c\n");
  });

  test.skipIf(process.platform === "win32")(
    "takes configuration and arguments from pipes, however they are named",
    async () => {
      const line = `cat mcp_servers.json | $mcp call everything echo --config /dev/stdin --args @<(echo '{"message":"piped"}')`;
      expect(await place.inShell(line)).toEqual({ stdout: "Echo: piped\n", stderr: "", code: 0 });
      const other = `echo '{"message":"in"}' | $mcp call everything echo --config <(sleep 1; cat mcp_servers.json) --args @/dev/stdin`;
      expect(await place.inShell(other)).toEqual({ stdout: "Echo: in\n", stderr: "", code: 0 });
    },
  );

  test.skipIf(process.platform === "win32")("refuses arguments without end", async () => {
    expect(await place.run("call", "everything", "echo", "--args", "@/dev/zero")).toEqual({
      stdout: "",
      stderr:
        "error input_invalid: Cannot use /dev/zero: it has more than 67108864 bytes\n  hint: Name a file that is there, or - for stdin.\n",
      code: 2,
    });
  });

  test("prints structured data as JSON", async () => {
    const { stdout } = await place.run("call", "everything", "get-structured-content", "location=Chicago");
    expect(stdout).toMatch(/^\{\n {2}"temperature": /);
    expect(JSON.parse(stdout)).toHaveProperty("humidity");
  });

  test("fails with the server's words", async () => {
    const { stdout, stderr, code } = await place.run("call", "everything", "get-sum", "a=1");
    expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
    expect(stderr).toMatch(/^error call_failed: /);
  });
});

describe("run", () => {
  const code = `
    import { get_sum } from "mcp_tools/everything";
    console.log("printed");
    console.error("warned");
    ({ sum: await get_sum({ a: 2, b: 3 }) })`;

  test("separates what the guest printed, its result and its errors", async () => {
    const file = place.write("guest.ts", code);
    expect(await place.run("run", file)).toEqual({
      stdout: 'printed\n{\n  "sum": "The sum of 2 and 3 is 5."\n}\n',
      stderr: "warned\n",
      code: 0,
    });
  });

  test("reads stdin and gives the whole result as data", async () => {
    const { stdout } = await place.feed(code, "run", "-", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      status: "ok",
      result: { sum: "The sum of 2 and 3 is 5." },
      stdout: "printed\n",
      calls: { total: 1, failed: 0 },
    });
  });

  test("exits with 1 when the guest throws, and says where", async () => {
    expect(await place.feed('console.log("so far")\nthrow new TypeError("boom")', "run", "-")).toEqual({
      stdout: "so far\n",
      stderr: "error: TypeError: boom (line 2)\n",
      code: 1,
    });
  });

  test("stops at a wrong name before anything runs, unless told not to check", async () => {
    const wrong = 'console.log("ran"); undefined_name';
    const checked = await place.feed(wrong, "run", "-", "--json");
    expect(JSON.parse(checked.stdout).status).toBe("check_failed");
    expect(checked.code).toBe(1);
    const unchecked = await place.feed(wrong, "run", "-", "--no-check");
    expect(unchecked).toMatchObject({ stdout: "ran\n", code: 1 });
  });

  test("only checks with --dry-run", async () => {
    const ended = { stdout: "", stderr: "The check found no problem. Nothing has run.\n", code: 0 };
    expect(await place.feed('console.log("ran")', "run", "-", "--dry-run")).toEqual(ended);
  });

  test("keeps to the servers and the time that it is given", async () => {
    const denied = await place.feed(code, "run", "-", "--servers", "memory");
    expect(denied).toMatchObject({ stdout: "", code: 1 });
    expect(denied.stderr).toContain(
      'The server "everything" is configured, but this run was limited to servers: ["memory"].',
    );
    const late = await place.feed("for (;;);", "run", "-", "--timeout", "0.3", "--json");
    expect(JSON.parse(late.stdout).status).toBe("timeout");
    expect((await place.feed("1", "run", "-", "--timeout", "9999")).code).toBe(2);
  });

  test("prints whole what is cut for a model", async () => {
    const long = await place.feed('console.log("x".repeat(100_000)); Array(9000).fill(1)', "run", "-");
    const [printed, ...result] = long.stdout.split("\n");
    expect(printed).toHaveLength(100_000);
    expect(JSON.parse(result.join("\n"))).toHaveLength(9000);
  });

  test("names a file that is not there", async () => {
    const { stderr, code } = await place.run("run", "nothing.ts");
    expect(stderr).toMatch(/^error input_invalid: Cannot read nothing.ts: /);
    expect(code).toBe(2);
  });
});

describe("runs", () => {
  test("lists the newest first and shows one with its calls", async () => {
    await place.run("call", "everything", "echo", "message=for the journal");
    const { data } = await json("runs", "list", "--limit", "1");
    expect(data).toMatchObject([{ status: "ok", client: "cli", calls: 1 }]);
    const [{ id }] = data;
    expect((await place.run("runs", "list")).stdout).toMatch(new RegExp(`^${id}  .*  ok \\d+ ms  1 call`));
    const shown = await place.run("runs", "show", id);
    expect(shown.stdout).toContain('everything.echo {"message":"for the journal"}');
    expect((await json("runs", "show", id)).data.toolCalls).toMatchObject([{ tool: "echo", outcome: "ok" }]);
  });

  test("says that a run is unknown", async () => {
    const { stdout, stderr, code } = await place.run("runs", "show", "r0", "--json");
    expect(JSON.parse(stdout).error.code).toBe("run_unknown");
    expect(stderr).toMatch(/^error run_unknown: The journal has no run "r0"\n {2}hint: /);
    expect(code).toBe(1);
  });
});

describe("generate", () => {
  test("writes the libraries and tells of its progress on stderr", async () => {
    const { stdout, stderr, code } = await place.run("generate", "--out", "libraries", "--refresh");
    const out = join(place.folder, "libraries");
    expect(stdout).toMatch(new RegExp(`^Wrote \\d+ tools of 3 servers to ${out}\n$`));
    expect(stderr).toMatch(/^0\/3 asking servers for their tools\n1\/3 .*\n2\/3 .*\n3\/3 .*\n$/);
    expect(code).toBe(0);
    for (const path of ["everything.d.ts", "everything.pyi", "aio/everything.py"]) {
      expect(existsSync(join(out, path)), path).toBe(true);
    }
  });

  test("writes one language when asked to", async () => {
    await place.run("generate", "--out", "python", "--language", "python");
    const files = ["everything.pyi", "everything.d.ts"].map((path) => existsSync(join(place.folder, "python", path)));
    expect(files).toEqual([true, false]);
  });

  test("keeps off a folder of somebody else", async () => {
    place.write("mine.txt", "mine");
    const { data, stderr, code } = await json("generate", "--out", ".");
    expect(data.error.code).toBe("output_exists");
    expect(stderr).toMatch(/^error output_exists: Cannot write to /);
    expect(code).toBe(1);
  });

  test("answers with data alone with --json", async () => {
    const { data, stderr } = await json("generate", "--out", "again");
    expect(data).toMatchObject({ out: join(place.folder, "again"), servers: 3, missing: [] });
    expect(stderr).toBe("");
  });
});

describe("config schema", () => {
  test("needs no configuration and is a JSON Schema", async () => {
    using empty = new Place();
    const { stdout, stderr, code } = await empty.run("config", "schema");
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ type: "object", properties: { mcpServers: {} } });
  });
});

describe("memory", () => {
  test("keeps, shows, lists and forgets what guests keep too", async () => {
    expect((await place.run("memory", "set", "cli/a", '{"n": 1}')).stdout).toMatch(/^Kept "cli\/a", revision \d+\n$/);
    await place.run("memory", "set", "cli/b", "a text", "--namespace", "other");
    expect((await place.run("memory", "get", "cli/a")).stdout).toBe('{"n":1}\n');
    expect((await json("memory", "get", "cli/b", "--namespace", "other")).data).toBe("a text");
    expect((await json("memory", "list", "--prefix", "cli/")).data).toMatchObject([{ key: "cli/a", bytes: 12 }]);
    expect((await place.run("memory", "rm", "cli/a")).stdout).toBe("Deleted\n");
    expect((await place.run("memory", "rm", "cli/a")).stdout).toBe("There was no such key\n");
    expect((await place.run("memory", "list")).stdout).toBe("Nothing is kept.\n");
  });

  test("gives programs exactly what was kept", async () => {
    const value = { v: "a\u2028b\u202ec\u{e0041}\u001b[31m\u200b" };
    await place.run("memory", "set", "cli/exact", JSON.stringify(value));
    const { stdout } = await place.run("memory", "get", "cli/exact");
    expect(JSON.parse(stdout)).toEqual(value);
    expect(stdout).toContain("a\\u2028b\\u202ec");
    await place.run("memory", "rm", "cli/exact");
  });
});
