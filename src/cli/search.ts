import { servicesOf } from "../app/services-of.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { printOperation } from "./terminal/print-operation.ts";
import { withProgress } from "./terminal/progress.ts";

export const search = defineCommand({
  description: "The ranked search that the AI gets; without a query, what there is",
  args: {
    "query…": { type: "positional", description: "Words, or the exact name of a tool" },
    server: { type: "string", valueHint: "name", description: "Only in this server" },
    detail: { type: "choice", choices: ["names", "signatures", "full"], description: "How much of each tool" },
    language: {
      type: "choice",
      choices: ["typescript", "python"],
      description: "Whose signatures; default typescript",
    },
    limit: { type: "number", description: "How many tools at most" },
  },
  async run(args) {
    await using coordinator = await openCoordinator(args);
    const { libraries } = servicesOf(coordinator);
    if (args.server === undefined) {
      // The operation itself waits two seconds, which a process that ends with its answer cannot make up for.
      const { askServers } = await import("../runtime/libraries/ask-servers.ts");
      const unknown = (await libraries.missing()).map(({ server }) => server);
      await withProgress(args, (onProgress) => askServers(libraries, unknown, onProgress));
    }
    const input = {
      query: args._.join(" ") || undefined,
      server: args.server,
      detail: args.detail,
      language: args.language,
      limit: args.limit,
    };
    return await printOperation(coordinator, "search_tools", input, { json: args.json });
  },
});
