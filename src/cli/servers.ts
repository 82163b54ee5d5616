import { servicesOf } from "../app/services-of.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { type Failure, failureOf } from "./terminal/failure.ts";
import { printJson, talk } from "./terminal/print.ts";
import { withProgress } from "./terminal/progress.ts";
import { printTable } from "./terminal/table.ts";

interface Row {
  readonly name: string;
  readonly transport: string;
  readonly state: string;
  readonly tools?: number;
  readonly description: string;
  readonly note?: string;
}

export const servers = defineCommand({
  description: "The configured servers: name, transport, state, tools, description",
  args: { connect: { type: "boolean", description: "Ask every server for its tools first" } },
  async run(args) {
    await using coordinator = await openCoordinator(args);
    const failures = new Map<string, Failure>();
    if (args.connect) {
      const { askServers } = await import("../runtime/libraries/ask-servers.ts");
      const { libraries } = servicesOf(coordinator);
      const names = libraries.modules.map(({ name }) => name);
      const answers = await withProgress(args, (onProgress) => askServers(libraries, names, onProgress));
      for (const { server, error } of answers) {
        if (error !== undefined) failures.set(server, failureOf(error));
      }
    }
    const rows = (await coordinator.run("list_servers", {})) as Row[];
    if (args.json) {
      printJson(rows.map((row) => (failures.has(row.name) ? { ...row, error: failures.get(row.name) } : row)));
      return;
    }
    if (rows.length === 0) talk(`No servers are configured in ${servicesOf(coordinator).config.file}`);
    else printTable(["NAME", "TRANSPORT", "STATE", "TOOLS", "DESCRIPTION"], rows.map(cells));
    for (const { name, note } of rows) if (note !== undefined && !failures.has(name)) talk(`${name}: ${note}`);
    for (const [, { code, message, hint }] of failures) {
      talk(`error ${code}: ${message}${hint === undefined ? "" : `\n  hint: ${hint}`}`);
    }
  },
});

function cells({ name, transport, state, tools, description }: Row): string[] {
  return [name, transport, state, tools === undefined ? "?" : String(tools), description];
}
