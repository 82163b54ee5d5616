import { local } from "../actor.ts";
import { requestOf } from "../door/act.ts";
import { type Door, rawResult } from "../door/door.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { UpstreamView } from "../upstream/upstream-view.ts";

const methodNotFound = -32601;
const timeoutMs = 10_000;

/** What a server says it has, and then does not know how to list. That it fails in another way is no proof. */
export async function falseCapabilities(
  upstreams: Pick<UpstreamView, "describe">,
  door: Pick<Door, "pass">,
  server: string,
): Promise<string[]> {
  const isUnknown = (kind: string): Promise<boolean> =>
    door.pass(requestOf(server, `${kind}/list`, {}, `list the ${kind}`), local, rawResult, { timeoutMs }).then(
      () => false,
      (thrown: unknown) => thrown instanceof UpstreamError && thrown.rpcCode === methodNotFound,
    );
  try {
    const { capabilities } = await upstreams.describe(server, { timeoutMs });
    const declared = (["resources", "prompts"] as const).filter((kind) => capabilities[kind] !== undefined);
    const isFalse = await Promise.all(declared.map(isUnknown));
    return declared.filter((_kind, index) => isFalse[index]);
  } catch (thrown) {
    if (thrown instanceof UpstreamError) return [];
    throw thrown;
  }
}
