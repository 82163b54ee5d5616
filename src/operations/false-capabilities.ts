import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Upstreams } from "../upstream/upstreams.ts";

const methodNotFound = -32601;
const timeoutMs = 10_000;

/** What a server says it has, and then does not know how to list. That it fails in another way is no proof. */
export async function falseCapabilities(
  upstreams: Pick<Upstreams, "describe" | "request">,
  server: string,
): Promise<string[]> {
  try {
    const { capabilities } = await upstreams.describe(server, { timeoutMs });
    const declared = (["resources", "prompts"] as const).filter((kind) => capabilities[kind] !== undefined);
    const isFalse = await Promise.all(declared.map((kind) => isUnknown(upstreams, server, kind)));
    return declared.filter((_kind, index) => isFalse[index]);
  } catch (thrown) {
    if (thrown instanceof UpstreamError) return [];
    throw thrown;
  }
}

async function isUnknown(upstreams: Pick<Upstreams, "request">, server: string, kind: string): Promise<boolean> {
  const request = { method: `${kind}/list`, params: {}, what: `list the ${kind}` };
  return upstreams.request(server, request, { timeoutMs }).then(
    () => false,
    (thrown: unknown) => thrown instanceof UpstreamError && thrown.rpcCode === methodNotFound,
  );
}
