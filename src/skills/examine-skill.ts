import type { ToolName } from "../actor.ts";
import { type Actor, isSameTool } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import { type Problem, showProblems } from "../runtime/checks/problem.ts";
import type { Execute } from "../runtime/execute.ts";
import type { Libraries } from "../runtime/libraries/libraries.ts";
import type { ModuleSource } from "../runtime/modules/module-source.ts";
import { limitOf } from "../runtime/reach.ts";
import { showRun } from "../runtime/results/run-result.ts";
import { stripFences, unreadable } from "../runtime/source.ts";
import type { Language } from "../sandbox/engine.ts";
import type { SkillText } from "./file-text.ts";
import { readSkill } from "./read-skill.ts";
import { skillNameProblem } from "./skill-name.ts";
import type { LibraryUse } from "./skill-source.ts";
import type { SkillDraft, SkillTool } from "./skill-store.ts";
import { toolHash } from "./staleness.ts";

/** A skill as somebody hands it in. */
export interface SkillInput extends SkillText {
  readonly name: string;
  readonly language: Language;
  /** Set when it has the tests of an earlier version: which. */
  readonly testsOf?: number | undefined;
}

interface Examination {
  readonly execute: Execute;
  readonly libraries: Libraries;
  /** Where tests find the skill, before it is stored. */
  modulesWith(draft: SkillDraft): ModuleSource;
  /** The tools that the skill may call, with those of the skills that it imports. */
  toolsOf(draft: SkillDraft): Promise<readonly ToolName[]>;
}

const longestDescription = 1000;

/** Reads, checks and tests a skill, which gets the limits of the actor that hands it in. Throws skill_invalid with every problem in it. */
export async function examineSkill(input: SkillInput, examination: Examination, actor: Actor): Promise<SkillDraft> {
  const { name, language, tags } = input;
  const problem = skillNameProblem(name);
  if (problem !== undefined) throw new CoordinatorError("input_invalid", problem);
  const unread = unreadable(input.code);
  if (unread) throw invalid(name, "", [unread]);
  const code = wholeLines(input.code);
  const limit = limitOf(actor.may ?? {});
  const read = await readSkill(name, language, code);
  const found = await check(code, language, examination, actor);
  const problems = distinct([...found, ...read.problems]);
  if (problems.length > 0 || !read.entry) throw invalid(name, code, problems);
  const draft: SkillDraft = {
    name,
    language,
    description: oneLine(input.description ?? read.summary),
    tags: [...new Set(tags.map(oneLine))],
    entry: read.entry,
    tools: await toolsUsed(read.libraries, examination.libraries),
    imports: read.imports,
    ...(input.tests?.trim() && { tests: wholeLines(input.tests) }),
    code,
    ...(limit && { limit }),
  };
  await runTests(draft, input.testsOf, examination, actor);
  return draft;
}

/** As files keep it: without a fence around it, with one end of line at its end. */
function wholeLines(text: string): string {
  return `${stripFences(text).replace(/\r\n?/g, "\n").trimEnd()}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, longestDescription);
}

async function check(
  code: string,
  language: Language,
  { execute }: Examination,
  actor: Actor,
): Promise<readonly Problem[]> {
  const request = { code, language, dryRun: true, isTrial: true, servers: serversOf(actor) } as const;
  const { status, error } = await execute(request, within(actor));
  if (status === "ok") return [];
  if (status === "check_failed" && error?.problems) return error.problems;
  throw new CoordinatorError(
    "skill_invalid",
    `Nothing is stored: the check ended as ${status}. ${error?.message ?? ""}`,
    {
      hint: error?.hint,
    },
  );
}

/** Reading and checking find the same thing now and then. */
function distinct(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [`${problem.line} ${problem.message}`, problem])).values()];
}

function invalid(name: string, code: string, problems: readonly Problem[]): CoordinatorError {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  const message = `Nothing is stored. The code of ${name} has ${count}:\n${showProblems(code, problems)}`;
  return new CoordinatorError("skill_invalid", message);
}

/** The tools behind the imports, as they are now. */
async function toolsUsed(uses: readonly LibraryUse[], libraries: Libraries): Promise<SkillTool[]> {
  const found = new Map<string, SkillTool>();
  for (const { module, identifier } of uses) {
    const server = libraries.modules.find((known) => known.module === module)?.name;
    if (server === undefined) continue; // the check has let it pass: it may be there later
    const { library } = await libraries.get(server);
    const tools = library.tools.filter((tool) => identifier === "*" || tool.identifier === identifier);
    const tool = identifier === "*" ? "*" : (tools[0]?.name ?? identifier);
    found.set(JSON.stringify([server, tool]), { server, tool, hash: toolHash(tools) });
  }
  return [...found.values()];
}

async function runTests(
  draft: SkillDraft,
  testsOf: number | undefined,
  { execute, modulesWith, toolsOf }: Examination,
  actor: Actor,
): Promise<void> {
  const { name, language, tests } = draft;
  if (tests === undefined) return;
  const callable = await toolsOf(draft);
  const tools = callable.filter((wanted) => actor.may?.tools?.some((may) => isSameTool(may, wanted)) ?? true);
  const servers = serversOf(actor);
  const modules = [modulesWith(draft)];
  const run = await execute({ code: tests, language, isTrial: true, modules, servers, tools }, within(actor));
  if (run.status === "ok") return;
  const kept = testsOf === undefined ? "" : `, kept from version ${testsOf}`;
  throw new CoordinatorError(
    "skill_invalid",
    `Nothing is stored. The tests of ${name}${kept && `${kept},`} failed:\n${showRun(run)}`,
    {
      hint:
        testsOf === undefined
          ? undefined
          : 'Save it with `tests` that fit the new code, or with `tests` as "" for none.',
    },
  );
}

/** A run that may not use everything does not get further by saving a skill with tests. */
function serversOf({ may }: Actor): readonly string[] | undefined {
  return may?.servers && [...may.servers];
}

/** Nobody is asked anything by a skill that is only tried. */
function within({ principal, client, signal }: Actor): Actor {
  return { principal, client, signal };
}
