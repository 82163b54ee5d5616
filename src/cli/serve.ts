import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { Coordinator } from "../app/coordinator.ts";
import { servicesOf } from "../app/services-of.ts";
import { plainLine } from "../catalog/plain-text.ts";
import { type Toolset, toolsetNames } from "../config/toolsets.ts";
import { messageOf, systemCode } from "../errors.ts";
import type { ExposedServers } from "../gateway/exposed-servers.ts";
import { type Arguments, type commonArguments, misused, suggestion, type Values } from "./line/arguments.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { saveCompileCache } from "./process/compile-cache.ts";
import { onOrphaned } from "./process/orphan.ts";
import { endMs, onInterruption } from "./terminal/interruption.ts";
import { talk } from "./terminal/print.ts";
import { tellEngine } from "./terminal/tell-engine.ts";

const serveArguments = {
  http: { type: "boolean", description: "Streamable HTTP instead of stdio, for any number of clients" },
  host: {
    type: "string",
    valueHint: "address",
    description: "With --http: the address to listen on; default 127.0.0.1",
  },
  port: { type: "number", description: "With --http: the port; default 7337, 0 for any free one" },
  toolsets: { type: "list", description: "The groups of tools that the client sees, or none" },
  expose: {
    type: "list",
    valueHint: "a,b=pre_",
    description: "Servers that the client sees as they are, with a prefix for their names",
  },
  frozen: { type: "boolean", description: "Hold servers, and what they offer, to mcp-coordinator.lock.json" },
} as const satisfies Arguments;

/** How long the end may take when clients get a moment to have their answers. */
const httpEndMs = 9000;
const tellEveryMs = 5000;
/** By then a client has its list of tools, so that nothing done now delays it. */
const settledMs = 3000;

export const serve = defineCommand({
  description: "MCP server on stdio, or HTTP; the same as no command",
  args: serveArguments,
  async run(args) {
    const address = readAddress(args);
    const stop = new AbortController();
    const mostMs = address ? httpEndMs : endMs;
    onInterruption(() => stop.abort(), mostMs);
    // Over HTTP nobody owns us: a service has no stdin.
    if (!address) {
      process.stdin.once("end", () => stop.abort()).once("close", () => stop.abort());
      onOrphaned(process.stdin, () => stop.abort());
    }
    keepServing(stop);
    const { coordinator, gateway } = await start(args, address, stop);
    const { config, servers } = servicesOf(coordinator);
    for (const note of config.notes) talk(note);
    for (const { name, reason, fix } of servers.leftOut) talk(`The server "${name}" is left out: ${reason}. ${fix}`);
    servers.follow(talk);
    setTimeout(() => {
      compileEarly();
      saveCompileCache();
      void tellEngine(coordinator, "python");
      void tellSkipped(coordinator).then(() => tellRules(coordinator));
      void import("./process/watchdog.ts").then(({ startWatchdog }) => startWatchdog());
    }, settledMs).unref();
    if (!stop.signal.aborted) await once(stop.signal, "abort");
    await Promise.race([end(gateway, coordinator), delay(mostMs)]);
  },
});

type ServeArguments = Values<typeof serveArguments & typeof commonArguments>;

