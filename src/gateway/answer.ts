import type { CallToolResult } from "@modelcontextprotocol/server";
import { CoordinatorError, messageOf, messageWithHint } from "../errors.ts";
import { type AnyOperation, type OperationContext, runOperation } from "../operations/operation.ts";
import type { Artifacts } from "../store/artifacts.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import { artifactContent } from "./artifact-content.ts";
import { attachedItems, contentItems } from "./content-items.ts";

/** Runs an operation for a client, and answers as its version of the protocol wants it; whatever goes wrong is an answer too. */
export async function answer(
  operation: AnyOperation,
  args: unknown,
  context: Partial<OperationContext>,
  log: { warn(text: string): void },
  client: { readonly artifacts: Artifacts; readonly protocolVersion: string | undefined },
): Promise<CallToolResult> {
  try {
    const output: unknown = await runOperation(operation, args, context);
    for (const notice of operation.notices?.(output) ?? []) log.warn(notice);
    const { data, meta } = structured(operation, output);
    return {
      content: contentOf(operation, output, client),
      structuredContent: data,
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
      ...(operation.failed?.(output) && { isError: true }),
    };
  } catch (thrown) {
    return failure(thrown, client.protocolVersion);
  }
}

function contentOf(
  operation: AnyOperation,
  output: unknown,
  { artifacts, protocolVersion }: Parameters<typeof answer>[4],
): CallToolResult["content"] {
  const own = operation.content?.(output) ?? [];
  if (own.length > 0) return contentItems(own, protocolVersion);
  const attached = operation.attached?.(output) ?? [];
  const left = { addresses: operation.artifacts?.(output) ?? [], except: attached.map(({ artifact }) => artifact) };
  return [
    { type: "text", text: operation.show(output) },
    ...attachedItems(artifacts, attached, protocolVersion),
    ...artifactContent(artifacts, left, protocolVersion),
  ];
}

/** Says in `_meta` that the structured content was put into an object, for a program that wants it as it was. */
const wrapped = "mcp-coordinator/wrapped";

/** The protocol wants an object; what is none is put into one. */
function structured(operation: AnyOperation, output: unknown) {
  const data: unknown = operation.structure ? operation.structure(output) : output;
  const meta = operation.meta?.(output) ?? {};
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  if (isObject) return { data: data as Record<string, unknown>, meta };
  return { data: { result: data }, meta: { ...meta, [wrapped]: true } };
}

/** What went wrong; and what a tool has sent with its error, its texts being the message. */
function failure(thrown: unknown, protocolVersion: string | undefined): CallToolResult {
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
    content: [{ type: "text", text: messageWithHint(thrown) }, ...contentItems(others, protocolVersion)],
    structuredContent: { error },
    isError: true,
  };
}
