import * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import { type RunResult, showRun } from "../../runtime/results/run-result.ts";
import { argumentProblems, callProgram } from "../../skills/call-program.ts";
import { signatureLine } from "../../skills/import-line.ts";
import { presentRun } from "../code/present-run.ts";
import { runSettings } from "../inputs.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";

type SkillRun = RunResult & { readonly skill: string; readonly stale?: readonly string[] };

export function runSkill({ skills, libraries, execute }: Services) {
  return defineOperation({
    name: "run_skill",
    description: "Run a saved skill in the sandbox with arguments by name; it can call only the tools that it imports",
    toolset: "skills",
    input: () =>
      z.strictObject({
        name: z.string(),
        args: z.record(z.string(), z.unknown()).optional(),
        version: z.int().min(1).optional(),
        timeout: runSettings.timeout,
      }),
    async run({ name, args = {}, version, timeout }, context): Promise<SkillRun> {
      const skill = await skills.current(name, version, context);
      const problems = argumentProblems(skill, args);
      if (problems.length > 0) {
        throw new CoordinatorError("input_invalid", `Cannot run ${name}: ${problems.join("; ")}`, {
          hint: `It is ${signatureLine(skill)}.`,
        });
      }
      // What it may call of a whole server is known when the server has been asked.
      const whole = (await skills.tools.of(skill)).filter(({ tool }) => tool === "*");
      await Promise.allSettled(whole.map(({ server }) => libraries.get(server)));
      const request = {
        code: callProgram(skill, args),
        language: skill.language,
        tools: await skills.tools.named(skill),
        timeoutSeconds: timeout,
      };
      const run = await execute(request, { ...context, via: `skill:${name}` });
      const stale = await skills.tools.stale(skill);
      return { ...run, skill: `${name}@${skill.version}`, ...(stale.length > 0 && { stale }) };
    },
    present: (run) =>
      presentRun(run, [...(run.stale ?? []).map((reason) => `[stale: ${reason}]`), showRun(run)].join("\n")),
  });
}
