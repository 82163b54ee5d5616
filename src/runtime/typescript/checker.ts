import type { Diagnostic } from "typescript/unstable/async";
import type { Library } from "../../catalog/tool.ts";
import { CoordinatorError } from "../../errors.ts";
import { type CheckedModules, createCheckedModules } from "../checks/checked-modules.ts";
import type { Problem } from "../checks/problem.ts";
import { createSerialChecker } from "../checks/serial-checker.ts";
import { type CheckContext, type Checker, type LinkedModule, noModules } from "../compiled.ts";
import type { UsageOf } from "../own-module.ts";
import { type Compiler, compilerMb, startCompiler } from "./compiler.ts";
import type { ProblemContext } from "./explain-problem.ts";
import { createGuestProject, type GuestProject, mainFile, pathOf, specifierOf, withIds } from "./guest-project.ts";
import { type LinkedSource, linkSource } from "./linked-source.ts";
import { relevantProblems } from "./relevant-problems.ts";

interface Running {
  readonly project: GuestProject;
  readonly compiler: Compiler;
  readonly checkedModules: CheckedModules;
  readonly usageOf: UsageOf | undefined;
  /** What the module `coordinator` exports. */
  readonly ownNames: readonly string[];
}

export function createTypeScriptChecker(coordinatorModule: string, usageOf?: UsageOf): Checker {
  let running: Running | undefined;
  const ownNames = [...coordinatorModule.matchAll(/^export declare (?:const|function) (\w+)/gm)].map(
    ([, name = ""]) => name,
  );
  const start = (): Running => {
    const project = createGuestProject(coordinatorModule);
    return { project, usageOf, ownNames, compiler: startCompiler(project), checkedModules: createCheckedModules() };
  };
  return createSerialChecker({
    timeoutMs: 10_000,
    isRunning: () => running !== undefined,
    check(source, libraries, context) {
      running ??= start();
      return Promise.race([check(running, source, libraries, context), running.compiler.ended]);
    },
    async stop() {
      const stopping = running;
      running = undefined;
      await stopping?.compiler.end();
    },
    endedOver,
  });
}

/** It ends by itself when it has no more memory, and hardly for another reason. */
function endedOver(cause: unknown): CoordinatorError {
  return new CoordinatorError("check_timeout", `The type check needed more than ${compilerMb} MB of memory`, {
    hint: "Simplify the types in the code; nothing has run.",
    cause,
  });
}

async function check(
  { project, compiler, checkedModules, usageOf, ownNames }: Running,
  source: string,
  libraries: readonly Library[],
  { kept = [], linked = noModules, absent }: CheckContext,
): Promise<readonly Problem[]> {
  const specifier = specifierOf(linked);
  const guest = linkSource(source, linked.links, specifier);
  const modules = new Map<LinkedModule, LinkedSource>();
  project.placeLibraries(libraries);
  for (const module of linked.modules) {
    if (module.format === "commonjs") continue;
    const text = linkSource(module.code, module.links, specifier);
    modules.set(module, text);
    project.place(pathOf(module.id), text.text);
  }
  project.placeSession(kept, linked.links, specifier);
  project.place(mainFile, guest.text);
  const program = await compiler.update();
  const problemsIn = async (path: string, text: string, { offsetOf }: LinkedSource, context: ProblemContext) => {
    const found = await Promise.all([program.getSyntacticDiagnostics(path), program.getSemanticDiagnostics(path)]);
    const [syntactic, semantic] = found.map((all) => all.map((one) => asWritten(one, offsetOf)));
    return relevantProblems(text, syntactic ?? [], semantic ?? [], context);
  };
  const context = { libraries, names: linked.names, absent, usageOf, ownNames };
  const inModules = await checkedModules.of(linked, context, (module) =>
    problemsIn(pathOf(module.id), module.code, modules.get(module) ?? guest, context),
  );
  return [...inModules, ...(await problemsIn(mainFile, source, guest, { ...context, kept }))];
}

/** What the compiler says of a text with linked imports, said of the author's. */
function asWritten(diagnostic: Diagnostic, offsetOf: LinkedSource["offsetOf"]): Diagnostic {
  const { pos, end, text, messageChain } = diagnostic;
  return {
    ...diagnostic,
    pos: offsetOf(pos),
    end: offsetOf(end),
    text: withIds(text),
    ...(messageChain && { messageChain: messageChain.map((next) => asWritten(next, (offset) => offset)) }),
  };
}
