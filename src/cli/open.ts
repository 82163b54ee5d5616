import type { Coordinator } from "../app/coordinator.ts";
import type { LoadOptions } from "../config/load.ts";

/** The coordinator that a command works with. Loaded here, so that help and wrong usage are answered without it. */
export async function openCoordinator(
  { config }: { config?: string | undefined },
  options: Pick<LoadOptions, "mayBeMissing" | "toolsets"> = {},
): Promise<Coordinator> {
  const { Coordinator } = await import("../app/coordinator.ts");
  return Coordinator.open(config === undefined ? options : { config, ...options });
}
