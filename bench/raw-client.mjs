// The least that an MCP client can do: it writes a line, reads a line, and parses it. No SDK.
import { spawn } from "node:child_process";
import { once } from "node:events";

const newline = 0x0a;

/** Starts a server and shakes hands with it. */
export async function connectRaw({ command = process.execPath, args, stderr = "ignore" }) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", stderr] });
  const waiting = new Map();
  child.stdin.on("error", () => {}); // it has ended, which is told
  child.once("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${args.join(" ")} ended with code ${code}`));
  });
  let lastId = 0;
  onLine(child.stdout, (line) => {
    const { id, result, error } = JSON.parse(line);
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  });
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  const clientInfo = { name: "raw", version: "1.0.0" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    pid: child.pid,
    callTool: (name, args = {}) => request("tools/call", { name, arguments: args }),
    async close() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** Lines as text; a long one is put together once, when its end is there. */
export function onLine(stream, take) {
  let held = [];
  stream.on("data", (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const last = chunk.subarray(start, end);
      const line = held.length === 0 ? last : Buffer.concat([...held, last]);
      held = [];
      start = end + 1;
      take(line.toString());
    }
    if (start < chunk.length) held.push(chunk.subarray(start));
  });
}
