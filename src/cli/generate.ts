import type { Generated } from "../operations/discovery/generate-tools.ts";
import { plural } from "../system/plural.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { print, printJson, talk } from "./terminal/print.ts";
import { withProgress } from "./terminal/progress.ts";

export const generate = defineCommand({
  description: "Write mcp_tools/: your servers as typed libraries for your own programs",
  args: {
    out: { type: "string", valueHint: "folder", description: "Where to; default ./mcp_tools" },
    language: {
      type: "choice",
      choices: ["typescript", "python"],
      description: "For one language; both by default",
    },
    force: { type: "boolean", description: "Write beside other files too; one in the way is kept as .backup" },
    refresh: { type: "boolean", description: "Ask every server again, not only those never asked" },
  },
  async run(args) {
    const { out, language, force, refresh: force_refresh } = args;
    await using coordinator = await openCoordinator(args);
    const generated = (await withProgress(args, (onProgress) =>
      coordinator.run("generate_libraries", { out, language, force, force_refresh }, { onProgress }),
    )) as Generated;
    if (args.json) {
      printJson(generated);
      return;
    }
    print(`Wrote ${plural(generated.tools, "tool")} of ${plural(generated.servers, "server")} to ${generated.out}`);
    for (const backup of generated.backups ?? []) talk(`kept what was in the way as ${backup}`);
    for (const { server, reason } of generated.missing) talk(`left out ${server}: ${reason}`);
  },
});
