import { defineCommand } from "citty";
import { commonArguments, readNumber } from "./arguments.ts";
import { parseValue } from "./call-arguments.ts";
import { openCoordinator } from "./open.ts";
import { printJson } from "./terminal/print.ts";
import { answerBy } from "./terminal/print-operation.ts";
import { readInput } from "./terminal/read-input.ts";

const memoryArguments = {
  namespace: { type: "string", valueHint: "name", description: "Where the key belongs; default without it" },
  ...commonArguments,
} as const;
const key = { type: "positional", required: true, description: "The key" } as const;

const list = defineCommand({
  meta: { name: "list", description: "What is kept, by key, without the values" },
  args: {
    prefix: { type: "string", valueHint: "text", description: "Only keys that begin with it" },
    limit: { type: "string", valueHint: "number", description: "How many; 1000 without it" },
    ...memoryArguments,
  },
  run: ({ args: { prefix, limit, namespace, ...args } }) =>
    answerBy("list_memory", args, { prefix, namespace, limit: readNumber("--limit", limit) }),
});

const get = defineCommand({
  meta: { name: "get", description: "The value of a key as JSON; null when there is none" },
  args: { key, ...memoryArguments },
  async run({ args: { key: name, namespace, ...args } }) {
    await using coordinator = await openCoordinator(args);
    // What was kept, for programs as for people: JSON loses nothing by what `printJson` escapes.
    printJson(await coordinator.run("get_memory", { key: name, namespace }, { client: "cli" }));
  },
});

const set = defineCommand({
  meta: { name: "set", description: "Keep a value under a key" },
  args: {
    key,
    value: { type: "positional", required: true, description: "JSON, else a text; - for stdin" },
    ...memoryArguments,
  },
  async run({ args: { key: name, value, namespace, ...args } }) {
    const given = parseValue(value === "-" ? await readInput("-") : value);
    return answerBy("set_memory", args, { key: name, value: given, namespace });
  },
});

const rm = defineCommand({
  meta: { name: "rm", description: "Forget a key" },
  args: { key, ...memoryArguments },
  run: ({ args: { key: name, namespace, ...args } }) => answerBy("delete_memory", args, { key: name, namespace }),
});

export const memory = defineCommand({
  meta: { name: "memory", description: "Values that code keeps by key" },
  args: commonArguments,
  subCommands: { list, get, set, rm },
});
