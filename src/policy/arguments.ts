import { hostGlob, plainHost, possibleHosts } from "./host.ts";
import type { ArgumentPattern } from "./rule.ts";
import { textTest } from "./text-pattern.ts";

/**
 * Whether arguments fit. A rule that holds back fits when anything at its place does, looked for as widely as it could be meant; one
 * that allows fits only when everything there does, and is just what the rule expects.
 */
export type ArgumentTest = (args: unknown) => boolean;

export function argumentTest(pointer: string, pattern: ArgumentPattern, isAllowing: boolean): ArgumentTest {
  const path = pointer.slice(1).split("/").map(unescaped);
  const { fits, expects, whenAbsent } = leafTest(pattern, isAllowing);
  if (isAllowing) {
    return (args) => {
      const found = exactly(args, path);
      return found !== undefined && found.length > 0 && found.every((leaf) => expects(leaf) && fits(leaf));
    };
  }
  const holdsBack = (leaf: unknown) => (expects(leaf) ? fits(leaf) : whenOther(pattern));
  const hasOnePlace = !path.includes("*");
  const withNames = looksFor(pattern);
  return (args) => {
    // Most rules look at one place, where most calls have a text: no lists are made for that.
    const only = hasOnePlace ? onlyAt(args, path) : severalPlaces;
    if (only !== severalPlaces) return only === nothing ? whenAbsent : holdsBack(only);
    const found = leavesBelow(widely(args, path, withNames), withNames);
    return found.length === 0 ? whenAbsent : found.some(holdsBack);
  };
}

const nothing = Symbol("nothing is there");
const severalPlaces = Symbol("several values may be there");

/** What is at a place that names no elements, unless it holds others. */
function onlyAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const segment of path) {
    if (!hasMember(value, segment)) return nothing;
    value = value[segment];
  }
  return typeof value === "object" && value !== null ? severalPlaces : value;
}

interface LeafTest {
  /** Whether it is of the type that the pattern is about. */
  expects(leaf: unknown): boolean;
  /** Of one that is. */
  fits(leaf: unknown): boolean;
  /** What holds back, where there is nothing. */
  readonly whenAbsent: boolean;
}

function leafTest(pattern: ArgumentPattern, isAllowing: boolean): LeafTest {
  const isText = (leaf: unknown): leaf is string => typeof leaf === "string";
  const ofTexts = (fits: (text: string) => boolean, whenAbsent = false): LeafTest => {
    return { expects: isText, fits: (leaf) => isText(leaf) && fits(leaf), whenAbsent };
  };
  if (typeof pattern === "string" || isList(pattern)) return ofTexts(textTest(pattern));
  if ("not" in pattern) {
    const isNamed = textTest(pattern.not);
    return ofTexts((text) => !isNamed(text), true);
  }
  if ("host" in pattern) {
    const isNamed = textTest([pattern.host].flat().map(hostGlob));
    if (!isAllowing) return ofTexts((text) => possibleHosts(text).some(isNamed));
    return ofTexts((text) => {
      const host = plainHost(text);
      return host !== undefined && isNamed(host);
    });
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = pattern;
  return {
    expects: (leaf) => typeof leaf === "number",
    fits: (leaf) => Number(leaf) >= min && Number(leaf) <= max,
    whenAbsent: false,
  };
}

/** What a rule that holds back says of a value of another type: no text fits a glob, but a number in a text may be one. */
function whenOther(pattern: ArgumentPattern): boolean {
  return !looksFor(pattern);
}

/** Whether it is about texts that it names, rather than about all others, or about numbers. */
function looksFor(pattern: ArgumentPattern): boolean {
  return typeof pattern === "string" || isList(pattern) || "host" in pattern;
}

/** `Array.isArray` does not tell lists that cannot be changed. */
function isList(pattern: ArgumentPattern): pattern is readonly string[] {
  return Array.isArray(pattern);
}

function unescaped(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** What is at the place; `*` stands for the elements of a list. Nothing where one of them has no such place. */
function exactly(args: unknown, path: readonly string[]): readonly unknown[] | undefined {
  let found: readonly unknown[] = [args];
  for (const segment of path) {
    const next: unknown[] = [];
    for (const value of found) {
      if (segment !== "*") {
        if (!hasMember(value, segment)) return undefined;
        next.push(value[segment]);
      } else if (Array.isArray(value)) for (const element of value) next.push(element);
      else return undefined;
    }
    found = next;
  }
  return found;
}

/**
 * What is at the place wherever there is one; `*` stands for the members of an object too. Their names count as well: some
 * servers take an object for the list of them.
 */
function widely(args: unknown, path: readonly string[], withNames: boolean): readonly unknown[] {
  let found: readonly unknown[] = [args];
  for (const segment of path) {
    const next: unknown[] = [];
    for (const value of found) {
      if (segment === "*") for (const member of membersOf(value, withNames && value !== args)) next.push(member);
      else if (hasMember(value, segment)) next.push(value[segment]);
    }
    found = next;
  }
  return found;
}

/** Every value that holds no others, and every name below. */
function leavesBelow(values: readonly unknown[], withNames: boolean): readonly unknown[] {
  const leaves: unknown[] = [];
  const open = [...values];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "object" && value !== null)
      for (const member of membersOf(value, withNames)) open.push(member);
    else leaves.push(value);
  }
  return leaves;
}

function membersOf(value: unknown, withNames: boolean): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return [];
  return withNames ? [...Object.keys(value), ...Object.values(value)] : Object.values(value);
}

function hasMember(value: unknown, name: string): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.hasOwn(value, name) &&
    !(Array.isArray(value) && name === "length")
  );
}
