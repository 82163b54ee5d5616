import { type ChildProcessWithoutNullStreams, execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test, vi } from "vitest";
import { escaping, faulty, official, Place } from "./command.ts";

const place = new Place({ everything: official("everything"), faulty: faulty() });
afterAll(() => place[Symbol.dispose]());

interface Message {
  readonly id?: number;
  readonly result?: { readonly tools?: readonly { readonly name: string }[]; readonly structuredContent?: unknown };
}

/** A client that speaks the protocol line by line. Every line of the server's stdout must be a message. */
class Client {
  readonly child: ChildProcessWithoutNullStreams;
  stderr = "";
  readonly #waiting = new Map<number, (message: Message) => void>();
  #id = 0;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    child.stderr.on("data", (chunk) => {
      this.stderr += chunk;
    });
    child.stdin.on("error", () => {}); // it has ended
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      this.#waiting.get(message.id ?? 0)?.(message);
    });
  }

  static async connect(
    words: readonly string[] = [],
    options: { preload?: string; place?: Place } = {},
  ): Promise<Client> {
    const client = new Client((options.place ?? place).start(words, options));
    const clientInfo = { name: "test", version: "1" };
    await client.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    client.send({ method: "notifications/initialized" });
    return client;
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  request(method: string, params: object = {}): Promise<Message> {
    const id = ++this.#id;
    this.send({ id, method, params });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async toolNames(): Promise<string[]> {
    const { result } = await this.request("tools/list");
    return result?.tools?.map(({ name }) => name) ?? [];
  }

  /** Resolves when stderr holds the text. */
  async hears(text: string): Promise<void> {
    while (!this.stderr.includes(text)) await once(this.child.stderr, "data");
  }

  async ended(): Promise<{ code: number | null; signal: string | null }> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, "exit");
    return { code: this.child.exitCode, signal: this.child.signalCode };
  }
}

const orderly = { code: 0, signal: null };

describe("serve", () => {
  test("is what happens without a command: two tools, nothing on stderr", async () => {
    const client = await Client.connect();
    expect(await client.toolNames()).toEqual(["search_tools", "execute_code"]);
    const code = 'import { echo } from "mcp_tools/everything"; await echo({ message: "hi" })';
    const { result } = await client.request("tools/call", { name: "execute_code", arguments: { code } });
    expect(result?.structuredContent).toMatchObject({ status: "ok", result: "Echo: hi" });
    client.child.stdin.end();
    expect(await client.ended()).toEqual(orderly);
    expect(client.stderr).toBe("");
  });

  test("shows the toolsets that it is told", async () => {
    const client = await Client.connect(["serve", "--toolsets", "discovery"]);
    expect(await client.toolNames()).toEqual([
      ...["list_servers", "list_tools", "get_tool_schema", "call_tool", "generate_tools"],
    ]);
    client.child.kill();
    await client.ended();
  });

  test.each([
    ["discovry", 'There is no toolset "discovry"', "Did you mean discovery?"],
    [",", "--toolsets needs a name", "Choose one of: code, discovery, skills, files, environment, registry, runs."],
  ])("refuses the toolsets %s", async (toolsets, message, hint) => {
    const stderr = `error input_invalid: ${message}\n  hint: ${hint}\n`;
    expect(await place.run("serve", "--toolsets", toolsets)).toEqual({ stdout: "", stderr, code: 2 });
  });

  test("tells a broken configuration on stderr, nothing on stdout", async () => {
    const file = place.write("wrong.json", "[]");
    const { stdout, stderr, code } = await place.run("--config", file);
    expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
    expect(stderr).toMatch(/^error config_invalid: /);
  });
});

