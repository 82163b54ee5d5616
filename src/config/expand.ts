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

/** Expands every string inside `value`, keys excepted; what cannot be expanded stays and is added to `problems`. */
export function expand(value: unknown, path: Path, variables: Variables, problems: ConfigProblem[]): unknown {
  if (typeof value === "string") {
    return expandText(value, variables, (text) => problems.push({ path, text }));
  }
  if (Array.isArray(value)) return value.map((item, index) => expand(item, [...path, index], variables, problems));
  if (typeof value !== "object" || value === null) return value;
  const expanded = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    expanded[key] = expand(item, [...path, key], variables, problems);
  }
  return expanded;
}

function expandText(text: string, variables: Variables, report: (problem: string) => void): string {
  return text.replace(placeholder, (whole: string, content: string) => {
    if (content === "userHome") return variables.userHome;
    if (content === "workspaceFolder") return variables.workspaceFolder;
    if (content.startsWith("input:")) {
      report(
        `${printable(whole)}: inputs of VS Code are not supported; set an environment variable and write \${NAME}`,
      );
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
    report(`the environment variable ${shown} is not set; set it or write \${${shown}:-default}`);
    return whole;
  });
}
