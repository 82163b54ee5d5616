import { fieldsOf } from "../system/fields.ts";
import type { ConfigProblem, Path } from "./document.ts";
import type { UnsetVariable } from "./expand.ts";
import { pathText } from "./invalid-config.ts";

/** A server of the configuration that is not used: it names environment variables that are not set. */
export interface LeftOutServer {
  readonly name: string;
  readonly transport: "stdio" | "http";
  readonly description?: string;
  readonly reason: string;
  readonly fix: string;
}

/** The servers that name such variables, in the order of the file. `value` is the whole of it. */
export function leftOutServers(value: unknown, unset: readonly UnsetVariable[]): readonly LeftOutServer[] {
  const byServer = new Map<string, UnsetVariable[]>();
  for (const one of unset) {
    const key = JSON.stringify(serverPath(one.path));
    byServer.set(key, [...(byServer.get(key) ?? []), one]);
  }
  return [...byServer].map(([key, own]) => {
    const [list, name] = JSON.parse(key) as ReturnType<typeof serverPath>;
    const { command, description } = fieldsOf(fieldsOf(fieldsOf(value)[list])[name]);
    const variables = [...new Set(own.map(({ variable }) => variable))];
    const places = [...new Set(own.map(({ path }) => pathText(path)))];
    const [first = ""] = variables;
    const isOne = variables.length === 1;
    return {
      name,
      transport: command === undefined ? "http" : "stdio",
      ...(typeof description === "string" && { description }),
      reason: `the environment ${isOne ? "variable" : "variables"} ${inWords(variables)} ${isOne ? "is" : "are"} not set`,
      fix: `Set ${isOne ? "it" : "them"} where the coordinator is started, or write \${${first}:-default} (${inWords(places)}).`,
    };
  });
}

/** The value of the file without these servers. */
export function withoutServers(value: unknown, unset: readonly UnsetVariable[]): unknown {
  const without: Record<string, unknown> = { ...fieldsOf(value) };
  for (const { path } of unset) {
    const [list, name] = serverPath(path);
    const kept = Object.entries(fieldsOf(without[list])).filter(([key]) => key !== name);
    without[list] = Object.assign(Object.create(null), Object.fromEntries(kept));
  }
  return without;
}

/** Without what is only said because a variable there is not set. */
export function apartFrom(unset: readonly UnsetVariable[], problems: readonly ConfigProblem[]): ConfigProblem[] {
  const places = new Set(unset.map(({ path }) => JSON.stringify(path)));
  return problems.filter(({ path }) => !places.has(JSON.stringify(path)));
}

function serverPath([list = "", name = ""]: Path): [list: string, name: string] {
  return [String(list), String(name)];
}

function inWords(words: readonly string[]): string {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join("");
}
