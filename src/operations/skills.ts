import type { AnyOperation } from "./operation.ts";
import type { Services } from "./services.ts";

/** Saving, finding and running skills. */
export function skillOperations(_services: Services): readonly AnyOperation[] {
  return [];
}
