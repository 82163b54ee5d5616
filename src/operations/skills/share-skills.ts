import { basename, resolve } from "node:path";
import * as z from "zod";
import { CoordinatorError, messageOf, messageWithHint } from "../../errors.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";

/** Loaded when skills are shared: what reads SKILL.md is large. */
const agentSkills = () => import("../../skills/agent-skill-folder.ts");

export function exportSkills({ skills }: Services) {
  return defineOperation({
    name: "export_skills",
    description: "Write skills as Agent Skills folders: SKILL.md and the code beside it",
    input: () => z.strictObject({ out: z.string(), names: z.array(z.string()).optional() }),
    async run({ out, names }, context) {
      if (names === undefined) await skills.edits.take("now", context);
      const folder = resolve(out);
      const { writeAgentSkill } = await agentSkills();
      const wanted = await Promise.all(
        (names ?? (await skills.store.names())).map((name) => skills.current(name, undefined, context)),
      );
      const exported = wanted.map((skill) => {
        try {
          return { name: skill.name, version: skill.version, folder: writeAgentSkill(folder, skill) };
        } catch (thrown) {
          throw new CoordinatorError("output_exists", `Cannot export ${skill.name}: ${messageOf(thrown)}`, {
            hint: "Choose another folder.",
            cause: thrown,
          });
        }
      });
      return { exported };
    },
    present({ exported }) {
      const lines = exported.map(({ name, version, folder }) => `${name} (version ${version}): ${folder}`);
      return { text: lines.join("\n") || "There are no skills to export." };
    },
  });
}

interface Imported {
  readonly name: string;
  readonly version: number;
  /** False when the latest version says the same. */
  readonly stored: boolean;
}

export function importSkills({ skills }: Services) {
  return defineOperation({
    name: "import_skills",
    description: "Import Agent Skills that have code in TypeScript or Python; each is checked like any skill",
    input: () => z.strictObject({ from: z.string() }),
    async run({ from }, actor) {
      const imported: Imported[] = [];
      const refused: { folder: string; reason: string }[] = [];
      const { readAgentSkillFolder } = await agentSkills();
      for (const folder of await foldersAt(resolve(from))) {
        try {
          const { skill, isNew } = await skills.save({ tests: null, ...readAgentSkillFolder(folder) }, actor);
          imported.push({ name: skill.name, version: skill.version, stored: isNew });
        } catch (thrown) {
          refused.push({ folder: basename(folder), reason: messageWithHint(thrown) });
        }
      }
      return { imported, refused };
    },
    present({ imported, refused }) {
      const lines = [
        ...imported.map(
          ({ name, version, stored }) => `${name}: version ${version}${stored ? "" : ", which says the same"}`,
        ),
        ...refused.map(({ folder, reason }) => `${folder} was refused: ${reason}`),
      ];
      return { text: lines.join("\n"), failed: refused.length > 0 };
    },
  });
}

async function foldersAt(path: string): Promise<string[]> {
  const { agentSkillFolders } = await agentSkills();
  const problem = (message: string, cause?: unknown) =>
    new CoordinatorError("input_invalid", message, {
      hint: "Name a folder with a SKILL.md, or one that holds such folders.",
      cause,
    });
  let folders: string[];
  try {
    folders = agentSkillFolders(path);
  } catch (thrown) {
    throw problem(`Cannot read ${path}: ${messageOf(thrown)}`, thrown);
  }
  if (folders.length === 0) throw problem(`${path} holds no SKILL.md`);
  return folders;
}
