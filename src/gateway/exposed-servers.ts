import { ProtocolError, ProtocolErrorCode, type Result, type ServerCapabilities } from "@modelcontextprotocol/server";
import { local, type Notification } from "../actor.ts";
import type { Coordinator } from "../app/coordinator.ts";
import { servicesOf } from "../app/services-of.ts";
import { plainLine } from "../catalog/plain-text.ts";
import { requestOf } from "../door/act.ts";
import { type ActResult, rawResult } from "../door/door.ts";
import { CoordinatorError, messageWithHint } from "../errors.ts";
import type { Services } from "../operations/services.ts";
import { errorMessageOf } from "../runtime/results/unwrap.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Client } from "./client.ts";
import { type ClientRequest, tellProgress } from "./client-request.ts";
import { createExposedLists, type ExposedItem, type ExposedLists, type NamedKind } from "./exposed-lists.ts";
import { type ExposedServer, offers } from "./exposed-server.ts";
import type { Params } from "./raw-server.ts";

/** How long a client waits at most for a server to start before it learns what there is. */
const startMs = 15_000;
/** What servers say of a resource that they do not have. */
const noResource = new Set([-32002, -32602]);

/** The servers whose tools, resources and prompts clients see beside ours, each as its server has it. */
export interface ExposedServers extends Pick<ExposedLists, "list" | "find"> {
  readonly capabilities: ServerCapabilities;
  readonly instructions: string;
  /** Clients that want to know when a resource changes: a server is asked once for all of them. */
  readonly subscribers: Set<Client>;
  /** Calls back for every notification that is not about one call, until what it returns is called. */
  onNotification(listener: (notification: Notification) => void): () => void;
  /** Calls a tool, or gets a prompt. */
  call(kind: NamedKind, found: ExposedItem, request: ClientRequest): Promise<Result>;
  /** To the server that has the resource; where that is not known, to one after the other. */
  toResource(uri: string, request: ClientRequest): Promise<Result>;
  complete(request: ClientRequest): Promise<Result>;
  /** To every server that has logs; failures are ignored. */
  setLevel(request: ClientRequest): Promise<void>;
}

/** Starts what is to be exposed, each as `name`, or `name=prefix` with what is put before its names. */
export async function openExposedServers(
  coordinator: Coordinator,
  entries: readonly string[],
  onError: (error: Error) => void,
): Promise<ExposedServers> {
  const services = servicesOf(coordinator);
  const { libraries, upstreams, pins } = services;
  const servers = await Promise.all(
    entries.map(async (entry): Promise<ExposedServer> => {
      const [text = "", prefix] = entry.split(/=(.*)/s, 2);
      const { name } = libraries.server(text);
      const described = await upstreams.describe(name, { timeoutMs: startMs }).catch((thrown: Error) => {
        onError(thrown);
        return undefined;
      });
      const info = described && ((await pins.shownInfo(name, described.info)) as typeof described.info);
      return { name, prefix, description: described && { ...described, info: info ?? described.info } };
    }),
  );
  return createExposed(servers, services, createExposedLists(servers, services, onError));
}

function createExposed(servers: readonly ExposedServer[], services: Services, lists: ExposedLists): ExposedServers {
  const send = createSend(services);
  const toResource: ExposedServers["toResource"] = async (uri, request) => {
    const owner = lists.ownerOf(uri);
    const candidates = owner ? [owner] : servers.filter((server) => offers(server, "resources"));
    let last: unknown = new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`, { uri });
    for (const server of candidates) {
      try {
        return await send(server, request);
      } catch (thrown) {
        last = thrown;
        if (!(thrown instanceof UpstreamError && noResource.has(thrown.rpcCode ?? 0))) break;
      }
    }
    return refuse(last);
  };
  return {
    capabilities: capabilitiesOf(servers),
    instructions: servers.flatMap(({ description }) => description?.info.instructions ?? []).join("\n\n"),
    subscribers: new Set(),
    onNotification: notificationsOf(servers, services),
    list: (kind, taken) => lists.list(kind, taken).catch(refuse),
    find: (kind, name, taken) => lists.find(kind, name, taken).catch(refuse),
    call: (kind, { owner, name }, request) =>
      send(owner, request, { ...request.params, name }).catch((thrown) => answerTo(kind, thrown)),
    toResource,
    async complete(request) {
      const { ref } = request.params as { ref?: { type?: unknown; name?: unknown; uri?: unknown } };
      if (ref?.type !== "ref/prompt") {
        if (!lists.ownerOf(String(ref?.uri))) await lists.list("resourceTemplates").catch(refuse);
        return toResource(String(ref?.uri), request);
      }
      const found = await lists.find("prompts", String(ref.name)).catch(refuse);
      if (!found)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${plainLine(String(ref.name), 200)}`);
      const { owner, name } = found;
      return send(owner, request, { ...request.params, ref: { ...ref, name } }).catch(refuse);
    },
    async setLevel(request) {
      const having = servers.filter(({ description }) => description?.capabilities.logging);
      await Promise.allSettled(having.map((server) => send(server, request)));
    },
  };
}

