import { servicesOf } from "../app/services-of.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { jsonText, print, printJson, talk } from "./terminal/print.ts";
import { printOperation } from "./terminal/print-operation.ts";
import { terminalAccepter } from "./terminal/terminal-accepter.ts";

export const tools = defineCommand({
  description: "The tools of one server as a TypeScript header, or as Python stubs",
  args: {
    server: { type: "positional", required: true, description: "A name from the configuration" },
    python: { type: "boolean", description: "Python stubs instead" },
    changes: { type: "boolean", description: "Noticed changes instead: of definitions, of results" },
    schema: { type: "boolean", description: "JSON Schemas instead, as the server describes its tools" },
  },
  async run(args) {
    await using coordinator = await openCoordinator(args, { accepters: [terminalAccepter] });
    if (args.changes)
      return await printOperation(coordinator, "tool_changes", { server_name: args.server }, { json: args.json });
    const services = servicesOf(coordinator);
    const { libraries, observations } = services;
    const { library: declared, skipped } = await libraries.get(args.server);
    const library = await observations.shown(declared);
    for (const { name, reason } of skipped) talk(`left out ${name}: ${reason}`);
    if (args.schema) {
      if (args.json) printJson(declared.tools);
      else print(jsonText(declared.tools, 2));
      return 0;
    }
    if (args.json) {
      printJson(await coordinator.run("list_tools", { server_name: args.server }));
      return 0;
    }
    const { offeredTools } = await import("../operations/policy/offered-tools.ts");
    const markOf = (await offeredTools(services, ["code"]))?.markOf;
    if (args.python) {
      const { pythonStubs } = await import("../codegen/python/stubs.ts");
      print(
        `# from mcp_tools.${library.module} import …\n\n${pythonStubs(library, { exact: true, markOf }).trimEnd()}`,
      );
    } else {
      const { declarations } = await import("../codegen/declarations.ts");
      print(`// import { … } from "mcp_tools/${library.module}";\n\n${declarations(library, markOf).trimEnd()}`);
    }
    return 0;
  },
});
