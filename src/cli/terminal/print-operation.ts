import type { Coordinator } from "../../app/coordinator.ts";
import { operationNamed } from "../../app/services-of.ts";
import type { OperationContext } from "../../operations/operation.ts";
import { asCommand } from "./as-command.ts";
import { print, printExactly, printJson } from "./print.ts";

interface Printing {
  readonly json?: boolean | undefined;
  /** Whether the text is the answer itself, which a program reads as it is. */
  readonly exactly?: boolean | undefined;
}

type Context = Partial<OperationContext> & Printing;

/** Runs an operation by its name and prints its answer, as text or as data. Answers the exit code. */
export async function printOperation(
  coordinator: Coordinator,
  name: string,
  input: unknown,
  { json, exactly, ...context }: Context,
): Promise<number> {
  const { perform, textOf } = await import("../../operations/operation.ts");
  const presented = await perform(operationNamed(coordinator, name), input, { ...asCommand, ...context });
  if (json) printJson(presented.data);
  else if (exactly) printExactly(process.stdout, `${textOf(presented)}\n`);
  else print(textOf(presented));
  return presented.failed ? 1 : 0;
}
