import { ProtocolError, ProtocolErrorCode, type Result, type ServerCapabilities } from "@modelcontextprotocol/server";
import { local } from "../actor.ts";
import { requestOf } from "../door/act.ts";
import { asItCame, type Came } from "../door/door.ts";
import { CoordinatorError, messageWithHint } from "../errors.ts";
import type { Coordinator } from "../operations/coordinator.ts";
import type { Services } from "../operations/services.ts";
import { failureOf } from "../runtime/unwrap.ts";
import type { ListKind } from "../upstream/list-pages.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Client } from "./client.ts";
import { type ClientRequest, tellProgress } from "./client-request.ts";
import { type ExposedServer, type Listed, listServer, offers, togetherHints } from "./exposed-lists.ts";
import { type Named, publicNames } from "./exposed-names.ts";
import type { Notice } from "./exposed-notices.ts";
import type { Params } from "./raw-server.ts";

/** How long a client waits at most for a server to start before it learns what there is. */
const startMs = 15_000;
/** What servers say of a resource that they do not have. */
const noResource = new Set([-32002, -32602]);

type NamedKind = "tools" | "prompts";

/** Starts what is to be exposed, each as `name`, or `name=prefix` with what is put before its names. */
export async function openExposed(
  { services }: Coordinator,
  entries: readonly string[],
  onError: (error: Error) => void,
): Promise<Exposed> {
  const { libraries, upstreams } = services;
  const servers = await Promise.all(
    entries.map(async (entry): Promise<ExposedServer> => {
      const [text = "", prefix] = entry.split(/=(.*)/s, 2);
      const { name } = libraries.server(text);
      const description = await upstreams.describe(name, { timeoutMs: startMs }).catch((thrown: Error) => {
        onError(thrown);
        return undefined;
      });
      return { name, prefix, description };
    }),
  );
  return new Exposed(servers, services, onError);
}

/** The servers whose tools, resources and prompts clients see beside ours, each as its server has it. */
export class Exposed {
  /** Clients that want to know when a resource changes: a server is asked once for all of them. */
  readonly subscribers = new Set<Client>();
  readonly #servers: readonly ExposedServer[];
  readonly #services: Services;
  readonly #onError: (error: Error) => void;
  /** The names that clients were last told, for their calls. */
  readonly #names: { [kind in NamedKind]?: ReadonlyMap<string, Named<ExposedServer>> } = {};
  /** Which server has an address, or a template of addresses. */
  readonly #owners = new Map<string, ExposedServer>();
  readonly #listeners = new Set<(notice: Notice) => void>();

