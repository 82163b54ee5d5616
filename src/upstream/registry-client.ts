import { type RegistryServer, readRegistryPage, readRegistryServer } from "../catalog/registry/server-json.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import { quietFetch } from "./transport/quiet-fetch.ts";

const timeoutMs = 15_000;
const pageSize = 100;
const mostPages = 5;
const mostWords = 4;
const mostBytes = 8_000_000;

interface Ask {
  /** The registry's address. */
  readonly url: string;
  readonly signal?: AbortSignal | undefined;
}

/** The newest versions of servers whose name has one of the words: the registry itself searches names only. */
export async function findInRegistry(words: readonly string[], ask: Ask): Promise<readonly RegistryServer[]> {
  const found = new Map<string, RegistryServer>();
  for (const word of words.slice(0, mostWords)) {
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page++) {
      const query = new URLSearchParams({ search: word, version: "latest", limit: String(pageSize) });
      if (cursor !== undefined) query.set("cursor", cursor);
      const { servers, next } = readRegistryPage(await get(`v0.1/servers?${query}`, ask));
      for (const server of servers) found.set(server.name, server);
      if (next === undefined || next === cursor) break;
      cursor = next;
    }
  }
  return [...found.values()];
}

/** One server by its exact name; undefined when the registry has none. */
export async function readFromRegistry(name: string, ask: Ask): Promise<RegistryServer | undefined> {
  const answer = await get(`v0.1/servers/${encodeURIComponent(name)}/versions/latest`, ask);
  return answer === undefined ? undefined : readRegistryServer(answer);
}

/** The answer as data; undefined for 404. */
async function get(path: string, { url, signal }: Ask): Promise<unknown> {
  const target = new URL(path, url.endsWith("/") ? url : `${url}/`);
  const limit = new AbortController();
  // The request itself does not keep the process alive; the timer does.
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  try {
    const stop = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    const response = await quietFetch(target, { signal: stop });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return JSON.parse(await readBounded(response));
  } catch (thrown) {
    const why = limit.signal.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(thrown);
    throw new CoordinatorError("network_failed", `Cannot ask the registry at ${target.host}: ${why}`, {
      hint: "`find` without --online searches the snapshot that comes with this version.",
      cause: thrown,
    });
  } finally {
    clearTimeout(timer);
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error(`its answer has more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
