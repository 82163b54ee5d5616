import type { Added } from "../operations/registry/add-server.ts";
import { type Arguments, misused, type Values } from "./line/arguments.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { asCommand } from "./terminal/as-command.ts";
import { askTerminal } from "./terminal/ask-terminal.ts";
import { interruption } from "./terminal/interruption.ts";
import { printJson, talk } from "./terminal/print.ts";
import { printTable } from "./terminal/table.ts";

const definitions = {
  "name…": {
    type: "positional",
    required: true,
    description: "What `find` calls it; or any name, with --url or with -- and a command",
  },
  as: { type: "string", valueHint: "name", description: "Its name in the configuration" },
  env: {
    type: "many",
    valueHint: "NAME",
    description: "A variable for it, from your environment; NAME=value writes a value",
  },
  arg: { type: "many", valueHint: "text", description: "An argument; name=value for what the registry asks for" },
  header: { type: "many", valueHint: "Name=value", description: "A header for a remote server" },
  url: { type: "string", valueHint: "url", description: "The address of a remote server" },
  package: { type: "choice", choices: ["npm", "pypi", "oci", "remote"], description: "Which package of several" },
  online: { type: "boolean", description: "Look it up in the registry itself" },
  connect: {
    type: "boolean",
    default: true,
    description: "Try it first",
    negativeDescription: "Add it without trying it",
  },
  floating: { type: "boolean", description: "Leave the version of its package open, where the command does" },
  yes: { type: "boolean", description: "Do not ask" },
} as const satisfies Arguments;

type Given = Values<typeof definitions>;

export const add = defineCommand({
  description: "Add a server to the configuration, after showing what it starts or reaches",
  args: definitions,
  async run(args) {
    const given = readWords(args);
    const { as, url, package: kind, online, connect, floating } = args;
    const input = { ...given, as, url, package: kind, online, connect, floating };
    await using coordinator = await openCoordinator(args, { mayBeMissing: true });
    const context = { ...asCommand, caller: askTerminal(args), signal: interruption(), onProgress: talk };
    const added = (await coordinator.run("add_server", input, context)) as Added;
    if (args.json) return void printJson(added);
    if (added.tools?.length)
      printTable(
        ["TOOL", "DESCRIPTION"],
        added.tools.map((tool) => [tool.name, tool.description]),
      );
    talk(`Added ${added.name} to ${added.file}${added.backup ? `; the previous file is ${added.backup}` : ""}`);
    if (added.module !== undefined)
      talk(`Code imports it as mcp_tools/${added.module}; a running coordinator has it already.`);
    for (const note of added.notes) talk(note);
  },
});

/** Behind "--" is the command. */
function readWords({ _: words, behind, ...given }: Given) {
  const [name, surplus] = words.slice(0, words.length - behind.length);
  if (name === undefined) throw misused("NAME is missing");
  if (surplus !== undefined)
    throw misused(
      `${JSON.stringify(surplus)} is one word too many`,
      "A command follows --, as in: add NAME -- npx -y package",
    );
  const [command, ...own] = behind;
  return {
    name,
    command,
    args: [...own, ...(given.arg ?? [])],
    env: Object.fromEntries((given.env ?? []).map(readVariable)),
    headers: Object.fromEntries((given.header ?? []).map(readHeader)),
  };
}

/** A name alone refers to the environment, so that the value stays out of the file. */
function readVariable(word: string): [name: string, value: string] {
  const at = word.indexOf("=");
  return at < 1 ? [word, `\${${word}}`] : [word.slice(0, at), word.slice(at + 1)];
}

function readHeader(word: string): [name: string, value: string] {
  const [, name, value] = /^([^=:\s]+)\s*[=:]\s*(.*)$/s.exec(word) ?? [];
  // It may be a secret: it is not repeated.
  if (name === undefined || value === undefined) throw misused("A header is written as Name=value");
  return [name, value];
}
