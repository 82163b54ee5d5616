import { fieldsOf } from "../system/fields.ts";
import type { RawEntry } from "./entry.ts";
import type { Variables } from "./expand.ts";
import { pathText } from "./invalid-config.ts";
import { prepareConfig } from "./prepare-config.ts";
import { configSchema } from "./schema.ts";
import { schemaProblems } from "./schema-problems.ts";

/** All that a file with this server in it would be refused for; never a value. */
export function entryFaults(name: string, entry: RawEntry, variables: Variables): readonly string[] {
  const hidden = hiddenFaults(name, entry);
  const { value, problems, unset } = prepareConfig({ mcpServers: { [name]: entry } }, variables);
  const { error } = configSchema.safeParse(value);
  return [
    ...hidden,
    ...[...unset, ...problems, ...schemaProblems(configSchema, value, error?.issues ?? [])].map(({ path, text }) => {
      return path.length > 2 ? `${pathText(path.slice(2))}: ${text}` : text;
    }),
  ];
}

/** Controls, and what people cannot see or see in another order: a user who agrees to a command must see it as it is. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether people see a text as it is. */
export function isSeen(text: string): boolean {
  return !unseen.test(text);
}

/** What would not be seen as it is. */
export function hiddenFaults(name: string, { command, args, url, cwd, env, headers }: RawEntry): readonly string[] {
  if (name.trim() === "" || name === "__proto__" || name.length > 100 || !isSeen(name))
    return ["its name cannot be used"];
  const shown = { command, url, cwd, ...listed("args", args), ...names("env", env), ...names("headers", headers) };
  return Object.entries(shown)
    .filter(([, text]) => typeof text === "string" && !isSeen(text))
    .map(([key]) => `${key}: has a character that is not shown; remove that`);
}

function listed(key: string, list: unknown): Record<string, unknown> {
  return Object.fromEntries((Array.isArray(list) ? list : []).map((item, index) => [`${key}[${index}]`, item]));
}

function names(key: string, map: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.keys(fieldsOf(map)).map((name, index) => [`${key}, name ${index + 1}`, name]));
}
