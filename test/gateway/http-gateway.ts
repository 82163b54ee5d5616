import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Connected, cli, exitOf } from "./connect.ts";

interface HttpClientOptions {
  readonly modern?: boolean;
  readonly name?: string;
  readonly capabilities?: ClientCapabilities;
  prepare?(client: Client): void;
}

export interface HttpGateway extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly child: ChildProcess;
  /** What it has said on stderr. */
  readonly said: () => string;
  connect(options?: HttpClientOptions): Promise<Omit<Connected, "pid">>;
  /** A request by hand, with the token unless other headers are given. */
  ask(body?: string | object, options?: { path?: string; method?: string; headers?: object }): Promise<Response>;
}

/** The real gateway as a process that serves over HTTP, on a free port. */
export function serveHttp(place: { config: string; home: string }, ...args: string[]): Promise<HttpGateway> {
  return serveHttpBy(place, [cli, "serve", "--http", "--port", "0", "--config", place.config, ...args]);
}

/** The same by another program, which says its address first. */
export async function serveHttpBy({ home }: { home: string }, program: string[]): Promise<HttpGateway> {
  const child = spawn(process.execPath, program, {
    stdio: ["ignore", "inherit", "pipe"],
    env: { PATH: process.env["PATH"] ?? "", MCP_COORDINATOR_HOME: join(home, "data") },
  });
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const [line] = (await once(createInterface({ input: child.stderr as NodeJS.ReadableStream }), "line")) as [string];
  const url = /http:\S+\/mcp/.exec(line)?.[0];
  if (url === undefined) throw new Error(line);
  const token = readFileSync(join(home, "data", "http-token"), "utf8").trim();
  return {
    url,
    token,
    child,
    said: () => said,
    connect: (options) => connectHttp(url, token, options),
    ask: (body, { path = "/mcp", method = body === undefined ? "GET" : "POST", headers } = {}) =>
      fetch(new URL(path, url), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exitOf(child);
    },
  };
}

async function connectHttp(
  url: string,
  token: string,
  { modern, name = "test", capabilities = {}, prepare }: HttpClientOptions = {},
): Promise<Omit<Connected, "pid">> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const client = new Client(
    { name, version: "1" },
    { capabilities, ...(modern && { versionNegotiation: { mode: { pin: "2026-07-28" } } }) },
  );
  prepare?.(client);
  await client.connect(transport);
  return {
    client,
    call: (name, args = {}) =>
      client.callTool({ name, arguments: args as Record<string, unknown> }) as ReturnType<Connected["call"]>,
    async [Symbol.asyncDispose]() {
      await transport.terminateSession();
      await client.close();
    },
  };
}
