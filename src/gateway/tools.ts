import type { CallToolResult } from "@modelcontextprotocol/server";
import type { OnProgress } from "../actor.ts";
import type { Coordinator } from "../app/coordinator.ts";
import { servicesOf } from "../app/services-of.ts";
import { plainLine } from "../catalog/plain-text.ts";
import { CoordinatorError, messageOf, messageWithHint } from "../errors.ts";
import { type AnyOperation, type Presented, perform, textOf } from "../operations/operation.ts";
import type { Services } from "../operations/services.ts";
import type { Notices } from "../runtime/notices.ts";
import type { Artifacts } from "../runtime/results/artifacts.ts";
import { isFields } from "../system/fields.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Client } from "./client.ts";
import { type ClientRequest, type Handlers, tellProgress } from "./client-request.ts";
import { artifactItems, attachedItems, contentItems } from "./content-items.ts";
import { createToolDefinitions, visibleOperations } from "./tool-definitions.ts";

/** The most often that a client is told of progress. */
const progressIntervalMs = 200;
const longestLine = 500;

/** Lists the operations that clients see as tools, and runs them. */
export function toolHandlers(coordinator: Coordinator, operations: readonly AnyOperation[]): Handlers {
  const services = servicesOf(coordinator);
  const toolDefinitions = createToolDefinitions(coordinator);
  return {
    "tools/list": async ({ client }) => {
      client.tools ??= await toolDefinitions();
      setImmediate(() => coordinator.warmUp());
      return { tools: client.tools };
    },
    "tools/call": (request) => {
      const name = String(request.params["name"]);
      const operation = operations.find((known) => known.name === name);
      return operation ? answer(operation, request, services) : unknownTool(name, visibleOperations(coordinator));
    },
  };
}

/** Models call a server's tool directly now and then: the answer says what to do instead. */
function unknownTool(name: string, operations: readonly AnyOperation[]): CallToolResult {
  const known = operations.map((operation) => operation.name).join(", ");
  const text = `There is no tool "${plainLine(name, 200)}" here, only ${known}. Tools of MCP servers are imported in execute_code; search_tools finds them.`;
  return { content: [{ type: "text", text }], isError: true };
}

/** Runs an operation for a client, and answers as its version of the protocol wants it; whatever goes wrong is an answer too. */
export async function answer(
  operation: AnyOperation,
  request: ClientRequest,
  { artifacts, notices }: Pick<Services, "artifacts" | "notices">,
): Promise<CallToolResult> {
  const { client, caller, signal } = request;
  using log = logDuring(request, notices);
  try {
    const context = {
      signal,
      client: client.name,
      via: "call_tool" as const,
      caller,
      onProgress: progressReporter(request),
    };
    const presented = await perform(operation, request.params["arguments"], context);
    for (const notice of presented.notices ?? []) log.warn(notice);
    return {
      content: await contentOf(presented, artifacts, client),
      ...structured(presented),
      ...(presented.failed && { isError: true }),
    };
  } catch (thrown) {
    return failure(thrown, client);
  }
}

/** Tells a client, as far as it wants to know, what happens while its request is under way. */
function logDuring({ notify }: ClientRequest, notices: Notices): Disposable & { warn(text: string): void } {
  const warn = (text: string, logger?: string): void => {
    const params = { level: "warning", data: plainLine(text, longestLine), ...(logger !== undefined && { logger }) };
    notify({ method: "notifications/message", params });
  };
  return { warn, [Symbol.dispose]: notices.listen(({ about, message }) => warn(message, about)) };
}

function progressReporter(request: ClientRequest): OnProgress | undefined {
  if (request.progressToken === undefined) return undefined;
  let progress = 0;
  let last = 0;
  return (message) => {
    progress++;
    if (performance.now() - last < progressIntervalMs && progress > 1) return;
    last = performance.now();
    tellProgress(request, { progress, message });
  };
}

async function contentOf(
  presented: Presented,
  artifacts: Artifacts,
  client: Client,
): Promise<CallToolResult["content"]> {
  const { content = [], attached = [], artifacts: left = [] } = presented;
  if (content.length > 0) return contentItems(content, client);
  return [
    { type: "text", text: textOf(presented) },
    ...(await attachedItems(artifacts, attached, client)),
    ...(await artifactItems(artifacts, left, attached, client)),
  ];
}

/** Says in `_meta` that the structured content was put into an object, for a program that wants it as it was. */
const wrapped = "mcp-coordinator/wrapped";

/** The protocol wants an object; anything else is put into one. */
function structured({ data, meta = {} }: Presented): Pick<CallToolResult, "structuredContent" | "_meta"> {
  if (!isFields(data)) return { structuredContent: { result: data }, _meta: { ...meta, [wrapped]: true } };
  return { structuredContent: data, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

/** What went wrong, with what a tool sent beside the texts of its error, which are the message. */
function failure(thrown: unknown, client: Client): CallToolResult {
  const known = thrown instanceof CoordinatorError ? thrown : undefined;
  const upstream = thrown instanceof UpstreamError ? thrown : undefined;
  const { content, ...result } = (upstream?.result ?? {}) as { content?: unknown };
  const others = (Array.isArray(content) ? content : []).filter((item) => item?.type !== "text");
  const error = {
    code: known?.code ?? "internal",
    message: messageOf(thrown),
    ...(known?.hint && { hint: known.hint }),
    ...(upstream && { delivery: upstream.delivery }),
    ...(upstream?.retryAfterMs && { retryAfterMs: upstream.retryAfterMs }),
    ...(upstream?.result !== undefined && { result }),
  };
  return {
    content: [{ type: "text", text: messageWithHint(thrown) }, ...contentItems(others, client)],
    structuredContent: { error },
    isError: true,
  };
}
