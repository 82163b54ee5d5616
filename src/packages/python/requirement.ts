import { isAbsolute } from "node:path";

/** One thing to install, understood. */
export interface Requirement {
  /** The normalised name; undefined for a file or an address that does not tell it. */
  readonly name: string | undefined;
  /** What the installer is given. */
  readonly text: string;
  /** An address that it comes from instead of the index. */
  readonly url?: URL;
  /** A file of the user's that it comes from. */
  readonly path?: string;
}

export type Sources = "index" | "any";

const mostCharacters = 300;
const name = `[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`;
const extras = String.raw`(?:\s*\[\s*${name}(?:\s*,\s*${name})*\s*\])?`;
const version = String.raw`(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9][A-Za-z0-9._*+!-]*`;
const versions = String.raw`(?:${version}(?:\s*,\s*${version})*)`;
const named = new RegExp(String.raw`^(${name})(${extras})\s*(${versions}|\(\s*${versions}\s*\))?\s*(?:;(.*))?$`);
const direct = new RegExp(String.raw`^(${name})${extras}\s*@\s*(\S+)$`);

const variable =
  "(?:python_version|python_full_version|os_name|sys_platform|platform_release|platform_system|platform_version|platform_machine|platform_python_implementation|implementation_name|implementation_version|extra)";
const text = `(?:"[A-Za-z0-9 ._*+!-]*"|'[A-Za-z0-9 ._*+!-]*')`;
const operator = String.raw`(?:===|==|~=|!=|<=|>=|<|>|in\b|not\s+in\b)`;
const comparison = String.raw`\(*\s*(?:${variable}|${text})\s*${operator}\s*(?:${variable}|${text})\s*\)*`;
const marker = new RegExp(String.raw`^\s*${comparison}(?:\s*\b(?:and|or)\b\s*${comparison})*\s*$`);

/** A requirement as PEP 508 writes it: name, extras, versions, markers; a text is why it may not be installed. */
export function readRequirement(requirement: string, sources: Sources): Requirement | string {
  const trimmed = requirement.trim();
  if (trimmed === "") return "is empty";
  if (trimmed.length > mostCharacters) return `has more than ${mostCharacters} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  if (/[\x00-\x1f\x7f\u2028\u2029]/.test(trimmed)) return "holds a line break or another control character";
  if (trimmed.startsWith("-")) return "is an option of the installer, not a package";
  const [, found = "", , , condition] = named.exec(trimmed) ?? [];
  const isFile = /\.(whl|zip|tar\.gz|tgz|tar\.bz2)$/i.test(trimmed);
  if (found !== "" && !isFile) {
    if (condition !== undefined && !isMarker(condition))
      return "has something after ; that is not a condition of PEP 508";
    return { name: normalise(found), text: trimmed };
  }
  return sources === "any" ? readSource(trimmed) : reasonAgainst(trimmed);
}

/** The one spelling of a project's name. */
export function normalise(project: string): string {
  return project.toLowerCase().replace(/[-_.]+/g, "-");
}

function isMarker(condition: string): boolean {
  const opening = condition.split("(").length;
  return marker.test(condition) && opening === condition.split(")").length;
}

function readSource(trimmed: string): Requirement | string {
  const [, project, address = trimmed] = direct.exec(trimmed) ?? [];
  const of = project === undefined ? undefined : normalise(project);
  if (/^(git|hg|svn|bzr)\+/i.test(address)) return "is in version control, for which the sandbox has no program";
  if (/^https?:\/\//i.test(address)) {
    if (!URL.canParse(address)) return "is not a valid URL";
    if (new URL(address).username || new URL(address).password) {
      return "holds a password, which the package's own code could read while it is built";
    }
    return { name: of, text: trimmed, url: new URL(address) };
  }
  if (project === undefined && isAbsolute(address)) return { name: undefined, text: address, path: address };
  return "is neither a package of the index, nor an http or https URL, nor an absolute path";
}

function reasonAgainst(trimmed: string): string {
  if (/:\/\/|^[a-z]+\+/i.test(trimmed)) return "is an address, and packages come from the index only";
  if (/[/\\]|^\.|^~|\.(whl|zip|tar\.gz|tgz|tar\.bz2)$/i.test(trimmed)) {
    return "is a file or a path, and packages come from the index only";
  }
  return "is not a package name with versions, as in pandas or pandas>=2,<3";
}