  constructor(servers: readonly ExposedServer[], services: Services, onError: (error: Error) => void) {
    this.#servers = servers;
    this.#services = services;
    this.#onError = onError;
    services.upstreams.onNotice((name, { method, params }, caller) => {
      if (!servers.some((server) => server.name === name)) return;
      const notice = { method, ...(params && { params: { ...params } }) };
      if (method === "notifications/message" && caller?.notify) caller.notify(notice);
      else for (const listener of this.#listeners) listener(notice);
    });
  }

  get capabilities(): ServerCapabilities {
    // Of a server that has not answered, all may yet come.
    const unknown = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } };
    const merged: Record<string, object> = {};
    for (const { description } of this.#servers) {
      const offered: ServerCapabilities = description?.capabilities ?? unknown;
      for (const name of ["tools", "prompts", "resources", "completions", "logging"] as const) {
        if (offered[name]) merged[name] = { ...merged[name], ...offered[name] };
      }
    }
    return merged;
  }

  get instructions(): string {
    return this.#servers.flatMap(({ description }) => description?.info.instructions ?? []).join("\n\n");
  }

  /** Tells of every notification that is not about one call; the answer ends that. */
  onNotice(listener: (notice: Notice) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Everything of a kind, under the names that clients use; `taken` are names of ours. */
  async list(kind: ListKind, taken: ReadonlySet<string> = new Set()): Promise<Listed> {
    const listings = await Promise.all(this.#servers.map((server) => this.#listOne(server, kind)));
    const hints = togetherHints(listings);
    if (kind === "tools" || kind === "prompts") {
      const names = publicNames(
        taken,
        listings.map(({ server, items }) => ({ owner: server, server: server.name, prefix: server.prefix, items })),
      );
      this.#names[kind] = names;
      return { items: [...names.values()].map(({ item }) => item), ...hints };
    }
    const key = kind === "resources" ? "uri" : "uriTemplate";
    for (const { server, items } of listings.toReversed()) {
      for (const item of items) this.#owners.set(String(item[key]), server);
    }
    return { items: listings.flatMap(({ items }) => items), ...hints };
  }

  /** Whether a tool, or a prompt, of that name is theirs. */
  async has(kind: NamedKind, name: string, taken: ReadonlySet<string>): Promise<boolean> {
    if (!this.#names[kind]?.has(name)) await this.list(kind, taken);
    return this.#names[kind]?.has(name) ?? false;
  }

  /** What a tool says of its structured content. */
  outputSchema(tool: string): Params | undefined {
    return this.#names.tools?.get(tool)?.item["outputSchema"] as Params | undefined;
  }

  /** Calls a tool, or gets a prompt, that they have. */
  async call(kind: NamedKind, request: ClientRequest): Promise<Result> {
    const { owner, name } = this.#find(kind, request.params["name"]);
    return this.#send(owner, request, { ...request.params, name }).catch((thrown) => answerTo(kind, thrown));
  }

  /** To the server that has the resource; where that is not known, to one after the other. */
  async toResource(uri: string, request: ClientRequest): Promise<Result> {
    const owner = this.#owners.get(uri);
    const candidates = owner ? [owner] : this.#servers.filter((server) => offers(server, "resources"));
    let last: unknown = new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`, { uri });
    for (const server of candidates) {
      try {
        return await this.#send(server, request);
      } catch (thrown) {
        last = thrown;
        if (!(thrown instanceof UpstreamError && noResource.has(thrown.rpcCode ?? 0))) break;
      }
    }
    throw asProtocolError(last);
  }

  async complete(request: ClientRequest): Promise<Result> {
    const { ref } = request.params as { ref?: { type?: unknown; name?: unknown; uri?: unknown } };
    if (ref?.type !== "ref/prompt") {
      if (!this.#owners.has(String(ref?.uri))) await this.list("resourceTemplates");
      return this.toResource(String(ref?.uri), request);
    }
    await this.has("prompts", String(ref.name), new Set());
    const { owner, name } = this.#find("prompts", ref.name);
    return this.#send(owner, request, { ...request.params, ref: { ...ref, name } }).catch((thrown) => {
      throw asProtocolError(thrown);
    });
  }

  /** The same request to every server that has the capability; what fails is not told. */
  async toAll(capability: keyof ServerCapabilities, request: ClientRequest): Promise<void> {
    const having = this.#servers.filter(({ description }) => description?.capabilities[capability]);
    await Promise.allSettled(having.map((server) => this.#send(server, request)));
  }

  #find(kind: NamedKind, name: unknown): Named<ExposedServer> {
    const found = this.#names[kind]?.get(String(name));
    if (found) return found;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is none of the name ${JSON.stringify(name)}`);
  }

  async #listOne(server: ExposedServer, kind: ListKind): Promise<Listed & { readonly server: ExposedServer }> {
    try {
      return { server, ...(await listServer(server, kind, this.#services)) };
    } catch (thrown) {
      if (this.#servers.length === 1) throw asProtocolError(thrown);
      // One that fails does not take the others' with it.
      this.#onError(thrown as Error);
      return { server, items: [], ttlMs: 0, cacheScope: "private" };
    }
  }

  async #send(server: ExposedServer, request: ClientRequest, params = request.params): Promise<Result> {
    const { method, client, caller, signal, progressToken } = request;
    const act = requestOf(server.name, method, forServer(params, request));
    const actor = { ...local, client: client.name, caller, signal };
    const onProgress = (progress: object): void => tellProgress(request, progress);
    const options = progressToken === undefined ? {} : { onProgress };
    return (await this.#services.door.pass(act, actor, handedOn, options)) as Result;
  }
}

/** The answer as it came; one that tells of a failure is an answer too. */
function handedOn(result: unknown): Came<unknown> {
  return { ...asItCame(result), error: failureOf(result) };
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
  if (kind !== "tools" || !isOurs) throw asProtocolError(thrown);
  return { content: [{ type: "text", text: messageWithHint(thrown) }], isError: true };
}

function asProtocolError(thrown: unknown): unknown {
  if (thrown instanceof UpstreamError && thrown.rpcCode !== undefined) {
    return new ProtocolError(thrown.rpcCode, thrown.rpcMessage ?? thrown.message, thrown.rpcData);
  }
  if (!(thrown instanceof CoordinatorError)) return thrown;
  return new ProtocolError(ProtocolErrorCode.InternalError, messageWithHint(thrown));
}
