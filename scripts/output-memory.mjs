// Host memory while guests print: `node scripts/output-memory.mjs` after a build. One gateway a row, so that rows do not share a heap.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const code = {
  typescript: (lines) => `for (let i = 0; i < ${lines}; i++) console.log(String(i).padStart(99, "."))`,
  python: (lines) => `for i in range(${lines}): print(str(i).rjust(99, "."))`,
};

console.log("| language | session | printed | host before | host at most | more | seconds | status |");
console.log("|---|---|---|---|---|---|---|---|");
for (const language of ["typescript", "python"]) {
  for (const session of [undefined, "long"]) {
    for (const megabytes of [3, 30, 300]) console.log(await row(language, session, megabytes));
  }
}

async function row(language, session, megabytes) {
  const home = mkdtempSync(join(tmpdir(), "output-memory-"));
  const config = join(home, "servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers: {} }));
  const gateway = spawn(process.execPath, [program, "serve", "--config", config], {
    env: { ...process.env, MCP_COORDINATOR_HOME: home },
    stdio: ["pipe", "pipe", "ignore"],
  });
  try {
    const ask = createClient(gateway);
    const clientInfo = { name: "output-memory", version: "1" };
    await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    const execute = (text, timeout) =>
      ask("tools/call", {
        name: "execute_code",
        arguments: { code: text, language, timeout, ...(session && { session }) },
      });
    await execute("1", 30);
    const before = residentMb(gateway.pid);
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, residentMb(gateway.pid));
    }, 10);
    const started = performance.now();
    const { result } = await execute(code[language](megabytes * 10_000), 300);
    clearInterval(watch);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const { status } = result.structuredContent;
    const cells = [
      language,
      session ? "yes" : "no",
      `${megabytes} MB`,
      `${before} MB`,
      `${most} MB`,
      `${most - before} MB`,
      seconds,
      status,
    ];
    return `| ${cells.join(" | ")} |`;
  } finally {
    gateway.kill();
    await new Promise((resolve) => gateway.once("close", resolve));
    rmSync(home, { recursive: true, force: true });
  }
}

function createClient({ stdin, stdout }) {
  const waiting = new Map();
  let text = "";
  let lastId = 0;
  stdout.on("data", (chunk) => {
    const lines = (text + chunk).split("\n");
    text = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
    }
  });
  return (method, params) => {
    const id = ++lastId;
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
}

function residentMb(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024);
}
