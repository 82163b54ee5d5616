// The floor of a process in between: the product's own sandboxes and guests, from a pool like the product's, and a host that
// hands each call on to the echo server and each answer back. No validation, no limits, no door, no journal, no SDK. It is an
// MCP server by hand, with one tool: `run` gives a guest's value.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onLine } from "./raw-client.mjs";
import { openRooms } from "./rooms.mjs";
import { serveByHand } from "./serve-by-hand.mjs";
import { echoServer } from "./servers.mjs";

const { compile, createCPythonEngine, createDenoEngine, createPool, findProgram, readConfig } = await openRooms(
  `export { readConfig } from "./src/config/load.ts";
   export { findProgram } from "./src/app/find-program.ts";
   export { compile } from "./src/runtime/typescript/compile.ts";
   export { createPool } from "./src/sandbox/pool.ts";
   export { createDenoEngine } from "./src/sandbox/deno/engine.ts";
   export { createCPythonEngine } from "./src/sandbox/cpython/engine.ts";`,
  { "src/sandbox/open-sandbox.ts": fileURLToPath(new URL("bare-sandbox.mjs", import.meta.url)) },
);
/** When the product replaces a used sandbox. */
const refillDelayMs = 15;

const { limits } = readConfig('{"mcpServers":{}}', "relay.json", {}).sandbox;
const options = { limits, findProgram, isolation: "os" };
const languages = {
  typescript: { pool: createPool(createDenoEngine(options)), compile: (code) => compile(code).code },
  python: { pool: createPool(createCPythonEngine(options)), compile: (code) => code },
};
const library = {
  libraries: [{ server: "echo", module: "echo", tools: ["echo", "wait"].map((name) => [name, name]) }],
  modules: [],
  operations: [],
  imports: { allow: ["*"], deny: [] },
};

const server = spawn(echoServer.command, echoServer.args, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
onLine(server.stdout, (line) => {
  const { id, result } = JSON.parse(line);
  const answer = waiting.get(id);
  waiting.delete(id);
  answer(JSON.stringify(result.content[0].text));
});

function call({ id, tool, args }, answer) {
  waiting.set(id, answer);
  const params = { name: tool, arguments: args };
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
}

async function run({ code, language }) {
  const { pool, compile: compiled } = languages[language];
  const sandbox = await pool.take();
  try {
    return await sandbox.run({ ...library, code: compiled(code) }, call);
  } finally {
    sandbox.kill();
    setTimeout(() => pool.refill(), refillDelayMs);
  }
}

serveByHand({ run }, () => {
  server.stdin.end();
  return Promise.all(Object.values(languages).map(({ pool }) => pool.close()));
});
