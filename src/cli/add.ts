import type { Added } from "../operations/registry/add-server.ts";
import { type Arguments, misused, readTokens } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { openCoordinator } from "./open.ts";
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
    type: "string",
    valueHint: "NAME",
    description: "A variable for it, from your environment; NAME=value writes a value",
  },
  arg: { type: "string", valueHint: "text", description: "An argument; name=value for what the registry asks for" },
  header: { type: "string", valueHint: "Name=value", description: "A header for a remote server" },
  url: { type: "string", valueHint: "url", description: "The address of a remote server" },
  package: { type: "choice", choices: ["npm", "pypi", "oci", "remote"], description: "Which package of several" },
  online: { type: "boolean", description: "Look it up in the registry itself" },
  connect: {
    type: "boolean",
    default: true,
    description: "Try it first",
    negativeDescription: "Add it without trying it",
  },
  yes: { type: "boolean", description: "Do not ask" },
} as const satisfies Arguments;

export const add = defineCommand({
  description: "Add a server to the configuration, after showing what it starts or reaches",
  args: definitions,
  async run(args, words) {
    const given = readWords(words);
    const { as, url, package: kind, online, connect } = args;
    const input = { ...given, as, url, package: kind, online, connect };
    await using coordinator = await openCoordinator(args, { mayBeMissing: true });
    const context = { client: "cli", caller: askTerminal(args), signal: interruption(), onProgress: talk };
    const added = (await coordinator.run("add_server", input, context)) as Added;
    if (args.json) return void printJson(added);
    if (added.tools?.length)
      printTable(
        ["TOOL", "DESCRIPTION"],
        added.tools.map((tool) => [tool.name, tool.description]),
      );
    talk(`Added ${added.name} to ${added.file}${added.backup ? `; the file before is ${added.backup}` : ""}`);
    if (added.module !== undefined)
      talk(`Code imports it as mcp_tools/${added.module}; a coordinator that runs has it already.`);
    for (const note of added.notes) talk(note);
  },
});

/** Options may be given several times; behind "--" is the command. */
function readWords(words: readonly string[]) {
  const tokens = readTokens(words, definitions);
  const end = tokens.find(({ kind }) => kind === "option-terminator")?.index ?? words.length;
  const [name, ...surplus] = tokens.flatMap((token) =>
    token.kind === "positional" && token.index < end ? [token.value] : [],
  );
  const [command, ...own] = words.slice(end + 1);
  if (name === undefined) throw misused("NAME is missing");
  if (surplus.length > 0)
    throw misused(
      `${JSON.stringify(surplus[0])} is one word too many`,
      "A command stands behind --, as in: add NAME -- npx -y package",
    );
  const all = (option: string) =>
    tokens.flatMap((token) =>
      token.kind === "option" && token.name === option && token.value !== undefined ? [token.value] : [],
    );
  return {
    name,
    command,
    args: [...own, ...all("arg")],
    env: Object.fromEntries(all("env").map(readVariable)),
    headers: Object.fromEntries(all("header").map(readHeader)),
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
