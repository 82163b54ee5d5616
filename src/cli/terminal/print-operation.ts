import type { Coordinator } from "../../app/coordinator.ts";
import { operationsOf } from "../../app/services-of.ts";
import type { OperationContext } from "../../operations/operation.ts";
import { print, printExactly, printJson } from "./print.ts";

interface Printing {
  readonly json?: boolean | undefined;
  /** Whether the text is the answer itself, which a program reads as it is. */
  readonly exactly?: boolean | undefined;
}

/** Runs an operation by its name and prints its answer, as text or as data. Answers the exit code. */
export async function printOperation(
  coordinator: Coordinator,
  name: string,
  input: unknown,
  { json, exactly, ...context }: Partial<OperationContext> & Printing,
): Promise<number> {
  const operation = operationsOf(coordinator).find((known) => known.name === name);
  const output = await coordinator.run(name, input, { client: "cli", ...context });
  if (json) printJson(operation?.structure ? operation.structure(output) : output);
  else if (exactly) printExactly(process.stdout, `${operation?.show(output) ?? ""}\n`);
  else print(operation?.show(output) ?? "");
  return operation?.failed?.(output) ? 1 : 0;
}