function capabilitiesOf(servers: readonly ExposedServer[]): ServerCapabilities {
  // A server that has not answered may yet have any of these.
  const unknown = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } };
  const merged: Record<string, object> = {};
  for (const { description } of servers) {
    const offered: ServerCapabilities = description?.capabilities ?? unknown;
    for (const name of ["tools", "prompts", "resources", "completions", "logging"] as const) {
      if (offered[name]) merged[name] = { ...merged[name], ...offered[name] };
    }
  }
  return merged;
}

function notificationsOf(servers: readonly ExposedServer[], { upstreams }: Services): ExposedServers["onNotification"] {
  const listeners = new Set<(notification: Notification) => void>();
  upstreams.onNotification((name, { method, params }, caller) => {
    if (!servers.some((server) => server.name === name)) return;
    if (method === "notifications/message" && caller?.notify) caller.notify({ method, params });
    else for (const listener of listeners) listener({ method, params });
  });
  return (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}

/** Hands a client's request on to a server. */
function createSend({ door }: Services) {
  return async (server: ExposedServer, request: ClientRequest, params = request.params): Promise<Result> => {
    const { method, client, caller, signal, progressToken } = request;
    const act = requestOf(server.name, method, forServer(params, request));
    const actor = { ...local, client: client.name, via: "exposed" as const, caller, signal };
    const onProgress = (progress: object): void => tellProgress(request, progress);
    const options = progressToken === undefined ? {} : { onProgress };
    return (await door.pass(act, actor, handedOn, options)) as Result;
  };
}

/** The answer as it came; one that tells of a failure is an answer too. */
function handedOn(result: unknown): ActResult<unknown> {
  return { ...rawResult(result), error: errorMessageOf(result) };
}

/** The client's own words for the server. Tokens for progress are between two neighbours: the next gets its own. */
function forServer(params: Params, { logLevel }: ClientRequest): Params {
  const { _meta: meta, ...rest } = params;
  const { progressToken: _token, ...kept } = (meta ?? {}) as Params;
  const all = { ...kept, ...(logLevel !== undefined && { "io.modelcontextprotocol/logLevel": logLevel }) };
  return Object.keys(all).length === 0 ? rest : { ...rest, _meta: all };
}

/** What the client gets for a failure: the server's own error as it is, ours as the result of a tool. */
function answerTo(kind: NamedKind, thrown: unknown): Result {
  const isOurs =
    thrown instanceof CoordinatorError && !(thrown instanceof UpstreamError && thrown.rpcCode !== undefined);
  if (kind !== "tools" || !isOurs) return refuse(thrown);
  return { content: [{ type: "text", text: messageWithHint(thrown) }], isError: true };
}

/** Throws it as an error of the protocol. */
function refuse(thrown: unknown): never {
  if (thrown instanceof UpstreamError && thrown.rpcCode !== undefined) {
    throw new ProtocolError(thrown.rpcCode, thrown.rpcMessage ?? thrown.message, thrown.rpcData);
  }
  if (!(thrown instanceof CoordinatorError)) throw thrown;
  throw new ProtocolError(ProtocolErrorCode.InternalError, messageWithHint(thrown));
}
