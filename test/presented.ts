import { operationNamed } from "../src/app/services-of.ts";
import { perform, textOf } from "../src/operations/operation.ts";

/** What a model is told by an operation: its text, and its data beside it. */
export async function presented<Data = unknown>(
  coordinator: object,
  name: string,
  args: object,
): Promise<{ readonly data: Data; readonly text: string }> {
  const answer = await perform(operationNamed(coordinator, name), args);
  return { data: answer.data as Data, text: textOf(answer) };
}
