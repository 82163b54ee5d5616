// An MCP server over stdio that misbehaves as its arguments say: `node faulty-server.mjs [fault[=value]]…`
// Written by hand, so that no SDK corrects it. Tools: echo, pid, fail, refuse, crash, hang, big, environment, progress.
//
//   log=FILE          append the name of every tool that is called, and "cancelled" for every cancel notice
//   pages=N           N pages of one tool;  loop: pages whose cursor comes again;  endless: pages without an end
//   tools=N           N tools on one page;  no-tools: has no tools/list at all
//   junk              lines on stdout that are not messages;  split: answers in small pieces;  crlf
//   exit=CODE         write to stderr and exit at once;  exit-after-initialize=CODE
//   hang-initialize   never answer the handshake;  slow=MS: answer it late
//   modern-only       2026-07-28 only, from the official SDK, with one tool, "hello"
//   changes           say that the tools have changed, after every tools/list
//   stubborn          ignore the end of stdin and SIGTERM
//   fork              start a child that ignores SIGTERM and holds stdout open, and tell its pid by the tool "child"
//   flood             write a line without an end to stdout on the tool "flood"
//   instructions=TEXT its instructions
//   stderr=TEXT       write TEXT to stderr at the start
//   odd               results with fields of no standard, a tool without a schema
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const faults = new Map(process.argv.slice(2).map((argument) => /^([^=]+)=?(.*)$/s.exec(argument).slice(1, 3)));
const log = (word) => faults.has("log") && appendFileSync(faults.get("log"), `${word}\n`);

if (faults.has("stderr")) process.stderr.write(`${faults.get("stderr")}\n`);
if (faults.has("exit")) {
  process.stderr.write("the database is missing\n");
  process.exit(Number(faults.get("exit")));
}
if (faults.has("stubborn")) {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
}
const ignoresTerm = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.send?.('ready');";
const child = faults.has("fork")
  ? spawn(process.execPath, ["-e", ignoresTerm], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  : undefined;
const childIsReady = child && new Promise((resolve) => child.once("message", resolve));

function send(message) {
  const line = JSON.stringify({ jsonrpc: "2.0", ...message }) + (faults.has("crlf") ? "\r\n" : "\n");
  if (faults.has("junk")) process.stdout.write('starting up…\n\n[1, 2]\n{"level":"info"}\n{ broken\nnull\n');
  if (!faults.has("split")) return process.stdout.write(line);
  const bytes = Buffer.from(line);
  for (let start = 0; start < bytes.length; start += 3) process.stdout.write(bytes.subarray(start, start + 3));
}

const text = (value) => ({ content: [{ type: "text", text: value }] });
const tool = (name) => ({ name, description: `The tool ${name}`, inputSchema: { type: "object" } });

function listTools(cursor) {
  if (faults.has("pages")) {
    const page = Number(cursor ?? 0);
    const isLast = page + 1 >= Number(faults.get("pages"));
    return { tools: [tool(`tool_${page}`)], ...(isLast ? {} : { nextCursor: String(page + 1) }) };
  }
  if (faults.has("loop")) return { tools: [tool(`tool_${cursor ?? "first"}`)], nextCursor: "again" };
  if (faults.has("endless")) return { tools: [tool("tool")], nextCursor: String(Number(cursor ?? 0) + 1) };
  if (faults.has("tools")) {
    return { tools: Array.from({ length: Number(faults.get("tools")) }, (_, index) => tool(`tool_${index}`)) };
  }
  if (faults.has("odd")) return { tools: [{ name: "bare", "x-vendor": { kept: true } }, "not a tool"], extra: 1 };
  return { tools: ["echo", "pid", "fail", "refuse", "crash", "hang", "big"].map(tool) };
}

async function call(id, { name, arguments: args = {}, _meta = {} }) {
  log(name);
  if (name === "echo") {
    send({
      id,
      result: faults.has("odd") ? { content: [{ type: "hologram" }], extra: args } : text(JSON.stringify(args)),
    });
  } else if (name === "pid") send({ id, result: text(String(process.pid)) });
  else if (name === "child") {
    await childIsReady;
    send({ id, result: text(String(child.pid)) });
  } else if (name === "fail") send({ id, result: { ...text("it did not work"), isError: true } });
  else if (name === "refuse")
    send({ id, error: { code: -32602, message: "bad \u001b[31marguments", data: { field: "x" } } });
  else if (name === "malformed") send({ id, ...args });
  else if (name === "environment") send({ id, result: text(JSON.stringify(process.env)) });
  else if (name === "big") send({ id, result: text("x".repeat(args.megabytes * 1024 * 1024)) });
  else if (name === "flood") flood();
  else if (name === "close-stdout") process.stdout.end();
  else if (name === "progress") {
    for (const progress of [1, 2]) {
      send({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress, total: 2 } });
    }
    send({ id, result: text("done") });
  } else if (name === "late") setTimeout(() => send({ id, result: text("too late") }), args.ms);
  else if (name === "crash") {
    process.stderr.write(`out of luck ${process.env.TOKEN ?? ""}\n`, () => process.exit(3));
  } else if (name === "kill") process.kill(process.pid, "SIGKILL");
}

function flood() {
  const block = "y".repeat(1024 * 1024);
  const more = () => {
    while (process.stdout.write(block));
    process.stdout.once("drain", more);
  };
  more();
}

function initialize(id, protocolVersion) {
  if (faults.has("hang-initialize")) return process.stderr.write("waiting for a license\n");
  const serverInfo = { name: "faulty", version: "1.2.3", title: "Faulty" };
  const instructions = faults.get("instructions") ?? "Handle with care.";
  const result = { protocolVersion, capabilities: { tools: {} }, serverInfo, instructions };
  setTimeout(() => send({ id, result }), Number(faults.get("slow") ?? 0));
}

function answer({ id, method, params = {} }) {
  if (method === "initialize") initialize(id, params.protocolVersion);
  else if (method === "notifications/initialized" && faults.has("exit-after-initialize")) {
    process.exit(Number(faults.get("exit-after-initialize")));
  } else if (method === "notifications/cancelled") log("cancelled");
  else if (method === "tools/call") call(id, params);
  else if (method === "tools/list" && !faults.has("no-tools")) {
    send({ id, result: listTools(params.cursor) });
    if (faults.has("changes")) send({ method: "notifications/tools/list_changed" });
  } else if (id !== undefined && method !== undefined) {
    send({ id, error: { code: -32601, message: "Method not found" } });
  }
}

async function serveModern() {
  const { McpServer } = await import("@modelcontextprotocol/server");
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const create = () => {
    const server = new McpServer({ name: "modern-fixture", version: "2.0.0" });
    server.registerTool("hello", { description: "Says hello" }, () => text("hello from 2026"));
    return server;
  };
  await serveStdio(create, { legacy: "reject" });
}

if (faults.has("modern-only")) await serveModern();
else createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));
