import { CoordinatorError } from "../errors.ts";
import type { AnyOperation } from "../operations/operation.ts";
import type { Services } from "../operations/services.ts";
import type { Wired } from "./wire.ts";

/** Kept beside the coordinators and not in them: the library's users see neither, nor the types of packages that they lack. */
const wiredOf = new WeakMap<object, Wired>();

export function keepWired(coordinator: object, wired: Wired): void {
  wiredOf.set(coordinator, wired);
}

/** What a coordinator works with, for the gateway and the commands. */
export function servicesOf(coordinator: object): Services {
  return get(coordinator).services;
}

/** Everything that a coordinator does, for the same. */
export function operationsOf(coordinator: object): readonly AnyOperation[] {
  return get(coordinator).operations;
}

export function operationNamed(coordinator: object, name: string): AnyOperation {
  const operation = operationsOf(coordinator).find((known) => known.name === name);
  if (operation) return operation;
  throw new CoordinatorError("input_invalid", `There is no operation "${name}"`);
}

function get(coordinator: object): Wired {
  const wired = wiredOf.get(coordinator);
  if (!wired) throw new TypeError("This is not a coordinator that Coordinator.open of this module made");
  return wired;
}
