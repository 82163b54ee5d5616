import type { AnyOperation } from "./operation.ts";
import type { Services } from "./services.ts";

/** The files of the workspace, for AI clients and guests. */
export function fileOperations(_services: Services): readonly AnyOperation[] {
  return [];
}
