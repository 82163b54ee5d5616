// Our upstream client, doing what the scenarios of the conformance suite ask of a client:
// `node client.mjs <url>`, with the scenario's name and context in the environment. Needs dist/.
// CONFORMANCE_ROOMS is the module that has our client. The suite starts all its scenarios at once; CONFORMANCE_SLOTS is a
// folder in which a few at a time take their turn.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === "2026-07-28";
// After so many sign-ins in a row a server that still wants one is given up, as a user would.
const mostSignIns = 3;
const mostAtOnce = 4;

const slot = process.env.CONFORMANCE_SLOTS && (await takeSlot(process.env.CONFORMANCE_SLOTS));
const folder = mkdtempSync(join(tmpdir(), "mcp-conformance-"));
process.env.MCP_COORDINATOR_HOME = join(folder, "home");
const config = join(folder, "mcp_servers.json");
const entry = { type: "http", url, protocolEra: isModern ? "modern" : "legacy", auth: authOf() };
writeFileSync(config, JSON.stringify({ mcpServers: { tested: entry } }));

const { Coordinator, servicesOf } = await import(process.env.CONFORMANCE_ROOMS);
const coordinator = await Coordinator.open({ config });
const { upstreams, signIns, libraries } = servicesOf(coordinator);

async function takeSlot(slots) {
  for (let turn = 0; ; turn++) {
    const path = join(slots, String(turn % mostAtOnce));
    try {
      mkdirSync(path);
      return path;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      await delay(100);
    }
  }
}

/** What a user would have written into the configuration. */
function authOf() {
  const { client_id: clientId, client_secret: clientSecret } = context;
  if (scenario === "auth/client-credentials-basic") return { grant: "client_credentials", clientId, clientSecret };
  if (clientId !== undefined) return { clientId, clientSecret };
  return { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" };
}

/** Does it; signs in when that is wanted, with a browser whose user says yes, and does it again. */
async function signedIn(work) {
  for (let signIn = 0; ; signIn++) {
    try {
      return await work();
    } catch (error) {
      if (error.code !== "sign_in_needed" || signIn === mostSignIns) throw error;
      await signIns.signIn("tested", { onAddress: (address) => void fetch(address).catch(() => {}) });
    }
  }
}

/** Answers questions with what their schema has as defaults. */
const caller = {
  id: "conformance",
  capabilities: { elicitation: { form: {} } },
  async ask(_method, params) {
    const properties = Object.entries(params?.requestedSchema?.properties ?? {});
    const content = properties.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]));
    return { action: "accept", content: Object.fromEntries(content) };
  },
};

const call = (name, args = {}) =>
  signedIn(() => upstreams.to("tested").call(name, args, { caller, timeoutMs: 100_000 }));

/** Something that fits the schema of an argument. */
function sample({ type, default: value, enum: [first] = [] }) {
  return value ?? first ?? { number: 3, integer: 3, boolean: true, array: [], object: {} }[type] ?? "text";
}

async function callAll() {
  const { library } = await signedIn(() => libraries.refresh("tested"));
  for (const { name, inputSchema } of library.tools) {
    const properties = Object.entries(inputSchema.properties ?? {});
    await call(name, Object.fromEntries(properties.map(([argument, schema]) => [argument, sample(schema)])));
  }
}

try {
  if (context.toolCalls) {
    for (const { name, arguments: args } of context.toolCalls) await call(name, args);
  } else await callAll();
  // The authorization server may have changed since.
  if (scenario === "auth/authorization-server-migration") await callAll();
} catch (error) {
  process.stderr.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await coordinator.close();
  rmSync(folder, { recursive: true, force: true });
  if (slot) rmSync(slot, { recursive: true });
}
process.exit();
