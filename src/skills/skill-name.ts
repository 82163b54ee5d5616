import { reservedWords } from "../catalog/names.ts";

const longestName = 64;
/** Files of these names are devices on Windows, whatever their ending. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Why a skill cannot have that name: it is an identifier in both languages and the name of a file everywhere. */
export function skillNameProblem(name: string): string | undefined {
  if (!isSkillName(name)) {
    return `"${name.slice(0, 80)}" is not a name for a skill: use small letters, digits and _, a letter first, ${longestName} characters at most`;
  }
  if (reservedWords.has(name)) return `"${name}" is a reserved word of TypeScript or Python: choose another name`;
  return deviceName.test(name) ? `"${name}" cannot be the name of a file on Windows: choose another name` : undefined;
}

/** Whether it has the form of one. */
export function isSkillName(name: string): boolean {
  return name.length <= longestName && /^[a-z][a-z0-9_]*$/.test(name);
}
