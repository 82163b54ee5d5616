import { type Command, defineCommand, defineGroup } from "./line/command.ts";
import { serve } from "./serve.ts";
import { jsonText, print, printJson } from "./terminal/print.ts";

const schema = defineCommand({
  description: "The JSON Schema of the configuration file, for editors",
  async run(args) {
    const { configJsonSchema } = await import("../config/schema.ts");
    if (args.json) printJson(configJsonSchema());
    else print(jsonText(configJsonSchema(), 2));
  },
});

const config = defineGroup("What a configuration file may hold", { schema });

/** Every command by its name. Each is loaded when it is asked for, and loads the rooms below when it runs. */
export const root: Command = {
  // No command is `serve`.
  ...serve,
  description: "Your MCP servers as typed libraries for sandboxed code; without a command it is an MCP server on stdio",
  subCommands: {
    serve,
    servers: async () => (await import("./servers.ts")).servers,
    tools: async () => (await import("./tools.ts")).tools,
    search: async () => (await import("./search.ts")).search,
    call: async () => (await import("./call.ts")).call,
    run: async () => (await import("./run.ts")).run,
    auth: async () => (await import("./auth.ts")).auth,
    generate: async () => (await import("./generate.ts")).generate,
    import: async () => (await import("./import.ts")).importCommand,
    install: async () => (await import("./install.ts")).install,
    find: async () => (await import("./find.ts")).find,
    add: async () => (await import("./add.ts")).add,
    remove: async () => (await import("./remove.ts")).remove,
    doctor: async () => (await import("./doctor.ts")).doctor,
    skills: async () => (await import("./skills.ts")).skills,
    env: async () => (await import("./env.ts")).env,
    runs: async () => (await import("./runs.ts")).runs,
    pins: async () => (await import("./pins.ts")).pins,
    approvals: async () => (await import("./approvals.ts")).approvals,
    policy: async () => (await import("./policy.ts")).policy,
    memory: async () => (await import("./memory.ts")).memory,
    workspace: async () => (await import("./workspace.ts")).workspace,
    config,
  },
};
