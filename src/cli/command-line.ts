import { stripVTControlCharacters } from "node:util";
import { type ArgsDef, renderUsage, runCommand, type SubCommandsDef } from "citty";
import { version } from "../system/version.ts";
import { checkArguments, definitionOf, helpHint, misused, readTokens, suggestion, unknownOption } from "./arguments.ts";
import { type AnyCommand, root } from "./commands.ts";
import { endProcess } from "./terminal/end-process.ts";
import { reportFailure } from "./terminal/failure.ts";
import { print } from "./terminal/print.ts";
import { unbuilt } from "./unbuilt.ts";

interface Chosen {
  readonly command: AnyCommand;
  /** The words before its own name: `mcp-coordinator runs`. */
  readonly parent: string;
  readonly words: readonly string[];
}

/** Runs the command that the words name and answers its exit code. Never throws. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  // A reader that has gone away (`| head`) is no failure of the command.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignoreClosedPipe);
  const report = (thrown: unknown) => reportFailure(thrown, { json: words.includes("--json") });
  process.on("uncaughtException", (thrown) => endProcess(report(thrown)));
  const code = await run(words).catch(report);
  await new Promise<void>((flushed) => process.stdout.write("", () => flushed()));
  return code;
}

async function run(words: readonly string[]): Promise<number> {
  const chosen = await choose({ command: root, parent: "", words });
  const definitions = argumentsOf(chosen.command);
  const flags = readTokens(chosen.words, definitions).flatMap((token) => (token.kind === "option" ? token.name : []));
  if (flags.includes("help")) await printUsage(chosen);
  else if (flags.includes("version") && !Object.hasOwn(definitions, "version")) print(version);
  else return runChosen(chosen, definitions);
  return 0;
}

async function runChosen({ command, words }: Chosen, definitions: ArgsDef): Promise<number> {
  // No command is `serve`.
  const actual = command === root ? await subCommand(command, "serve") : command;
  if (!actual.run) throw misused(`"${nameOf(command)}" needs one of: ${commandNames(command).join(", ")}`);
  checkArguments(words, definitions);
  const { result } = await runCommand(actual, { rawArgs: [...words] });
  return typeof result === "number" ? result : 0;
}

/** The command that the first word names, and so on below it. Options may stand before the word. */
async function choose(chosen: Chosen): Promise<Chosen> {
  const { command, parent, words } = chosen;
  if (!command.subCommands) return chosen;
  const tokens = readTokens(words, argumentsOf(command));
  const word = tokens.find((token) => token.kind === "positional");
  if (!word || tokens.some((token) => token.kind === "option-terminator" && token.index < word.index)) return chosen;
  checkBefore(word.index, words, command);
  const path = `${parent} ${nameOf(command)}`.trim();
  const names = commandNames(command);
  if (!names.includes(word.value)) {
    if (unbuilt.commands.has(word.value)) throw misused(`"${word.value}" is not in this version`, helpHint);
    throw misused(`Unknown command ${JSON.stringify(word.value)}`, suggestion(word.value, names));
  }
  const rest = words.filter((_, index) => index !== word.index);
  return choose({ command: await subCommand(command, word.value), parent: path, words: rest });
}

/** The value of an unknown option would be taken for a command, so what stands before one is looked at first. */
function checkBefore(index: number, words: readonly string[], command: AnyCommand): void {
  const definitions = argumentsOf(command);
  for (const token of readTokens(words.slice(0, index), definitions)) {
    if (token.kind !== "option" || token.name === "help" || token.name === "version") continue;
    if (!definitionOf(token, definitions)) throw unknownOption(token, definitions);
  }
}

async function printUsage({ command, parent }: Chosen): Promise<void> {
  const usage = await renderUsage(command, parent === "" ? undefined : { meta: { name: parent, version } });
  // citty colours whatever the stream is, and pads every line.
  const text = usage.replace(/(?<! ) +$/gm, "").trimEnd();
  process.stdout.write(`${process.stdout.isTTY ? text : stripVTControlCharacters(text)}\n`);
}

// Commands here define these as plain values; citty would also take functions and promises.
function argumentsOf(command: AnyCommand): ArgsDef {
  return (command.args ?? {}) as ArgsDef;
}

function nameOf(command: AnyCommand): string {
  return (command.meta as { name?: string } | undefined)?.name ?? "";
}

function commandNames(command: AnyCommand): string[] {
  return Object.keys(command.subCommands ?? {});
}

async function subCommand(command: AnyCommand, name: string): Promise<AnyCommand> {
  const found = (command.subCommands as SubCommandsDef)[name] as AnyCommand | (() => Promise<AnyCommand>);
  return typeof found === "function" ? found() : found;
}

/** The first write into a closed pipe fails with EPIPE, later ones with the others. */
const closedPipe = new Set<string | undefined>(["EPIPE", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"]);

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (!closedPipe.has(error.code)) throw error;
}
