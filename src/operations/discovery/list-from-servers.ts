import { asRun } from "../../door/run-log.ts";
import { messageWithHint } from "../../errors.ts";
import type { ListName } from "../../upstream/list-pages.ts";
import type { OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";

/** An entry of a server's list as the server sent it, and whose it is. */
export type ServerItem = Readonly<Record<string, unknown>> & { readonly server: string };

export interface ServerItems {
  readonly entries: readonly ServerItem[];
  /** Servers whose list is missing or not whole, and why. */
  readonly failed: readonly { readonly server: string; readonly message: string }[];
}

const askedAtATime = 4;

/** What the server lists, or all that the run may use; one that is named has to answer. */
export async function listFromServers(
  { libraries, door, journal }: Pick<Services, "libraries" | "door" | "journal">,
  name: ListName,
  only: string | undefined,
  context: OperationContext,
): Promise<ServerItems> {
  const { servers } = context.may ?? {};
  const reachable = libraries.modules.map((module) => module.name).filter((server) => servers?.has(server) ?? true);
  return asRun(journal, context, async (actor) => {
    const found = new Map<string, ServerItems>();
    const waiting = only === undefined ? [...reachable] : [only];
    const worker = async (): Promise<void> => {
      for (let server = waiting.shift(); server !== undefined; server = waiting.shift()) {
        const listing = door.list(server, name, actor).then(({ items, truncated }) => listed(server, items, truncated));
        found.set(server, await (only === undefined ? listing.catch((thrown) => failed(server, thrown)) : listing));
      }
    };
    await Promise.all(Array.from({ length: askedAtATime }, worker));
    const inOrder = (only === undefined ? reachable : [only]).flatMap((server) => found.get(server) ?? []);
    return {
      entries: inOrder.flatMap((one) => one.entries),
      failed: inOrder.flatMap((one) => one.failed),
    };
  });
}

function listed(server: string, items: readonly unknown[], truncated: true | undefined): ServerItems {
  const objects = items.filter((item): item is object => typeof item === "object" && item !== null);
  const message = `Only the first ${items.length} are listed: the server has more, or its pages do not end`;
  return {
    // Last, so that no server can speak for another.
    entries: objects.map((item) => ({ ...item, server })),
    failed: truncated ? [{ server, message }] : [],
  };
}

function failed(server: string, thrown: unknown): ServerItems {
  return { entries: [], failed: [{ server, message: messageWithHint(thrown) }] };
}
