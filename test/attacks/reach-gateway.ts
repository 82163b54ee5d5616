import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** How the gateway is started. */
interface Program {
  readonly config: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** Where it keeps its data. */
  readonly data: string;
}

/** A gateway as a process, and a client of it. */
export interface Reached extends AsyncDisposable {
  readonly pid: number;
  readonly client: Client;
  /** The client leaves, with every session that it has; another one takes its place. */
  leave(): Promise<void>;
}

/** How it is reached. What the gateway says on stderr goes to `log`, also when this fails. */
export type Reach = (program: Program, log: (text: string) => void) => Promise<Reached>;

const cli = resolve("dist/cli.js");

export const onStdio: Reach = async ({ config, cwd, env }, log) => {
  const args = [cli, "serve", "--config", config];
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd, stderr: "pipe", env });
  transport.stderr?.on("data", (chunk: Buffer) => log(chunk.toString()));
  const client = await connect(transport);
  return {
    pid: transport.pid as number,
    client,
    leave: () => Promise.reject(new Error("a gateway on stdio ends with its client")),
    [Symbol.asyncDispose]: () => client.close(),
  };
};

export const overHttp: Reach = async ({ config, cwd, env, data }, log) => {
  const args = [cli, "serve", "--http", "--port", "0", "--config", config];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "pipe"], env });
  const exit = once(child, "exit");
  try {
    const url = await Promise.race([addressIn(child.stderr, log), exit.then(() => undefined)]);
    if (url === undefined) throw new Error("it ended");
    const authorization = `Bearer ${readFileSync(join(data, "http-token"), "utf8").trim()}`;
    const enter = async () => {
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { authorization } },
      });
      return { transport, client: await connect(transport) };
    };
    let present = await enter();
    const go = async () => {
      await present.transport.terminateSession();
      await present.client.close();
    };
    return {
      pid: child.pid as number,
      get client() {
        return present.client;
      },
      async leave() {
        await go();
        present = await enter();
      },
      async [Symbol.asyncDispose]() {
        await Promise.race([go().catch(() => {}), delay(goodbyeMs)]); // what an attack has broken may not answer
        child.kill("SIGTERM");
        await exit;
      },
    };
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  }
};

const goodbyeMs = 5000;

async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: "attacks", version: "1" });
  await client.connect(transport);
  await client.listTools();
  return client;
}

function addressIn(stderr: Readable, log: (text: string) => void): Promise<string> {
  return new Promise((found) => {
    let said = "";
    stderr.on("data", (chunk: Buffer) => {
      log(chunk.toString());
      said = (said + chunk.toString()).slice(-10_000);
      const url = /http:\S+\/mcp/.exec(said)?.[0];
      if (url !== undefined) found(url);
    });
  });
}
