import { CoordinatorError } from "../errors.ts";
import type { ApiFunction } from "../operations/guest-api.ts";
import { type AnyOperation, perform } from "../operations/operation.ts";
import type { GuestOperations } from "../runtime/guest-ports.ts";

/** What Python asks for when a guest wants help: it is nothing that guests import. */
const help = "help";

/** The operations that guests may call, by the names that guests have for them. */
export function guestOperations(
  operations: readonly AnyOperation[],
  api: () => readonly ApiFunction[],
): GuestOperations {
  const named = new Map(operations.flatMap((operation) => (operation.guest ? [[operation.guest, operation]] : [])));
  return {
    offered: [...named].map(([name, { positional = [] }]) => [name, ...positional] as const),
    isReadOnly: (name) => !named.has(name) || named.get(name)?.readOnly === true,
    isStoring: (name) => named.get(name)?.stores ?? false,
    isHeavy: (name) => named.get(name)?.heavy ?? false,
    async call(name, args, actor) {
      if (name === help) return Object.fromEntries(api().map((one) => [one.name, one.pythonHelp()]));
      const operation = named.get(name);
      if (!operation) throw new CoordinatorError("input_invalid", `Guests have no operation "${name}"`);
      const { language } = actor.run;
      const usage = () =>
        api()
          .find((one) => one.name === name)
          ?.usage(language);
      return (await perform(operation, args, { ...actor, calledAs: { name, usage } })).data;
    },
  };
}
