import { exceeds } from "../system/json-bounds.ts";

/** Four megabytes of brackets take a second to parse, in which nobody else is answered. */
export const messageBounds = { depth: 512, values: 200_000 };

/** Values in what a client says of itself. The SDK looks at every one of them, several times. */
const mostOfClient = 10_000;

/** Why a body or a message is refused unread. */
export function tooInvolved(what: string): string {
  return `${what} nests deeper than ${messageBounds.depth} levels, or has more than ${messageBounds.values} values.`;
}

export const tooMuchOfClient = `The parameters of initialize, and _meta, may have ${mostOfClient} values at most.`;

/** A message as it was sent, of which nothing is certain. */
interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: { readonly _meta?: unknown; readonly requestId?: unknown } | null;
}

/** The messages of a body: one, or a batch. */
export function messagesIn(body: unknown): readonly (Message | null | undefined)[] {
  return [body].flat() as (Message | null | undefined)[];
}

/** Whether a client says very much of itself in a message or in one of a batch: in `initialize`, or in `_meta` of any other. */
export function saysTooMuch(body: unknown): boolean {
  return messagesIn(body).some((message) => {
    const said = message?.method === "initialize" ? message.params : message?.params?._meta;
    return hasMoreThan(mostOfClient, said);
  });
}

/** The same for a message that nobody has parsed: it is parsed only if it could be. */
export function saysTooMuchUnparsed(json: Buffer): boolean {
  if (!exceeds(json, { ...messageBounds, values: mostOfClient })) return false;
  try {
    return saysTooMuch(JSON.parse(json.toString("utf8")));
  } catch {
    return false;
  }
}

function hasMoreThan(most: number, value: unknown): boolean {
  const open = [value];
  let seen = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    for (const part of Object.values(next)) {
      if (++seen > most) return true;
      open.push(part);
    }
  }
  return false;
}
