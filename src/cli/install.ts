import type { Installed } from "../operations/registry/install-client.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { print, printJson, talk } from "./terminal/print.ts";

export const install = defineCommand({
  description: "Add the coordinator to an AI client's servers, in the client's own file",
  args: {
    client: { type: "positional", required: true, description: "As `import` lists them: claude-desktop, cursor …" },
    uninstall: { type: "boolean", description: "Take it out again" },
    "dry-run": { type: "boolean", description: "Show what would change, and write nothing" },
  },
  async run(args) {
    const { client, uninstall } = args;
    await using coordinator = await openCoordinator(args, { mayBeMissing: true });
    const input = { client, uninstall, dry_run: args["dry-run"] };
    const installed = (await coordinator.run("install_client", input)) as Installed;
    if (args.json) printJson(installed);
    else tell(installed, uninstall ?? false);
  },
});

function tell({ client, file, diff, written, notImported }: Installed, uninstall: boolean): void {
  if (diff === "") return talk(`${file} is as it should be; nothing was written`);
  print(`${file}\n${diff}`);
  if (!written) return talk("Nothing was written.");
  if (written.backup) talk(`The previous file is ${written.backup}`);
  talk(`${client} reads it when it is started again.`);
  if (!uninstall && notImported.length > 0) {
    talk(`It has servers of its own that are not configured here (${notImported.join(", ")}):`);
    talk("`mcp-coordinator import --write` copies them; take them out of the client when they work here.");
  }
}
