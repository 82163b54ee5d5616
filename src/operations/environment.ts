import type { AnyOperation } from "./operation.ts";
import type { Services } from "./services.ts";

/** Language environments and the packages in them. */
export function environmentOperations(_services: Services): readonly AnyOperation[] {
  return [];
}
