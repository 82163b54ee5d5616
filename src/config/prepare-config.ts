import { isFields } from "../system/fields.ts";
import type { ConfigProblem, Path } from "./document.ts";
import { entryProblems } from "./entry.ts";
import { expand, type UnsetVariable, type Variables } from "./expand.ts";
import { pathText } from "./invalid-config.ts";
import { startsOurselves } from "./ourselves.ts";
import { ignoredServerKeys } from "./schema.ts";

interface Prepared {
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  /** The variables that servers name and that are not set. */
  readonly unset: readonly UnsetVariable[];
  readonly notes: readonly string[];
}

/** The parsed file as the schema wants it: ourselves left out, the strings of every server that is used expanded. */
export function prepareConfig(value: unknown, variables: Variables): Prepared {
  if (!isFields(value)) return { value, problems: [], unset: [], notes: [] };
  const problems: (ConfigProblem | UnsetVariable)[] = [];
  const notes: string[] = [];
  const prepared: Record<string, unknown> = Object.assign(Object.create(null), value);
  if ("mcpServers" in value && "servers" in value) {
    problems.push({ path: ["servers"], text: "means the same as mcpServers; keep one" });
  }
  for (const key of ["mcpServers", "servers"]) {
    const entries = value[key];
    if (!isFields(entries)) continue;
    const kept = Object.create(null);
    for (const [name, entry] of Object.entries(entries)) {
      const path = [key, name];
      if (name === "") problems.push({ path, text: "needs a name" });
      if (isFields(entry) && entry["disabled"] !== true && startsOurselves(entry)) {
        notes.push(`${pathText(path)} is left out: it is mcp-coordinator itself`);
      } else {
        kept[name] = prepareEntry(entry, path, variables, problems);
      }
    }
    prepared[key] = kept;
  }
  return { value: prepared, problems: problems.filter((one) => !isUnset(one)), unset: problems.filter(isUnset), notes };
}

function isUnset(problem: ConfigProblem | UnsetVariable): problem is UnsetVariable {
  return "variable" in problem;
}

/** A disabled server may name variables that are not set, or be half written. */
function prepareEntry(entry: unknown, path: Path, variables: Variables, problems: ConfigProblem[]): unknown {
  if (!isFields(entry) || entry["disabled"] === true) return entry;
  const expanded = Object.create(null);
  for (const [key, value] of Object.entries(entry)) {
    const isIgnored = ignoredServerKeys.some((ignored) => ignored === key);
    expanded[key] = isIgnored ? value : expand(value, [...path, key], variables, problems);
  }
  problems.push(...entryProblems(expanded, path));
  return expanded;
}
