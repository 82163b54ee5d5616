import { defineCommand, defineGroup } from "./command.ts";
import { jsonText, print, printJson } from "./terminal/print.ts";

const schema = defineCommand({
  description: "The JSON Schema of the configuration file, for editors",
  async run(args) {
    const { configJsonSchema } = await import("../config/schema.ts");
    if (args.json) printJson(configJsonSchema());
    else print(jsonText(configJsonSchema(), 2));
  },
});

export const config = defineGroup("What a configuration file may hold", { schema });
