import { plainLine } from "../catalog/plain-text.ts";
import { quotePython } from "../codegen/python/quote.ts";
import { quote } from "../codegen/quote.ts";
import { nearest } from "../system/nearest.ts";
import type { SkillSummary } from "./skill-store.ts";

type Args = Readonly<Record<string, unknown>>;

/** What is wrong with the names of the arguments, each with the right ones. */
export function argumentProblems({ entry }: Pick<SkillSummary, "entry">, args: Args): string[] {
  const takesAny = entry.rest !== undefined && entry.calling === "keywords";
  const rest = entry.rest === undefined || takesAny ? [] : [entry.rest];
  const known = [...entry.parameters.map(({ name }) => name), ...rest];
  const unknown = takesAny ? [] : Object.keys(args).filter((name) => !known.includes(name));
  const missing = entry.parameters.filter(({ name, optional }) => !optional && !Object.hasOwn(args, name));
  return [
    ...unknown.map((name) => {
      const close = nearest(name, known);
      const right = close ? `did you mean "${close}"?` : `it takes ${known.join(", ") || "none"}`;
      return `unknown argument "${plainLine(name, 200)}", ${right}`;
    }),
    ...missing.map(({ name, type }) => `"${name}"${type ? ` (${type})` : ""} is missing`),
  ];
}

/** Guest code that imports the version and calls it. The arguments are data in it: a literal that is parsed there. */
export function callProgram(skill: Pick<SkillSummary, "name" | "version" | "language" | "entry">, args: Args): string {
  return skill.language === "python" ? pythonCall(skill, args) : typeScriptCall(skill, args);
}

type Callee = Parameters<typeof callProgram>[0];

function typeScriptCall({ name, version, entry }: Callee, args: Args): string {
  const member = (key: string): string => `given[${quote(key)}]`;
  const positions = entry.parameters.map((parameter) => member(parameter.name));
  const rest = entry.rest === undefined ? [] : [`...(${member(entry.rest)} ?? [])`];
  const list = entry.calling === "object" ? "given" : [...positions, ...rest].join(", ");
  return `import { ${entry.function} as skill } from "skills/${name}@${version}";
const given = JSON.parse(${quote(JSON.stringify(args))});
await skill(${list})`;
}

function pythonCall({ name, version, entry }: Callee, args: Args): string {
  const byPosition = entry.parameters
    .slice(0, entry.positionalOnly ?? 0)
    .filter((one) => Object.hasOwn(args, one.name));
  const positions = byPosition.map((one) => args[one.name]);
  const keywords = Object.fromEntries(
    Object.entries(args).filter(([key]) => !byPosition.some((parameter) => parameter.name === key)),
  );
  return `import json
from skills.${name}.v${version} import ${entry.function} as skill
positions = json.loads(${quotePython(JSON.stringify(positions))})
keywords = json.loads(${quotePython(JSON.stringify(keywords))})
${entry.isAsync ? "await " : ""}skill(*positions, **keywords)`;
}
