import { CoordinatorError } from "../errors.ts";
import { type AnyOperation, perform } from "../operations/operation.ts";
import { isStoring } from "../operations/storage-use.ts";
import type { GuestOperations } from "../runtime/guest-ports.ts";

/** The operations that guests may call, by the names that guests have for them. */
export function guestOperations(operations: readonly AnyOperation[]): GuestOperations {
  const named = new Map(operations.flatMap((operation) => (operation.guest ? [[operation.guest, operation]] : [])));
  return {
    offered: [...named].map(([name, { positional = [] }]) => [name, ...positional] as const),
    isReadOnly: (name) => !named.has(name) || named.get(name)?.readOnly === true,
    isStoring,
    isHeavy: (name) => named.get(name)?.heavy ?? false,
    async call(name, args, actor) {
      const operation = named.get(name);
      if (!operation) throw new CoordinatorError("input_invalid", `Guests have no operation "${name}"`);
      return (await perform(operation, args, actor)).data;
    },
  };
}
