import * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import { languageOfCode } from "../../runtime/modules/code-language.ts";
import { mostCharacters } from "../../runtime/source.ts";
import type { Language } from "../../sandbox/engine.ts";
import { functionSource } from "../../skills/function-source.ts";
import { importLine } from "../../skills/import-line.ts";
import { runAsSkill } from "../../skills/run-as-skill.ts";
import { showLimit, showUse } from "../../skills/show-skill.ts";
import type { SavedSkill } from "../../skills/skill-book.ts";
import { skillNameProblem } from "../../skills/skill-name.ts";
import { language } from "../inputs.ts";
import { defineOperation, guestLanguage, type OperationContext } from "../operation.ts";
import { unknownRun } from "../runs.ts";
import type { Services } from "../services.ts";

const common = {
  description: z.string().optional().describe("the doc comment's first line when absent"),
  tags: z.array(z.string()).nullable().optional().describe("stay as they are when absent; [] for none"),
  tests: z
    .string()
    .max(mostCharacters)
    .nullable()
    .optional()
    .describe('code that imports the skill and throws when it is wrong; stay as they are when absent, "" for none'),
};

/** Characters that neither files nor databases keep as they are. */
const text = z
  .string()
  .max(mostCharacters)
  .refine((value) => !/\0|\p{Surrogate}/u.test(value), "has characters that do not belong in text");

export function saveSkill(services: Services) {
  return defineOperation({
    name: "save_skill",
    description:
      "Save a function for later runs: one exported function with a doc comment or docstring, named like the skill. It is checked and its tests are run first; each save is a new version.",
    toolset: "skills",
    hints: { destructiveHint: false },
    input: () =>
      z.strictObject({
        name: z.string(),
        code: text,
        ...common,
        language: language.optional(),
      }),
    async run({ language, ...saving }, context) {
      return save(services, { ...saving, language: await languageOf(services, saving, language) }, context);
    },
    present: (saved) => saved,
  });
}

/** The same for guests, who may give a function that their code defines: see sandbox/guest/conveniences. */
export function saveSkillOfGuest(services: Services) {
  return defineOperation({
    name: "save_guest_skill",
    description:
      "Save a function with a doc comment or docstring for later runs: one that your code defines at its top level, or its source text. It is checked and its tests are run first; each save is a new version.",
    guest: "skills.save",
    positional: ["name", "code"],
    example: { name: "double", function: "double" },
    stores: true,
    input: () =>
      z.strictObject({
        name: z.string().optional(),
        code: text.optional(),
        function: z.string().optional().describe("one that the run or its session defines, by its name"),
        ...common,
        language: language.optional(),
      }),
    output: () =>
      z.object({
        name: z.string(),
        version: z.int(),
        stored: z.boolean(),
        import: z.string(),
        parameters: z.array(z.object({ name: z.string(), type: z.string().optional(), optional: z.boolean() })),
        tools: z.array(z.string()),
        tests: z.enum(["passed", "none"]),
        limit: z.string().optional(),
        note: z.string().optional(),
      }),
    async run({ name: given, code: text, function: defined, language, ...about }, context) {
      const name = given ?? (defined === undefined ? undefined : snakeCase(defined));
      const own = guestLanguage(context);
      const isOwn = defined !== undefined && text === undefined && own !== undefined;
      const code = isOwn ? await functionSource(defined, await programsOf(services, context), own) : text;
      if (name === undefined || code === undefined) {
        throw new CoordinatorError("input_invalid", "Cannot save a skill without a function or its source text", {
          hint: context.calledAs?.usage(),
        });
      }
      const written = isOwn ? own : await languageOf(services, { name, code }, language);
      return save(services, { name, code, ...about, language: written }, context);
    },
    present: (saved) => saved,
  });
}

/** The code of the run, and of the earlier ones of its session. */
async function programsOf({ journal }: Services, { run, earlierRuns = [] }: OperationContext): Promise<string[]> {
  const ids = [...(run ? [run.id] : []), ...earlierRuns];
  const runs = await Promise.all(ids.map((id) => journal.getRun(id)));
  return runs.flatMap((found) => found?.code ?? []);
}

/** `topCustomers` is kept as `top_customers`. */
function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

/** Unless somebody says: that of the skill as it is, else what the code looks like. */
async function languageOf(
  { skills }: Services,
  { name, code }: { readonly name: string; readonly code: string },
  said: Language | undefined,
): Promise<Language> {
  return said ?? (await skills.store.peek(name))?.language ?? (await languageOfCode(code)) ?? "typescript";
}

export function saveSkillFromRun(services: Services) {
  return defineOperation({
    name: "save_skill_from_run",
    description: "Make a skill from the code of a run: it becomes the body of a function of that name",
    input: () => z.strictObject({ run: z.string(), name: z.string(), ...common }),
    async run({ run, name, description, tags, tests }, context) {
      const problem = skillNameProblem(name);
      if (problem !== undefined) throw new CoordinatorError("input_invalid", problem);
      const found = await services.journal.getRun(run);
      if (!found) throw unknownRun(run);
      const language = found.language as Language;
      const summary = description ?? `Does what the run ${run} did.`;
      const code = await runAsSkill(found.code, { name, language, summary });
      return save(services, { name, code, description, tags, tests, language }, context);
    },
    present: (saved) => saved,
  });
}

type Saving = Parameters<Services["skills"]["save"]>[0];

async function save({ skills }: Services, input: Saving, context: OperationContext) {
  const saved = await skills.save(input, context);
  const { skill, isNew, note } = saved;
  const data = {
    name: skill.name,
    version: skill.version,
    stored: isNew,
    import: importLine(skill),
    parameters: skill.entry.parameters,
    tools: (await skills.tools.of(skill)).map(({ server, tool }) => `${server}.${tool}`),
    tests: skill.tests === undefined ? "none" : "passed",
    ...(skill.limit && { limit: showLimit(skill.limit) }),
    ...(note && { note }),
  };
  return { data, text: savedText(saved) };
}

function savedText({ skill, isNew, note }: SavedSkill): string {
  const { name, version, tests } = skill;
  const what = isNew
    ? `Saved ${name} as version ${version}${tests === undefined ? "" : "; its tests passed"}.`
    : `Nothing to store: version ${version} of ${name} says the same.`;
  const limit = skill.limit && `This run may not use everything, so it ${showLimit(skill.limit)}.`;
  return [what, showUse(skill), ...(limit ? [limit] : []), ...(note ? [note] : [])].join("\n");
}
