import type { Coordinator, OpenOptions } from "../app/coordinator.ts";
import { useCompileCache } from "./process/compile-cache.ts";
import { interruption } from "./terminal/interruption.ts";
import { talk } from "./terminal/print.ts";
import { printOperation } from "./terminal/print-operation.ts";

type OurOptions =
  | "tell"
  | "mayBeMissing"
  | "toolsets"
  | "askers"
  | "accepters"
  | "waitSeconds"
  | "parkMinutes"
  | "lock";

/** The coordinator that a command works with. Loaded here, so that help and wrong usage are answered without it. */
export async function openCoordinator(
  { config }: { config?: string | undefined },
  options: Pick<OpenOptions, OurOptions> = {},
): Promise<Coordinator> {
  useCompileCache();
  const { Coordinator } = await import("../app/coordinator.ts");
  // Where nobody reads it, a command says nothing but what it was asked.
  const told = process.stderr.isTTY ? { tell: talk } : {};
  return Coordinator.open({ ...told, ...(config !== undefined && { config }), ...options });
}

/** A command that is one operation: prints its answer, and answers the exit code. */
export async function runAndPrint(
  operation: string,
  args: { config?: string | undefined; json?: boolean | undefined },
  input: unknown,
  context: Omit<Parameters<typeof printOperation>[3], "json" | "signal"> = {},
): Promise<number> {
  await using coordinator = await openCoordinator(args);
  return await printOperation(coordinator, operation, input, { ...context, json: args.json, signal: interruption() });
}
