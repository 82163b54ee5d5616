import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const terminal = fileURLToPath(new URL("./terminal.py", import.meta.url));
const require = createRequire(import.meta.url);

const node = (...args: string[]) => ({ command: process.execPath, args });

/** A server from npm. */
export const official = (name: string, ...args: string[]) =>
  node(require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args);
export const faulty = (...faults: string[]) =>
  node(fileURLToPath(new URL("../servers/faulty-server.mjs", import.meta.url)), ...faults);
/** One whose every text tries to take over a terminal. */
export const escaping = () => node(fileURLToPath(new URL("./escaping-server.mjs", import.meta.url)));

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

type Steps = readonly (readonly [text: string, when: string])[];

/** What somebody at a terminal has seen. `left`: how many of their texts they had no occasion to type. */
interface Typed {
  readonly written: string;
  readonly code: number;
  readonly left: number;
}

/** A folder with a configuration and a data folder of its own, in which the built command runs as a process. */
export class Place implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "mcp-cli-"));

  /** The user's own file; one that merely lies in the folder has servers that somebody has to accept first. */
  readonly #named: string | undefined;

  constructor(mcpServers?: object, coordinator: object = {}) {
    if (mcpServers) this.#named = this.write("mcp_servers.json", JSON.stringify({ mcpServers, coordinator }));
  }

  write(name: string, content: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  start(words: readonly string[], { preload }: { preload?: string } = {}): ChildProcessWithoutNullStreams {
    const flags = preload === undefined ? [] : ["--import", `data:text/javascript,${encodeURIComponent(preload)}`];
    return this.spawn(process.execPath, [...flags, program, ...words]);
  }

  spawn(command: string, args: readonly string[], { detached = false } = {}): ChildProcessWithoutNullStreams {
    const { PATH, HOME } = process.env;
    const named = this.#named === undefined ? {} : { MCP_SERVERS_CONFIG: this.#named };
    const env = { PATH, HOME, MCP_COORDINATOR_HOME: join(this.folder, "home"), ...named };
    return spawn(command, args, { cwd: this.folder, env, detached });
  }

  /** Runs the command to its end. */
  run(...words: string[]): Promise<Ended> {
    return this.feed("", ...words);
  }

  feed(input: string, ...words: string[]): Promise<Ended> {
    const child = this.start(words);
    child.stdin.end(input);
    return end(child);
  }

  /** The same on a terminal, which mixes what the command writes to stdout and to stderr. */
  async onTerminal(...words: string[]): Promise<string> {
    const line = [process.execPath, program, ...words].map((word) => `'${word}'`).join(" ");
    const child = this.spawn("script", ["-qec", line, "/dev/null"]);
    return (await end(child)).stdout;
  }

  /** The same on a terminal at which somebody types: each text when what it is paired with has been written. */
  typing(steps: Steps, ...words: string[]): Promise<Typed> {
    return this.atTerminal(steps, process.execPath, program, ...words);
  }

  /** The same with a line of bash, in which `$mcp` is the command. */
  inTerminal(steps: Steps, line: string): Promise<Typed> {
    return this.atTerminal(steps, "bash", "-c", `mcp="$0 $1"; ${line}`, process.execPath, program);
  }

  /** The same with any program. */
  async atTerminal(steps: Steps, ...command: string[]): Promise<Typed> {
    const { stdout, stderr } = await end(this.spawn("python3", [terminal, JSON.stringify(steps), ...command]));
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as Typed;
  }

  /** In a session of its own, which has no terminal, wherever the tests run. */
  withoutTerminal(input: string, ...words: string[]): Promise<Ended> {
    const child = this.spawn(process.execPath, [program, ...words], { detached: true });
    child.stdin.end(input);
    return end(child);
  }

  /** A line of bash, in which `$mcp` is the command. */
  inShell(line: string): Promise<Ended> {
    const child = this.spawn("bash", ["-c", `mcp="$0 $1"; ${line}`, process.execPath, program]);
    child.stdin.end();
    return end(child);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function end(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  // A command that has gone before it read its input.
  child.stdin.on("error", () => {});
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: await code };
}

/** What a terminal showed, without the places where its lines were too long for it. */
export function unfolded(written: string): string {
  return written.replaceAll("\r\n    | ", "").replaceAll("\r\n", "\n");
}
