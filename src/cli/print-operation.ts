import type { Coordinator } from "../operations/coordinator.ts";
import type { OperationContext } from "../operations/operation.ts";
import { print, printJson } from "./print.ts";

/** Runs an operation by its name and prints its answer, as text or as data. Answers the exit code. */
export async function printOperation(
  coordinator: Coordinator,
  name: string,
  input: unknown,
  { json, ...context }: OperationContext & { json?: boolean | undefined },
): Promise<number> {
  const operation = coordinator.operations.find((known) => known.name === name);
  const output = await coordinator.run(name, input, { client: "cli", ...context });
  if (json) printJson(operation?.structure ? operation.structure(output) : output);
  else print(operation?.show(output) ?? "");
  return operation?.failed?.(output) ? 1 : 0;
}
