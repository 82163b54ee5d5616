import { isBuiltin } from "node:module";

/** A package of the registry, and which of its versions. */
export interface NpmRequirement {
  readonly name: string;
  /** A version, a range or a tag; the latest when absent. */
  readonly range?: string;
}

const longestName = 214;
const longestRange = 100;
const part = "[a-z0-9](?:[a-z0-9._-]*[a-z0-9_-])?";
const packageName = new RegExp(`^(?:@${part}/)?${part}$`);
/** Comparators of versions with spaces or `||` between them, or the one word of a tag. */
const comparator = String.raw`(?:[~^]|[<>]=?|=)?v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}(?:-[\w.-]+)?(?:\+[\w.-]+)?`;
const range = new RegExp(`^(?:${comparator}(?:(?: | - | ?\\|\\| ?)${comparator})*|[A-Za-z][\\w-]*(?:\\.[\\w-]+)*)$`);
/** npm takes what ends like this for a file. */
const archive = /\.(?:tgz|tar|tar\.gz)$/i;

/**
 * Reads `name`, `name@1.2`, `@scope/name@^1 || ^2`, `name@beta`. All else that npm would take is refused: the answer is then
 * why, as a text that follows what was asked for.
 */
export function readNpmRequirement(text: string): NpmRequirement | string {
  const at = text.indexOf("@", 1);
  const name = at === -1 ? text : text.slice(0, at);
  const wanted = at === -1 ? undefined : text.slice(at + 1);
  if (text.startsWith("-")) return "is an option, not a package";
  if (/^[./~\\]|^[A-Za-z]:[\\/]|^file:/.test(text)) return `is a path: ${onlyNames}`;
  if (/:|\/\/|\.git\b/.test(text)) return `is an address or an alias: ${onlyNames}`;
  if (name.length > longestName || !packageName.test(name) || archive.test(name) || name === "node_modules")
    return `is not the name of an npm package: ${onlyNames}`;
  if (/^(mcp_tools|coordinator|skills)$/.test(name))
    return "has the name of a module that guests get from the coordinator";
  if (isBuiltin(name)) return `is a part of Node itself: import it as "node:${name}"`;
  if (wanted === undefined) return { name };
  if (wanted.length > longestRange || !range.test(wanted) || archive.test(wanted))
    return "does not ask for a version, range or tag that npm knows";
  return { name, range: wanted };
}

const onlyNames = "npm packages are installed by name, with a version if need be (lodash, lodash@4, @scope/name@^1.2)";
