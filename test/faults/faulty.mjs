// An MCP server that does, call by call, what it is told: `node faulty.mjs [option[=value]]…`
// Written by hand, so that no SDK corrects it. It has one tool, "work", whose argument "do" names what to do.
//
//   log=FILE     append the argument "call" of every call, so that "how often did it run?" has an answer
//   script=FILE  as long as that file names something to do, do that instead
//   http         streamable HTTP on a free port of 127.0.0.1, whose address is printed; otherwise stdio
//   at-start=…   exit, hang, or exit-after (the handshake)
//   stubborn     ignore the end of stdin and SIGTERM
//   banner       write lines to stdout that are not messages
//   boasts       declare prompts, resources and logging without having them
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const options = new Map(process.argv.slice(2).map((argument) => /^([^=]+)=?(.*)$/s.exec(argument).slice(1, 3)));
const megabyte = 1024 * 1024;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
const line = (message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const write = (data) => new Promise((resolve) => process.stdout.write(data, resolve));
let version = 1;

const work = () => ({
  name: "work",
  description: `Works, version ${version}`,
  inputSchema: {
    type: "object",
    properties: { do: { type: "string" }, call: { type: "string" }, ms: { type: "integer" } },
  },
});

function wanted(args) {
  try {
    return readFileSync(options.get("script"), "utf8").trim() || args.do;
  } catch {
    return args.do; // there is no script
  }
}

/** Starts a program that ignores SIGTERM, and tells its pid. Detached, it leads a session of its own. */
async function spawnStubborn(detached) {
  const code =
    "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.send('ready'); process.disconnect()";
  const stdio = ["ignore", "inherit", "inherit", "ipc"];
  const child = spawn(process.execPath, ["-e", code], { stdio, detached });
  await new Promise((resolve) => child.once("message", resolve));
  child.unref();
  return child.pid;
}

/** What may be done, given how to answer. What returns nothing has answered, or never will. */
const actions = {
  ok: () => text("done"),
  pid: () => text(process.pid),
  fail: () => ({ ...text("it did not work"), isError: true }),
  hang: () => undefined,
  stop: () => void process.kill(process.pid, "SIGSTOP"),
  kill: () => void process.kill(process.pid, "SIGKILL"),
  exit: () => void process.stderr.write("out of luck\n", () => process.exit(3)),
  abort: () => process.abort(),
  child: async () => text(await spawnStubborn(false)),
  daemon: async () => text(await spawnStubborn(true)),
  big: ({ args }) => text("x".repeat(args.megabytes * megabyte)),
  malformed: ({ args }) => args.result,
  late: async ({ args }) => {
    await wait(args.ms);
    return text("late");
  },
  change: async ({ send }) => {
    version++;
    await send({ method: "notifications/tools/list_changed" });
    return text("changed");
  },
  refuse: ({ send, id }) => send({ id, error: { code: -32000, message: "refused" } }),
  "wrong-id": async ({ send, id }) => {
    await send({ id: id + 1000, result: text("for somebody else") });
    await send({ id: "no such", result: text("for somebody else") });
  },
  twice: async ({ send, id, args }) => {
    await send({ id, result: text(`first ${args.call}`) });
    await send({ id, result: text(`second ${args.call}`) });
  },
  garbage: async () => {
    await write(
      `\u0000\u0001{{{\n[]\n"text"\n{"jsonrpc":"1.0"}\n{"jsonrpc":"2.0","method":7}\n${"z".repeat(megabyte)}\n`,
    );
    return text("done");
  },
  partial: async ({ id }) => {
    await write(line({ id, result: text("cut off") }).slice(0, 30));
    process.exit(0);
  },
  bytes: async ({ id, args }) => {
    for (const byte of Buffer.from(line({ id, result: text(args.text) }))) await write(Buffer.of(byte));
  },
  together: ({ id }) =>
    write(line({ method: "notifications/message", params: {} }).repeat(50) + line({ id, result: text("done") })),
  crlf: ({ id }) => write(line({ id, result: text("done") }).replace("\n", "\r\n")),
  batch: ({ id }) => write(`[${line({ id, result: text("done") }).trim()}]\n`),
  flood: async () => {
    const block = "y".repeat(megabyte);
    for (let megabytes = 0; megabytes < 120; megabytes++) await write(block);
  },
  notices: async ({ send }) => {
    const params = { level: "info", data: "again and again" };
    for (let count = 0; count < 20_000; count++) await send({ method: "notifications/message", params });
    return text("done");
  },
  stderr: async () => {
    const block = "e".repeat(megabyte);
    for (let megabytes = 0; megabytes < 20; megabytes++)
      await new Promise((resolve) => process.stderr.write(block, resolve));
    return text("done");
  },
  progress: async ({ send, meta }) => {
    for (let progress = 1; ; progress++) {
      await send({ method: "notifications/progress", params: { progressToken: meta.progressToken ?? 0, progress } });
      await wait(20);
    }
  },
  memory: () => {
    const held = [];
    for (;;) held.push(Array.from({ length: 100_000 }, () => Math.random()));
  },
};

async function answer({ id, method, params = {} }, send, more = {}) {
  if (method === "initialize") {
    if (options.get("at-start") === "hang") return;
    const boasts = options.has("boasts") ? { prompts: {}, resources: { subscribe: true }, logging: {} } : {};
    const capabilities = { tools: { listChanged: true }, ...boasts };
    const result = {
      protocolVersion: params.protocolVersion,
      capabilities,
      serverInfo: { name: "faulty", version: "1" },
    };
    return send({ id, result });
  }
  if (method === "notifications/initialized" && options.get("at-start") === "exit-after") process.exit(0);
  if (method === "notifications/cancelled" && options.has("log")) appendFileSync(options.get("log"), "cancelled\n");
  if (method === "ping") return send({ id, result: {} });
  if (method === "tools/list") return send({ id, result: { tools: [work()] } });
  if (method === "tools/call") {
    const { arguments: args = {}, _meta: meta = {} } = params;
    if (options.has("log")) appendFileSync(options.get("log"), `${args.call}\n`);
    const act = { ...actions, ...more }[wanted(args)] ?? actions.ok;
    const result = await act({ args, id, meta, send });
    return result && typeof result === "object" ? send({ id, result }) : undefined;
  }
  if (id !== undefined && method !== undefined)
    return send({ id, error: { code: -32601, message: "Method not found" } });
}

function serveStdio() {
  if (options.has("stubborn")) {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
  }
  const send = (message) => write(line(message));
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (received) => answer(JSON.parse(received), send));
}

function serveHttp() {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString());
    const begin = () => response.headersSent || response.writeHead(200, { "content-type": "text/event-stream" });
    const send = async (reply) => {
      begin();
      response.write(`event: message\ndata: ${line(reply)}\n`);
      if (reply.id !== undefined) response.end();
    };
    const status = (code, headers) => () => void response.writeHead(code, headers).end("no");
    const more = {
      busy: status(429, { "retry-after": "1" }),
      unavailable: status(503, { "retry-after": "3600" }),
      broken: status(500),
      drop: () => void begin().write(": working\n\n", () => request.socket.destroy()),
    };
    await answer(message, send, more);
    if (message.id === undefined) response.writeHead(202).end();
  });
  server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
  process.stdin.on("end", () => process.exit()).resume();
}

if (options.get("at-start") === "exit") {
  process.stderr.write("the database is missing\n");
  process.exit(1);
}
if (options.has("banner")) process.stdout.write("starting up…\nready\n\n");
if (options.has("http")) serveHttp();
else serveStdio();
