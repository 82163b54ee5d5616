import { ProtocolError, ProtocolErrorCode, type Result, type ServerContext } from "@modelcontextprotocol/server";
import type { Coordinator } from "../operations/coordinator.ts";
import { type Exchange, handshakeExchange, reaches } from "./exchange.ts";
import type { Exposed, Handed, Notice } from "./exposed.ts";
import { checkParams, type HandlerTable } from "./handler-table.ts";
import type { ParkedCalls } from "./parked-calls.ts";
import type { Params, RawServer } from "./raw-server.ts";

export interface Together {
  readonly coordinator: Coordinator;
  readonly server: RawServer;
  /** What we have ourselves. */
  readonly own: HandlerTable;
  /** What the servers have that clients see as they are. */
  readonly exposed: Exposed | undefined;
  readonly parked: ParkedCalls;
  readonly callerId: string;
}

/** Our own addresses of resources; all others are of exposed servers. */
const ownAddress = /^(?:coordinator|servers|artifact):/;
/** What is shown with others' is kept no longer than what is ours alone. */
const keptMs = 5 * 60_000;
const changes = new Set(["tools", "prompts", "resources"].map((kind) => `notifications/${kind}/list_changed`));

/** Whether a notification says that a list has changed. */
export function isChange({ method }: Notice): boolean {
  return changes.has(method);
}

/** Answers a client's requests: from what is ours, from what is exposed, or from both together. */
export function serveTogether(together: Together): void {
  const { server, own, exposed } = together;
  const { tools, prompts, resources, completions, logging } = server.getCapabilities();
  const client = (): string | undefined => server.getClientVersion()?.name;
  const level: { wanted?: string } = {};
  const handle = (method: string, work: (handed: Handed, context: ServerContext) => Promise<Result>): void =>
    server.handle(method, async (params, context) => {
      checkParams(method, params);
      const go = (exchange: Exchange) => work({ method, params, client: client(), exchange }, context);
      const { parked, callerId } = together;
      if (!isModern(server))
        return withoutHints(await go(handshakeExchange(server, context, { callerId, logLevel: level.wanted })));
      return withoutIdentity(await parked.serve({ method, params, callerId, context }, go));
    });
  const list = async (
    kind: "tools" | "prompts" | "resources" | "resourceTemplates",
    method: string,
    params: Params,
    context: ServerContext,
  ) => {
    const ours = await own.run(method, params, context);
    const items = (ours?.[kind] ?? []) as Params[];
    const theirs = await exposed?.list(kind, new Set(items.map(({ name }) => String(name))));
    const hints = theirs && { ttlMs: Math.min(theirs.ttlMs, keptMs), cacheScope: ours ? "private" : theirs.cacheScope };
    return { ...ours, ...hints, [kind]: [...items, ...(theirs?.items ?? [])] };
  };
  if (tools) {
    handle("tools/list", ({ params }, context) => list("tools", "tools/list", params, context));
    handle("tools/call", async (handed) => {
      const { params, exchange } = handed;
      const name = String(params["name"]);
      const taken = own.toolNames;
      if (exposed && !taken.has(name) && (await exposed.has("tools", name, taken)))
        return exposed.call("tools", handed);
      if (own.callTool) return own.callTool(params, exchange, handed.client);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
    });
  }
  if (prompts) {
    handle("prompts/list", ({ params }, context) => list("prompts", "prompts/list", params, context));
    handle("prompts/get", async (handed, context) => {
      const { params } = handed;
      const name = String(params["name"]);
      const taken = exposed ? await own.promptNames(context) : new Set<string>();
      if (exposed && !taken.has(name) && (await exposed.has("prompts", name, taken)))
        return exposed.call("prompts", handed);
      const ours = await own.run("prompts/get", params, context);
      if (ours) return ours;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
    });
  }
  if (resources) {
    handle("resources/list", ({ params }, context) => list("resources", "resources/list", params, context));
    handle("resources/templates/list", ({ params }, context) =>
      list("resourceTemplates", "resources/templates/list", params, context),
    );
    handle("resources/read", async (handed, context) => {
      const uri = String(handed.params["uri"]);
      if (exposed && !(own.has("resources/read") && ownAddress.test(uri))) return exposed.toResource(uri, handed);
      return (await own.run("resources/read", handed.params, context)) as Result;
    });
  }
  if (completions && exposed) handle("completion/complete", (handed) => exposed.complete(handed));
  if (logging) {
    handle("logging/setLevel", async (handed) => {
      level.wanted = String(handed.params["level"]);
      await exposed?.toAll("logging", handed);
      return {};
    });
  }
  if (exposed) serveNotices(together, exposed, handle, level);
}

type Handle = (method: string, work: (handed: Handed) => Promise<Result>) => void;

/** What servers tell unasked: lists that changed, resources that changed, log messages. */
function serveNotices({ server }: Together, exposed: Exposed, handle: Handle, level: { wanted?: string }): void {
  const { subscriptions } = exposed;
  const { resources } = server.getCapabilities();
  if (resources?.subscribe) {
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
  server.oninitialized = () => {
    const stop = exposed.onNotice((notice) => {
      const uri = notice.params?.["uri"];
      if (notice.method === "notifications/resources/updated" && !subscriptions.has(String(uri), server)) return;
      if (reaches(notice, level.wanted ?? "debug")) server.tell(notice);
    });
    server.onOver(() => {
      stop();
      for (const uri of subscriptions.of(server)) subscriptions.remove(uri, server);
    });
  };
}

function isModern(server: RawServer): boolean {
  return (server.getNegotiatedProtocolVersion() ?? "") >= "2026";
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
