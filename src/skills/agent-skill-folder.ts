import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { agentSkillName, agentSkillText, readAgentSkill } from "./agent-skill.ts";
import type { SkillText } from "./file-text.ts";
import type { SkillVersion } from "./skill-store.ts";

const description = "SKILL.md";
const mostBytes = 1_000_000;
/** Where others keep code beside SKILL.md. */
const codeFolders = ["", "scripts"] as const;

/** Writes a skill as the folder of an Agent Skill and answers its path. Throws when something else is there. */
export function writeAgentSkill(out: string, skill: SkillVersion): string {
  const folder = join(out, agentSkillName(skill.name));
  refuseStrangers(folder, skill.name);
  const ending = skill.language === "python" ? "py" : "ts";
  const code = `${skill.name}.${ending}`;
  const tests = skill.tests === undefined ? undefined : `${skill.name}.test.${ending}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, code), skill.code);
  if (tests !== undefined) writeFileSync(join(folder, tests), skill.tests ?? "");
  writeFileSync(join(folder, description), agentSkillText(skill, { code, tests }));
  return folder;
}

/** A folder that is there is replaced only when it holds the same skill. */
function refuseStrangers(folder: string, name: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) throw new Error(`${folder} exists and is not a folder`);
  for (const file of readdirSync(folder)) {
    if (!lstatSync(join(folder, file)).isFile()) throw new Error(`${folder} holds ${file}, which is not a file`);
  }
  const text = readPlain(join(folder, description));
  if (readdirSync(folder).length > 0 && (text === undefined || readAgentSkill(text).name !== name)) {
    throw new Error(`${folder} exists and does not hold the skill ${name}`);
  }
}

/** The folders of Agent Skills at a path: itself, or those in it. */
export function agentSkillFolders(path: string): string[] {
  if (readPlain(join(path, description)) !== undefined) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name))
    .filter((folder) => readPlain(join(folder, description)) !== undefined);
}

/** Reads the folder of an Agent Skill, ours or another's. Throws with the reason when it does not hold a skill that we can use. */
export function readAgentSkillFolder(folder: string): SkillText & { name: string; language: SkillVersion["language"] } {
  const said = readAgentSkill(readPlain(join(folder, description)) ?? "");
  const code = said.code === undefined ? onlyCodeFile(folder) : plainName(said.code);
  const language = said.language ?? (code.endsWith(".py") ? "python" : "typescript");
  const text = readPlain(join(folder, code));
  if (text === undefined) throw new Error(`${code} is not there`);
  const tests = said.tests === undefined ? undefined : readPlain(join(folder, plainName(said.tests)));
  const { name, description: about, tags } = said;
  return { name, language, code: text, description: about, tags, ...(tests !== undefined && { tests }) };
}

/** What SKILL.md names lies beside it. */
function plainName(name: string): string {
  if (name === basename(name) && !name.includes("\\") && !name.startsWith(".")) return name;
  throw new Error(`SKILL.md names ${JSON.stringify(name)}, which is not a file beside it`);
}

function onlyCodeFile(folder: string): string {
  const found = codeFolders.flatMap((below) => {
    const stat = lstatSync(join(folder, below), { throwIfNoEntry: false });
    const names = stat?.isDirectory() ? readdirSync(join(folder, below)) : [];
    return names.filter((name) => /(?<!\.d)(?<!\.test)\.(?:ts|py)$/.test(name)).map((name) => join(below, name));
  });
  const [only, ...others] = found;
  if (only === undefined) throw new Error("it holds no code in TypeScript or Python");
  if (others.length > 0)
    throw new Error(`it holds ${found.length} files of code (${found.join(", ")}): a skill is one function`);
  return only;
}

/** The text of a plain file; undefined for whatever else is there, or nothing. */
function readPlain(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  if (stat.size > mostBytes) throw new Error(`${basename(path)} has ${stat.size} bytes, more than ${mostBytes}`);
  return readFileSync(path, "utf8");
}
