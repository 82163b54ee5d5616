import { version } from "../../system/version.ts";
import { root } from "../commands.ts";
import { endProcess } from "../terminal/end-process.ts";
import { reportFailure } from "../terminal/failure.ts";
import { print } from "../terminal/print.ts";
import { checkOption, misused, readTokens, suggestion } from "./arguments.ts";
import type { Command } from "./command.ts";
import { usageOf } from "./usage.ts";

interface Chosen {
  readonly command: Command;
  /** Its names, from the program's on. */
  readonly path: readonly string[];
  readonly words: readonly string[];
}

/** Runs the command that the words name and answers its exit code. Never throws. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  // A reader that has gone away (`| head`) is not a failure of the command.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignoreClosedPipe);
  const report = (thrown: unknown) => reportFailure(thrown, { json: words.includes("--json") });
  process.on("uncaughtException", (thrown) => endProcess(report(thrown)));
  const code = await run(words).catch(report);
  await new Promise<void>((flushed) => process.stdout.write("", () => flushed()));
  return code;
}

async function run(words: readonly string[]): Promise<number> {
  const { command, path, words: own } = await choose({ command: root, path: ["mcp-coordinator"], words });
  const flags = readTokens(own, command.args).flatMap((token) => (token.kind === "option" ? token.name : []));
  if (flags.includes("help")) {
    const colours = process.stdout.isTTY && process.stdout.hasColors();
    process.stdout.write(`${await usageOf(command, path.join(" "), { colours })}\n`);
  } else if (flags.includes("version") && !Object.hasOwn(command.args, "version")) print(version);
  else if (command.run) return command.run(own);
  else throw misused(`"${path.at(-1)}" needs one of: ${Object.keys(command.subCommands ?? {}).join(", ")}`);
  return 0;
}

/** The command that the first word names, and so on below it. Options may stand before the word. */
async function choose(chosen: Chosen): Promise<Chosen> {
  const { command, path, words } = chosen;
  if (!command.subCommands) return chosen;
  const tokens = readTokens(words, command.args);
  const word = tokens.find((token) => token.kind === "positional");
  if (!word || tokens.some((token) => token.kind === "option-terminator" && token.index < word.index)) return chosen;
  // The value of an unknown option would be taken for a command, so what stands before one is looked at first.
  for (const token of readTokens(words.slice(0, word.index), command.args)) {
    if (token.kind === "option" && token.name !== "help" && token.name !== "version") checkOption(token, command.args);
  }
  const names = Object.keys(command.subCommands);
  const found = names.includes(word.value) ? command.subCommands[word.value] : undefined;
  if (!found) throw misused(`Unknown command ${JSON.stringify(word.value)}`, suggestion(word.value, names));
  const rest = words.filter((_, index) => index !== word.index);
  return choose({
    command: typeof found === "function" ? await found() : found,
    path: [...path, word.value],
    words: rest,
  });
}

/** The first write into a closed pipe fails with EPIPE, later ones with the others. */
const closedPipe = new Set<string | undefined>(["EPIPE", "ERR_STREAM_DESTROYED", "ERR_STREAM_WRITE_AFTER_END"]);

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (!closedPipe.has(error.code)) throw error;
}