interface Gateway {
  drain?(): Promise<void>;
  close(): Promise<void>;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Runs under way get a moment; then they are cut, which their clients are told. */
async function end(gateway: Gateway, coordinator: Coordinator): Promise<void> {
  await gateway.drain?.();
  await Promise.all([gateway.close(), coordinator.close()]);
}

async function start(
  args: ServeArguments,
  address: Address | undefined,
  stop: AbortController,
): Promise<{ coordinator: Coordinator; gateway: Gateway }> {
  const opening = openCoordinator(args, {
    toolsets: readToolsets(args.toolsets),
    tell: talk,
    ...(args.frozen && { lock: true }),
  });
  // Loaded meanwhile.
  const loading = address ? import("../gateway/http/serve.ts") : import("../gateway/stdio.ts");
  const [coordinator] = await Promise.all([opening, loading]);
  const exposed = await openChosen(args, coordinator);
  const gateway = address
    ? await startHttp(coordinator, exposed, address)
    : await startStdio(coordinator, exposed, stop);
  return { coordinator, gateway };
}

async function startStdio(coordinator: Coordinator, exposed: ExposedServers | undefined, stop: AbortController) {
  const { serveOnStdio } = await import("../gateway/stdio.ts");
  const options = { exposed, onError: (error: Error) => tellAndCheck(error, stop) };
  return serveOnStdio(coordinator, options, { input: process.stdin, output: process.stdout });
}

async function startHttp(coordinator: Coordinator, exposed: ExposedServers | undefined, address: Address) {
  const { serveOnHttp } = await import("../gateway/http/serve.ts");
  const gateway = await serveOnHttp(coordinator, { ...address, exposed, onError: occasionally(tellProtocol) });
  const { url, token } = gateway;
  talk(`listening on ${url}, for those who have the token in ${token.file}`);
  if (!gateway.isLoopback) talk("Others on the network can read what passes: put a proxy with TLS in front of it.");
  if (token.made !== undefined) {
    const entry = { type: "http", url, headers: { Authorization: `Bearer ${token.made}` } };
    talk(
      `A token was made; it is shown this once. The entry for clients:\n${JSON.stringify({ "mcp-coordinator": entry })}`,
    );
  }
  return gateway;
}

/** The servers that clients see as they are. */
async function openChosen(args: ServeArguments, coordinator: Coordinator): Promise<ExposedServers | undefined> {
  const { config } = servicesOf(coordinator);
  const expose = args.expose ?? config.expose;
  if (expose.length > 0) {
    const { openExposedServers } = await import("../gateway/exposed-servers.ts");
    return openExposedServers(coordinator, expose, tellProtocol);
  }
  if (config.toolsets.length > 0) return undefined;
  throw misused("Nothing would be served: --toolsets none needs servers to --expose");
}

/** Where to serve over HTTP; undefined for stdio. */
function readAddress(args: ServeArguments): Address | undefined {
  if (!args.http) {
    const without = (["host", "port"] as const).find((name) => args[name] !== undefined);
    if (without) throw misused(`--${without} is for --http`, "Add --http, or leave it out.");
    return undefined;
  }
  const port = args.port ?? 7337;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw misused(`--port cannot be "${port}"`, "Give a number from 0 to 65535.");
  }
  return { host: args.host ?? "127.0.0.1", port };
}

/**
 * A gateway lives long and does few things often: V8 compiles those long before it usually would. Not at the start,
 * which does each thing once. For Node 20 only; later ones have a compiler in between, and no such flag.
 */
function compileEarly(): void {
  if (!process.versions.node.startsWith("20.")) return;
  setFlagsFromString("--interrupt-budget=5000");
  setFlagsFromString("--no-lazy-feedback-allocation");
}

/** One request that went wrong must not end the others. At the end, what is cut off may complain; nobody needs to know. */
function keepServing({ signal }: AbortController): void {
  // Rejections that nobody handles come here too.
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (thrown) => {
    if (!signal.aborted) talk(`error internal: ${plainLine(messageOf(thrown), 500)}`);
  });
}

function tellProtocol(error: Error): void {
  if (systemCode(error) !== "EPIPE") talk(`protocol: ${plainLine(error.message, 500)}`);
}

/** Clients are told themselves what they did wrong: one that goes on doing it must not fill the log. */
function occasionally(tell: (error: Error) => void): (error: Error) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (performance.now() - last < tellEveryMs) return;
    last = performance.now();
    tell(error);
  };
}

function tellAndCheck(error: Error, stop: AbortController): void {
  tellProtocol(error);
  // The transport gives up over a message without end, or when its answers are not read; nobody is served from then on.
  setImmediate(() => process.stdin.listenerCount("data") === 0 && stop.abort());
}

/** Those of the configuration when undefined. */
function readToolsets(wanted: readonly string[] | undefined): readonly Toolset[] | undefined {
  if (wanted?.length === 1 && wanted[0] === "none") return [];
  if (wanted?.length === 0) throw misused("--toolsets needs a name", suggestion("", toolsetNames));
  return wanted?.map((name) => {
    const known = toolsetNames.find((toolset) => toolset === name);
    if (known) return known;
    throw misused(`There is no toolset ${JSON.stringify(name)}`, suggestion(name, toolsetNames));
  });
}

/** What servers offer is known by now: of those that were never asked no rule can be said to miss them. */
async function tellRules(coordinator: Coordinator): Promise<void> {
  const { followPolicy } = await import("../operations/policy/policy-news.ts");
  await followPolicy(servicesOf(coordinator), talk);
}

async function tellSkipped(coordinator: Coordinator): Promise<void> {
  const { libraries } = servicesOf(coordinator);
  await libraries.discover();
  for (const { name } of libraries.modules) {
    for (const skipped of libraries.skipped(name)) {
      talk(plainLine(`${name}: left out ${skipped.name}: ${skipped.reason}`, 500));
    }
  }
}
