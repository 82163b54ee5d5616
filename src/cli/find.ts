import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { asCommand } from "./terminal/as-command.ts";
import { interruption } from "./terminal/interruption.ts";
import { printJson, talk } from "./terminal/print.ts";
import { printTable } from "./terminal/table.ts";

interface Found {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly status: string;
  readonly configured?: boolean;
}

export const find = defineCommand({
  description: "Find servers in the MCP registry: in the snapshot of this version, or online",
  args: {
    "words…": { type: "positional", required: true, description: "What the server is for, or its name" },
    online: { type: "boolean", description: "Ask the registry itself; the words are sent to it" },
    limit: { type: "number", description: "How many at most; default 10" },
  },
  async run(args) {
    await using coordinator = await openCoordinator(args, { mayBeMissing: true });
    const input = { query: args._.join(" "), limit: args.limit };
    const name = args.online ? "find_online" : "mcp_find";
    const found = (await coordinator.run(name, input, { ...asCommand, signal: interruption() })) as Found[];
    if (args.json) return void printJson(found);
    if (found.length === 0)
      return void talk(
        `The registry has nothing for these words.${args.online ? "" : " --online asks the registry itself."}`,
      );
    const rows = found.map((server) => [server.name, server.version, stateOf(server), server.description]);
    printTable(["NAME", "VERSION", "STATE", "DESCRIPTION"], rows);
    talk("`mcp-coordinator add NAME` adds one, after showing what it starts.");
  },
});

function stateOf({ status, configured }: Found): string {
  return [status === "active" ? "" : status, configured ? "configured" : ""].filter(Boolean).join(", ");
}
