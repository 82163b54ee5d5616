import { printable } from "../system/printable.ts";
import type { ConfigProblem, Path } from "./document.ts";
import type { ProcessEnv } from "./home.ts";

/** What the placeholders in a server's strings stand for. */
export interface Variables {
  readonly env: ProcessEnv;
  readonly userHome: string;
  /** The folder of the configuration file. */
  readonly workspaceFolder: string;
}

// The content of a placeholder may hold one more placeholder, as the default of the outer one.
const placeholder = /\$\{((?:[^{}]|\$\{[^{}]*\})*)\}/g;
const variable = /^(?:env:([^:]+)|([A-Za-z_]\w*))(?::-(.*))?$/s;

/** A variable that a configuration names and the environment lacks. */
export interface UnsetVariable extends ConfigProblem {
  readonly variable: string;
}

/**
 * Expands every string inside `value`, keys excepted; what cannot be expanded stays and is added to `problems`, those of
 * variables that are not set with their names.
 */
export function expand(
  value: unknown,
  path: Path,
  variables: Variables,
  problems: (ConfigProblem | UnsetVariable)[],
): unknown {
  if (typeof value === "string") return expandText(value, variables, (found) => problems.push({ path, ...found }));
  if (Array.isArray(value)) return value.map((item, index) => expand(item, [...path, index], variables, problems));
  if (typeof value !== "object" || value === null) return value;
  const expanded = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    expanded[key] = expand(item, [...path, key], variables, problems);
  }
  return expanded;
}

type Found = Pick<ConfigProblem, "text"> & { readonly variable?: string };

function expandText(text: string, variables: Variables, report: (found: Found) => void): string {
  return text.replace(placeholder, (whole: string, content: string) => {
    if (content === "userHome") return variables.userHome;
    if (content === "workspaceFolder") return variables.workspaceFolder;
    if (content.startsWith("input:")) {
      const text = `${printable(whole)}: inputs of VS Code are not supported; set an environment variable and write \${NAME}`;
      report({ text });
      return whole;
    }
    const match = variable.exec(content);
    if (match === null) return whole;
    const name = match[1] ?? match[2] ?? "";
    const fallback = match[3];
    const found = variables.env[name];
    // An environment is a plain object: a name such as "constructor" finds what nobody set.
    const set = typeof found === "string" ? found : undefined;
    if (fallback !== undefined) return set || expandText(fallback, variables, report);
    if (set !== undefined) return set;
    const shown = printable(name);
    report({
      text: `the environment variable ${shown} is not set; set it or write \${${shown}:-default}`,
      variable: shown,
    });
    return whole;
  });
}
