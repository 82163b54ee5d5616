import type { ServerConfig } from "../config/server.ts";
import { createUpstreams, type Requests } from "./upstreams.ts";

/** A first start may download the server. */
const firstStartMs = 3 * 60_000;

/** Starts a server once, apart from those in use, and asks for its tools. */
export async function tryServer(
  server: ServerConfig,
  { version, signal }: { readonly version: string; readonly signal?: AbortSignal | undefined },
): ReturnType<Requests["list"]> {
  await using trial = createUpstreams([server], {
    version,
    connectTimeoutMs: firstStartMs,
    callTimeoutMs: firstStartMs,
  });
  return await trial.to(server.name).list({ signal });
}
