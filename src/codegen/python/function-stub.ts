import type { Callable } from "./callable.ts";
import { docstring } from "./docstring.ts";

const maximumWidth = 120;

/** `name(*, query: str) -> Result`, on one line. */
export function headerOf(name: string, { parameters, result }: Callable, positional: readonly string[] = []): string {
  return `${name}(${arranged(parameters, positional).join(", ")}) -> ${result}`;
}

interface StubForm {
  readonly indent?: string;
  readonly async?: boolean;
  /** Those that need no name, in this order. */
  readonly positional?: readonly string[];
  /** A word about it, as a comment behind its head. */
  readonly mark?: string | undefined;
}

/** A function of a stub: `def`, its parameters, and its docstring as the body. */
export function functionStub(
  name: string,
  callable: Callable,
  { indent = "", async = false, positional = [], mark }: StubForm = {},
): string {
  const define = `${indent}${async ? "async def" : "def"} `;
  const { parameters, result, docs } = callable;
  const line = `${define}${headerOf(name, callable, positional)}:`;
  const listed = arranged(parameters, positional).map((parameter) => `${indent}    ${parameter}`);
  // Python refuses a comma after `**others`.
  const end = parameters.at(-1)?.startsWith("**") ? "" : ",";
  const head =
    line.length <= maximumWidth ? line : `${define}${name}(\n${listed.join(",\n")}${end}\n${indent}) -> ${result}:`;
  const body = docstring(docs(), `${indent}    `);
  const comment = mark === undefined ? "" : `  # ${mark}`;
  return body === "" ? `${head} ...${comment}\n` : `${head}${comment}\n${body}`;
}

function arranged(parameters: readonly string[], positional: readonly string[]): readonly string[] {
  const nameOf = (parameter: string) => parameter.slice(0, parameter.indexOf(":"));
  const first = positional.flatMap((name) => parameters.find((parameter) => nameOf(parameter) === name) ?? []);
  return [...first, ...keywordOnly(parameters.filter((parameter) => !first.includes(parameter)))];
}

/** Python refuses a `*` that no name follows. */
function keywordOnly(parameters: readonly string[]): readonly string[] {
  return parameters.every((parameter) => parameter.startsWith("**")) ? parameters : ["*", ...parameters];
}
