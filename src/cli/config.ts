import { defineCommand } from "citty";
import { commonArguments } from "./arguments.ts";
import { jsonText, print, printJson } from "./terminal/print.ts";

const schema = defineCommand({
  meta: { name: "schema", description: "The JSON Schema of the configuration file, for editors" },
  args: commonArguments,
  async run({ args }) {
    const { configJsonSchema } = await import("../config/schema.ts");
    if (args.json) printJson(configJsonSchema());
    else print(jsonText(configJsonSchema(), 2));
  },
});

export const config = defineCommand({
  meta: { name: "config", description: "What a configuration file may hold" },
  args: commonArguments,
  subCommands: { schema },
});
