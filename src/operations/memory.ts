import type { AnyOperation } from "./operation.ts";
import type { Services } from "./services.ts";

/** Values that guests keep between runs, by key. */
export function memoryOperations(_services: Services): readonly AnyOperation[] {
  return [];
}
