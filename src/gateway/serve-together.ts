import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Client } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";
import { type ListKind, listMethods } from "../upstream/list-pages.ts";
import { type Exchange, handshakeExchange, reaches } from "./exchange.ts";
import type { Exposed, Handed, Notice } from "./exposed.ts";
import { checkParams, type HandlerTable } from "./handler-table.ts";
import type { ParkedCalls } from "./parked-calls.ts";
import type { Params, RawServer } from "./raw-server.ts";

export interface Together {
  readonly server: RawServer;
  /** What we have ourselves. */
  readonly own: HandlerTable;
  /** What the servers have that clients see as they are. */
  readonly exposed: Exposed | undefined;
  readonly parked: ParkedCalls;
  readonly who: Client;
}

/** How a method is answered. */
type Handle = (method: string, work: (handed: Handed, context: ServerContext) => Promise<Result>) => void;

/** Our own addresses of resources; all others are of exposed servers. */
const ownAddress = /^(?:coordinator|servers|artifact):/;
/** How long a client of 2026-07-28 may keep what is ours; what is shown with others' no longer. */
export const keptMs = 5 * 60_000;
export const changes: ReadonlySet<string> = new Set(
  ["tools", "prompts", "resources"].map((kind) => `notifications/${kind}/list_changed`),
);

/** Whether a notification says that a list has changed. */
export function isChange({ method }: Notice): boolean {
  return changes.has(method);
}

/** Answers a client's requests: from what is ours, from what is exposed, or from both together. */
export function serveTogether(together: Together): void {
  const { server, exposed, parked, who } = together;
  const { tools, prompts, resources, completions, logging } = server.getCapabilities();
  const level: { wanted?: string } = {};
  const handle: Handle = (method, work) =>
    server.handle(method, async (params, context) => {
      checkParams(method, params);
      const client = server.getClientVersion()?.name;
      const go = (exchange: Exchange) => work({ method, params, client, exchange }, context);
      if (isModern(server)) return withoutIdentity(await parked.serve({ method, params, who, context }, go));
      return withoutHints(await go(handshakeExchange(server, context, { who, logLevel: level.wanted })));
    });
  if (tools) serveTools(together, handle);
  if (prompts) serveNamedPrompts(together, handle);
  if (resources) serveAddresses(together, handle);
  if (completions && exposed) handle("completion/complete", (handed) => exposed.complete(handed));
  if (logging) {
    handle("logging/setLevel", async (handed) => {
      level.wanted = String(handed.params["level"]);
      await exposed?.toAll("logging", handed);
      return {};
    });
  }
  if (exposed && resources?.subscribe) serveSubscriptions(server, exposed, handle);
  if (exposed) server.oninitialized = () => tellNotices(server, exposed, level);
}

function serveTools(together: Together, handle: Handle): void {
  const { server, own, exposed } = together;
  serveList("tools", together, handle);
  handle("tools/call", async (handed) => {
    const name = String(handed.params["name"]);
    if (exposed && !own.toolNames.has(name) && (await exposed.has("tools", name, own.toolNames))) {
      return inAnObject(await exposed.call("tools", handed), exposed.outputSchema(name), server);
    }
    if (own.callTool) return own.callTool(handed.params, handed.exchange, handed.client);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${plainLine(name, 200)}`);
  });
}

function serveNamedPrompts(together: Together, handle: Handle): void {
  const { own, exposed } = together;
  serveList("prompts", together, handle);
  handle("prompts/get", async (handed, context) => {
    const name = String(handed.params["name"]);
    const taken = exposed ? await own.promptNames(context) : new Set<string>();
    if (exposed && !taken.has(name) && (await exposed.has("prompts", name, taken))) {
      return exposed.call("prompts", handed);
    }
    const ours = await own.run("prompts/get", handed.params, context);
    if (ours) return ours;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${plainLine(name, 200)}`);
  });
}

function serveAddresses(together: Together, handle: Handle): void {
  const { own, exposed } = together;
  serveList("resources", together, handle);
  serveList("resourceTemplates", together, handle);
  handle("resources/read", async (handed, context) => {
    const uri = String(handed.params["uri"]);
    if (exposed && !(own.has("resources/read") && ownAddress.test(uri))) return exposed.toResource(uri, handed);
    return (await own.run("resources/read", handed.params, context)) as Result;
  });
}

function serveList(kind: ListKind, { own, exposed }: Together, handle: Handle): void {
  const method = listMethods[kind];
  handle(method, async ({ params }, context) => {
    const ours = await own.run(method, params, context);
    const items = (ours?.[kind] ?? []) as Params[];
    const theirs = await exposed?.list(kind, new Set(items.map(({ name }) => String(name))));
    const hints = theirs && { ttlMs: Math.min(theirs.ttlMs, keptMs), cacheScope: ours ? "private" : theirs.cacheScope };
    return { ...ours, ...hints, [kind]: [...items, ...(theirs?.items ?? [])] };
  });
}

function serveSubscriptions(server: RawServer, exposed: Exposed, handle: Handle): void {
  const { subscriptions } = exposed;
  handle("resources/subscribe", async (handed) => {
    const uri = String(handed.params["uri"]);
    if (!subscriptions.add(uri, server)) return {};
    return exposed.toResource(uri, handed).catch((thrown) => {
      subscriptions.remove(uri, server);
      throw thrown;
    });
  });
  handle("resources/unsubscribe", async (handed) => {
    const uri = String(handed.params["uri"]);
    return subscriptions.remove(uri, server) ? exposed.toResource(uri, handed) : {};
  });
}

/** What servers tell unasked: lists that changed, resources that changed, log messages. */
function tellNotices(server: RawServer, exposed: Exposed, level: { readonly wanted?: string }): void {
  const { subscriptions } = exposed;
  const stop = exposed.onNotice((notice) => {
    const uri = notice.params?.["uri"];
    if (notice.method === "notifications/resources/updated" && !subscriptions.has(String(uri), server)) return;
    if (reaches(notice, level.wanted ?? "debug")) server.tell(notice);
  });
  server.onOver(() => {
    stop();
    for (const uri of subscriptions.of(server)) subscriptions.remove(uri, server);
  });
}

function isModern(server: RawServer): boolean {
  return (server.getNegotiatedProtocolVersion() ?? "") >= "2026";
}

/** Clients before 2026-07-28 take objects only as structured content; the SDK has told them of an object, too. */
function inAnObject(result: Result, schema: Params | undefined, server: RawServer): Result {
  if (isModern(server) || result["structuredContent"] === undefined) return result;
  return server.projectCallToolResult(result as CallToolResult, schema);
}

/** Clients before 2026-07-28 know none of these. */
function withoutHints(result: Result): Result {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = withoutIdentity(result) as Params;
  return rest;
}

/** Who answers is we, whoever has made the answer. */
function withoutIdentity(result: Result): Result {
  const { _meta: meta, ...rest } = result;
  if (meta?.["io.modelcontextprotocol/serverInfo"] === undefined) return result;
  const { "io.modelcontextprotocol/serverInfo": _server, ...kept } = meta;
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept };
}
