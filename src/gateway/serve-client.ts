import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import { plainLine } from "../catalog/plain-text.ts";
import { type ListKind, listMethods } from "../upstream/list-pages.ts";
import { checkParams } from "./check-params.ts";
import type { Client } from "./client.ts";
import { handshakeRequest, reaches, type Work } from "./client-request.ts";
import type { ExposedServers } from "./exposed-servers.ts";
import type { OwnHandlers } from "./own-handlers.ts";
import type { ParkedCalls } from "./parked-calls.ts";
import { anything, type Params, type RawServer } from "./raw-server.ts";

interface Served {
  readonly server: RawServer;
  readonly client: Client;
  readonly own: OwnHandlers;
  /** What the servers have that clients see as they are. */
  readonly exposed: ExposedServers | undefined;
  readonly parked: ParkedCalls;
}

type Handle = (method: string, work: Work) => void;

/** Our own addresses of resources; all others are of exposed servers. */
const ownAddress = /^(?:coordinator|servers|artifact):/;
/** How long a client of 2026-07-28 may keep what is ours, alone or together with what others have. */
export const keptMs = 5 * 60_000;

/** Answers a client's requests: from what is ours, from what is exposed, or from both together. */
export function serveClient(served: Served): void {
  const { server, client, exposed, parked } = served;
  const { tools, prompts, resources, completions, logging } = server.getCapabilities();
  const handle: Handle = (method, work) =>
    server.setRequestHandler(method, { params: anything }, async (params, context) => {
      checkParams(method, params);
      const leg = { method, params, client, context };
      if (client.isModern) return withoutIdentity(await parked.serve(leg, work));
      return withoutHints(await work(handshakeRequest(leg)));
    });
  if (tools) serveNamed("tools", "tools/call", served, handle);
  if (prompts) serveNamed("prompts", "prompts/get", served, handle);
  if (resources) serveAddresses(served, handle);
  if (completions && exposed) handle("completion/complete", (request) => exposed.complete(request));
  if (logging) {
    handle("logging/setLevel", async (request) => {
      client.logLevel = String(request.params["level"]);
      await exposed?.setLevel(request);
      return {};
    });
  }
  if (exposed && resources?.subscribe) serveSubscriptions(served, exposed, handle);
  if (exposed) server.oninitialized = () => tellNotifications(served, exposed);
}

/** Lists tools, or prompts, and takes what is asked of one by its name. */
function serveNamed(kind: "tools" | "prompts", method: string, served: Served, handle: Handle): void {
  const { own, exposed } = served;
  const taken = own.names[kind];
  serveList(kind, served, handle);
  handle(method, async (request) => {
    const name = String(request.params["name"]);
    const theirs = taken.has(name) ? undefined : await exposed?.find(kind, name, taken);
    if (exposed && theirs) {
      const result = await exposed.call(kind, theirs, request);
      return kind === "tools" ? inAnObject(result, theirs.item["outputSchema"], served) : result;
    }
    const ours = await own.handlers[method]?.(request);
    if (ours) return ours;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${kind.slice(0, -1)}: ${plainLine(name, 200)}`);
  });
}

function serveAddresses(served: Served, handle: Handle): void {
  const { own, exposed } = served;
  const readOwn = own.handlers["resources/read"];
  serveList("resources", served, handle);
  serveList("resourceTemplates", served, handle);
  handle("resources/read", async (request) => {
    const uri = String(request.params["uri"]);
    if (exposed && !(readOwn && ownAddress.test(uri))) return exposed.toResource(uri, request);
    return (await readOwn?.(request)) ?? {};
  });
}

function serveList(kind: ListKind, { own, exposed }: Served, handle: Handle): void {
  const method = listMethods[kind];
  handle(method, async (request) => {
    const ours = await own.handlers[method]?.(request);
    const items = (ours?.[kind] ?? []) as Params[];
    const theirs = await exposed?.list(kind, new Set(items.map(({ name }) => String(name))));
    const hints = theirs && { ttlMs: Math.min(theirs.ttlMs, keptMs), cacheScope: ours ? "private" : theirs.cacheScope };
    return { ...ours, ...hints, [kind]: [...items, ...(theirs?.items ?? [])] };
  });
}

function serveSubscriptions({ server, client }: Served, exposed: ExposedServers, handle: Handle): void {
  const { subscribers } = exposed;
  const isWanted = (uri: string) => [...subscribers].some(({ subscriptions }) => subscriptions.has(uri));
  server.onOver(() => subscribers.delete(client));
  handle("resources/subscribe", async (request) => {
    const uri = String(request.params["uri"]);
    const isAsked = isWanted(uri);
    subscribers.add(client);
    client.subscriptions.add(uri);
    if (isAsked) return {};
    return exposed.toResource(uri, request).catch((thrown) => {
      client.subscriptions.delete(uri);
      throw thrown;
    });
  });
  handle("resources/unsubscribe", async (request) => {
    const uri = String(request.params["uri"]);
    const isLast = client.subscriptions.delete(uri) && !isWanted(uri);
    return isLast ? exposed.toResource(uri, request) : {};
  });
}

/** What servers tell unasked: lists that changed, resources that changed, log messages. */
function tellNotifications({ server, client }: Served, exposed: ExposedServers): void {
  const stop = exposed.onNotification((notification) => {
    const uri = notification.params?.["uri"];
    if (notification.method === "notifications/resources/updated" && !client.subscriptions.has(String(uri))) return;
    if (reaches(notification, client.logLevel ?? "debug")) client.tell(notification);
  });
  server.onOver(stop);
}

/** Clients before 2026-07-28 take only objects as structured content, which is what the SDK has told them to expect. */
function inAnObject(result: Result, schema: unknown, { server, client }: Served): Result {
  if (client.isModern || result["structuredContent"] === undefined) return result;
  return server.projectCallToolResult(result as CallToolResult, schema as Params | undefined);
}

/** Clients before 2026-07-28 know none of these. */
function withoutHints(result: Result): Result {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = withoutIdentity(result) as Params;
  return rest;
}

/** To the client it is we who answer, whichever server did. */
function withoutIdentity(result: Result): Result {
  const { _meta: meta, ...rest } = result;
  if (meta?.["io.modelcontextprotocol/serverInfo"] === undefined) return result;
  const { "io.modelcontextprotocol/serverInfo": _server, ...kept } = meta;
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept };
}
