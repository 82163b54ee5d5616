/** Four megabytes of brackets take a second to parse, in which nobody else is answered. */
export const messageBounds = { depth: 512, values: 200_000 };

/** Why a body or a message is refused unread. */
export function tooInvolved(what: string): string {
  return `${what} nests deeper than ${messageBounds.depth} levels, or has more than ${messageBounds.values} values.`;
}
