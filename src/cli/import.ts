import type { Imported } from "../operations/registry/import-servers.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { printJson, talk } from "./terminal/print.ts";
import { printTable } from "./terminal/table.ts";

const states: Readonly<Record<Imported["servers"][number]["state"], string>> = {
  new: "new",
  here: "already here",
  differs: "differs",
  duplicate: "duplicate",
  disabled: "disabled there",
  ourselves: "is ourselves",
  unusable: "cannot be used",
};

export const importCommand = defineCommand({
  description: "The servers that your AI clients have; --write copies them into our configuration",
  args: {
    "words…": { type: "positional", description: "A client (cursor, codex …) or names of servers" },
    from: { type: "string", valueHint: "client", description: "Only the servers of this client" },
    write: { type: "boolean", description: "Copy them: all new ones, or those that are named" },
  },
  async run(args) {
    const { clientNames } = await import("../operations/registry/import-servers.ts");
    const client = args.from ?? args._.find((word) => clientNames.includes(word));
    const names = args._.filter((word) => word !== client);
    await using coordinator = await openCoordinator(args, { mayBeMissing: true });
    const imported = (await coordinator.run("import_servers", { client, names, write: args.write })) as Imported;
    if (args.json) printJson(imported);
    else tell(imported, args.write ?? false);
  },
});

function tell({ servers, failures, file, written }: Imported, write: boolean): void {
  if (servers.length > 0) {
    const heading = ["CLIENT", "SERVER", "TRANSPORT", "STATE", "COMMAND OR URL"];
    const rows = servers.map(({ client, name, transport = "", state, because, reach = "" }) => {
      return [
        client,
        name,
        transport,
        written?.names.includes(name) && (state === "new" || state === "disabled")
          ? "written"
          : [states[state], state === "unusable" ? "" : because].filter(Boolean).join(" "),
        reach,
      ];
    });
    printTable(heading, rows);
  } else if (failures.length === 0) talk("No AI client here has MCP servers.");
  for (const { client, name, state, because, notes } of servers) {
    const all = [...(state === "unusable" && because ? [`cannot be used: ${because}`] : []), ...notes];
    for (const note of all) talk(`${client} ${name}: ${note}`);
  }
  for (const { client, problem } of failures) talk(`${client}: ${problem}`);
  const fresh = servers.filter(({ state }) => state === "new").length;
  if (written) {
    talk(
      `Wrote ${written.names.join(", ")} to ${written.file}${written.backup ? `; the previous file is ${written.backup}` : ""}`,
    );
  } else if (write) talk(`There is nothing to copy into ${file}`);
  else if (fresh > 0) talk(`\`mcp-coordinator import --write\` copies the new ones into ${file}`);
}
