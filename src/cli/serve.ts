import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { defineCommand } from "citty";
import { plainLine } from "../catalog/plain-text.ts";
import type { Toolset } from "../config/schema.ts";
import { messageOf } from "../errors.ts";
import type { Coordinator } from "../operations/coordinator.ts";
import { commonArguments, misused, readList, suggestion } from "./arguments.ts";
import { endMs, onInterruption } from "./interruption.ts";
import { openCoordinator } from "./open.ts";
import { talk } from "./print.ts";
import { tellEngine } from "./tell-engine.ts";

export const serveArguments = {
  toolsets: { type: "string", valueHint: "a,b", description: "The groups of tools that the client sees" },
  ...commonArguments,
} as const;

/** By then a client has its list of tools, so that nothing done now delays it. */
const settledMs = 3000;

export const serve = defineCommand({
  meta: { name: "serve", description: "MCP server on stdio; the same as no command" },
  args: serveArguments,
  async run({ args }) {
    compileEarly();
    const stop = new AbortController();
    endWith(stop);
    keepServing(stop);
    const [coordinator, { serveOnStdio }] = await Promise.all([openCoordinator(args), import("../gateway/server.ts")]);
    const toolsets = chosenToolsets(readList(args.toolsets), coordinator);
    const gateway = serveOnStdio(coordinator, { toolsets, onError: (error) => tellAndCheck(error, stop) });
    for (const note of coordinator.config.notes) talk(note);
    coordinator.services.servers.follow(talk);
    setTimeout(() => {
      void tellEngine(coordinator, "python");
      void tellSkipped(coordinator);
    }, settledMs).unref();
    if (!stop.signal.aborted) await once(stop.signal, "abort");
    await Promise.race([Promise.all([gateway.close(), coordinator.close()]), delay(endMs)]);
  },
});

/**
 * A gateway lives long and does few things often: V8 compiles those long before it usually would. For Node 20
 * only; later ones have a compiler in between, and no such flag.
 */
function compileEarly(): void {
  if (!process.versions.node.startsWith("20.")) return;
  setFlagsFromString("--interrupt-budget=5000");
  setFlagsFromString("--no-lazy-feedback-allocation");
}

function endWith(stop: AbortController): void {
  const end = () => stop.abort();
  onInterruption(end);
  process.stdin.once("end", end).once("close", end);
}

/** One request that went wrong must not end the others. At the end, what is cut off may complain; nobody needs to know. */
function keepServing({ signal }: AbortController): void {
  // Rejections that nobody handles come here too.
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (thrown) => {
    if (!signal.aborted) talk(`error internal: ${plainLine(messageOf(thrown), 500)}`);
  });
}

function tellAndCheck(error: Error, stop: AbortController): void {
  if ((error as NodeJS.ErrnoException).code !== "EPIPE") talk(`protocol: ${plainLine(error.message, 500)}`);
  // The transport gives up over a message without end, or when its answers are not read; nobody is served from then on.
  setImmediate(() => process.stdin.listenerCount("data") === 0 && stop.abort());
}

function chosenToolsets(
  wanted: readonly string[] | undefined,
  { config, operations }: Coordinator,
): readonly Toolset[] {
  if (wanted === undefined) return config.toolsets;
  const known = new Set(operations.flatMap(({ toolset }) => toolset ?? []));
  const isKnown = (name: string): name is Toolset => known.has(name as Toolset);
  const unknown = wanted.find((name) => !isKnown(name));
  if (unknown !== undefined)
    throw misused(`There is no toolset ${JSON.stringify(unknown)}`, suggestion(unknown, [...known]));
  if (wanted.length === 0) throw misused("--toolsets needs a name", suggestion("", [...known]));
  return wanted.filter(isKnown);
}

async function tellSkipped({ services: { libraries } }: Coordinator): Promise<void> {
  await libraries.discover();
  for (const { name } of libraries.modules) {
    for (const skipped of libraries.peek(name)?.skipped ?? []) {
      talk(plainLine(`${name}: left out ${skipped.name}: ${skipped.reason}`, 500));
    }
  }
}