describe("it ends", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s, with all that it started", async (signal) => {
    const client = await Client.connect(["--toolsets", "code,discovery"]);
    const call = { name: "call_tool", arguments: { server_name: "faulty", tool_name: "pid" } };
    const { result } = await client.request("tools/call", call);
    const pid = Number((result?.structuredContent as { result: unknown } | undefined)?.result);
    expect(isAlive(pid)).toBe(true);
    client.child.kill(signal);
    expect(await client.ended()).toEqual(orderly);
    expect(isAlive(pid)).toBe(false);
  });

  test("at once by a second signal", async () => {
    // The server ignores everything but SIGKILL, so that an orderly end has to wait for it.
    using stubborn = new Place({ stubborn: faulty("stubborn") });
    const client = await Client.connect(["--toolsets", "discovery"], { place: stubborn });
    await client.request("tools/call", {
      name: "call_tool",
      arguments: { server_name: "stubborn", tool_name: "echo" },
    });
    client.child.kill("SIGTERM");
    client.child.kill("SIGINT");
    expect([130, 143]).toContain((await client.ended()).code);
  });

  const isLinux = process.platform === "linux";

  test.runIf(isLinux)("by SIGTERM, while its configuration is to come by a pipe that nobody writes to", async () => {
    using waiting = new Place();
    const pipe = createPipe(waiting);
    const client = new Client(waiting.start(["serve", "--config", pipe]));
    const descriptors = `/proc/${client.child.pid}/fd`;
    const opened = () => readdirSync(descriptors).map((name) => readlinkSync(join(descriptors, name)));
    await vi.waitFor(() => expect(opened()).toContain(pipe), { timeout: 20_000, interval: 50 });
    client.child.kill("SIGTERM");
    expect(await client.ended()).toEqual({ code: 143, signal: null });
  });

  test.runIf(isLinux).each([
    ["SIGTERM", (child: ChildProcessWithoutNullStreams) => child.kill("SIGTERM")],
    ["two signals", (child: ChildProcessWithoutNullStreams) => child.kill("SIGTERM") && child.kill("SIGINT")],
    ["the end of its stdin", (child: ChildProcessWithoutNullStreams) => child.stdin.end()],
  ])("by %s, even while the system keeps a thread of it for ever", async (_name, stop) => {
    using stuck = new Place({});
    const preload = `import { open } from "node:fs"; open(${JSON.stringify(createPipe(stuck))}, "r", () => {});`;
    const client = await Client.connect([], { preload, place: stuck });
    stop(client.child);
    expect(await client.ended()).toEqual({ code: null, signal: "SIGKILL" });
    expect(client.stderr).toContain("the process ends itself with SIGKILL");
  });

  test("quietly when nobody reads its answers any more", async () => {
    const client = await Client.connect();
    client.child.stdout.destroy();
    client.send({ id: 99, method: "tools/list" });
    expect(await client.ended()).toEqual(orderly);
    expect(client.stderr).toBe("");
  });

  test("when a message has no end", async () => {
    const client = await Client.connect();
    const block = Buffer.alloc(1024 * 1024, "x");
    for (let sent = 0; sent < 12; sent++) client.child.stdin.write(block);
    expect(await client.ended()).toEqual(orderly);
    expect(client.stderr).toMatch(/^protocol: .*exceeded maximum size.*\n$/);
  });
});

describe("it goes on", () => {
  test("after an exception that nobody caught, with one line on stderr", async () => {
    const preload = `
      process.on("SIGUSR2", () => {
        Promise.reject(new Error("stray\\nrejection"));
        setImmediate(() => { throw new Error("stray exception"); });
      });`;
    const client = await Client.connect([], { preload });
    client.child.kill("SIGUSR2");
    await client.hears("exception");
    expect(await client.toolNames()).toHaveLength(2);
    expect(client.stderr).toBe("error internal: stray rejection\nerror internal: stray exception\n");
    client.child.stdin.end();
    expect(await client.ended()).toEqual(orderly);
  });

  test("after lines that are not messages", async () => {
    const client = await Client.connect();
    client.child.stdin.write("not json\n");
    expect(await client.toolNames()).toHaveLength(2);
    client.child.stdin.end();
    await client.ended();
  });
});

test("notes of the configuration and tools that are left out are told once, on stderr", async () => {
  using noted = new Place({ hostile: escaping(), local: { ...faulty(), headers: { a: "b" } } });
  const client = await Client.connect([], { place: noted });
  await client.toolNames();
  await client.toolNames();
  await client.hears("left out");
  const [unused, accepted, left, ...more] = client.stderr.trimEnd().split("\n");
  expect(unused).toBe("mcpServers.local.headers is not used: the server is local");
  expect(accepted).toMatch(/^The servers of .*mcp_servers\.json count as accepted as they are: hostile, local\. /);
  expect([left, more]).toEqual(["hostile: left out tool 4: it has no name", []]);
  client.child.stdin.end();
  await client.ended();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // there is no such process
  }
}

function createPipe({ folder }: Place): string {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  return path;
}
