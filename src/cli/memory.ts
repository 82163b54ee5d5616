import { parseValue } from "./line/call-arguments.ts";
import { defineCommand, defineGroup } from "./line/command.ts";
import { openCoordinator, runAndPrint } from "./open.ts";
import { asCommand } from "./terminal/as-command.ts";
import { printJson } from "./terminal/print.ts";
import { readInput } from "./terminal/read-input.ts";

const namespace = {
  type: "string",
  valueHint: "name",
  description: 'Where the key belongs; "default" when left out',
} as const;
const key = { type: "positional", required: true, description: "The key" } as const;

const list = defineCommand({
  description: "What is kept, by key, without the values",
  args: {
    prefix: { type: "string", valueHint: "text", description: "Only keys that begin with it" },
    limit: { type: "number", description: "How many; default 1000" },
    namespace,
  },
  run: ({ prefix, limit, namespace, ...args }) => runAndPrint("list_memory", args, { prefix, limit, namespace }),
});

const get = defineCommand({
  description: "The value of a key as JSON; null when there is none",
  args: { key, namespace },
  async run({ key, namespace, ...args }) {
    await using coordinator = await openCoordinator(args);
    // What was kept, for programs as for people: JSON loses nothing by what `printJson` escapes.
    printJson(await coordinator.run("get_memory", { key, namespace }, { ...asCommand }));
  },
});

const set = defineCommand({
  description: "Keep a value under a key",
  args: {
    key,
    value: { type: "positional", required: true, description: "JSON, else a text; - for stdin" },
    namespace,
  },
  async run({ key, value, namespace, ...args }) {
    const given = parseValue(value === "-" ? await readInput("-") : value);
    return runAndPrint("set_memory", args, { key, value: given, namespace });
  },
});

const rm = defineCommand({
  description: "Forget a key",
  args: { key, namespace },
  run: ({ key, namespace, ...args }) => runAndPrint("delete_memory", args, { key, namespace }),
});

export const memory = defineGroup("Values that code keeps by key", { list, get, set, rm });
