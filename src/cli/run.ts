import type { Coordinator } from "../app/coordinator.ts";
import { servicesOf } from "../app/services-of.ts";
import { dataOf, type RunResult, savedBy, showRun, type Truncation } from "../runtime/results/run-result.ts";
import type { Engine, Language } from "../sandbox/engine.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { asCommand } from "./terminal/as-command.ts";
import { interruption } from "./terminal/interruption.ts";
import { printExactly, printJson, printValue, talk } from "./terminal/print.ts";
import { readInput } from "./terminal/read-input.ts";
import { tellEngine } from "./terminal/tell-engine.ts";
import { askingHere } from "./terminal/terminal-asker.ts";

export const run = defineCommand({
  description: "Run guest code in the sandbox; print what it prints and its last expression",
  args: {
    file: { type: "positional", required: true, description: "A file, or - for stdin" },
    language: {
      type: "choice",
      choices: ["typescript", "python"],
      description: "What the code is written in; by default the file's ending decides",
    },
    engine: { type: "choice", choices: ["deno", "cpython", "pyodide", "container"], description: "What executes it" },
    environment: { type: "string", valueHint: "name", description: "Whose packages and variables it has" },
    session: { type: "string", valueHint: "name", description: "Keep what it defines, until this command ends" },
    servers: { type: "list", description: "The only servers that it may use" },
    timeout: { type: "number", valueHint: "seconds", description: "When it is ended; default 30" },
    check: {
      type: "boolean",
      default: true,
      description: "Check names and types first",
      negativeDescription: "Skip that",
    },
    "dry-run": { type: "boolean", description: "Check only; nothing runs" },
  },
  async run(args) {
    const code = await readInput(args.file);
    await using coordinator = await openCoordinator(args, askingHere());
    const language = args.language ?? languageOf(args.file, args.engine, servicesOf(coordinator).engines.all);
    if (args.engine === undefined) await tellEngine(coordinator, language);
    const request = {
      code,
      language,
      engine: args.engine,
      environment: args.environment,
      session: args.session,
      servers: args.servers,
      timeoutSeconds: args.timeout,
      check: args.check,
      dryRun: args["dry-run"],
    };
    const result = await coordinator.execute(request, { ...asCommand, signal: interruption() });
    if (args.json) printJson(dataOf(result));
    else await printOutput(result, coordinator);
    if (result.status === "ok") {
      if (args["dry-run"]) talk("The check found no problem. Nothing has run.");
      for (const uri of savedBy(result)) talk(`Saved ${uri}`);
      return 0;
    }
    const { status, error, run: id, calls } = result;
    const artifacts = savedBy(result);
    talk(showRun({ status, run: id, calls, artifacts, ...(error && { error }) }));
    return 1;
  },
});

function languageOf(file: string, name: string | undefined, engines: readonly Engine[]): Language {
  const [only, ...others] = engines.filter((engine) => engine.name === name);
  if (file.endsWith(".py")) return "python";
  return only && others.length === 0 ? only.language : "typescript";
}

/** Here nobody pays for tokens: what was cut for a model is printed whole. */
export async function printOutput(result: RunResult, coordinator: Coordinator): Promise<void> {
  const { artifacts } = servicesOf(coordinator);
  const whole = async (of: Truncation["of"]): Promise<string | undefined> => {
    const cut = result.truncated?.find((truncation) => truncation.of === of);
    return cut?.artifact === undefined ? undefined : artifacts.read(cut.artifact);
  };
  const stdout = (await whole("stdout")) ?? result.stdout ?? "";
  printExactly(process.stderr, (await whole("stderr")) ?? result.stderr ?? "");
  printExactly(process.stdout, stdout);
  if (result.result === undefined) return;
  if (stdout !== "" && !stdout.endsWith("\n")) printExactly(process.stdout, "\n");
  const cut = await whole("result");
  printValue(cut === undefined ? result.result : JSON.parse(cut));
}
