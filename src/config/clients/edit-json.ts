import { applyEdits, findNodeAtLocation, format, type Node, parseTree } from "jsonc-parser";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The text with an entry at a path, laid out like what stands around it, or without it. All else stays, byte for byte. Where
 * something else than an object is in the way, nothing changes.
 */
export function editJson(text: string, path: readonly string[], entry: Fields | undefined): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const missing = path.findIndex((_, index) => !root || !findNodeAtLocation(root, path.slice(0, index + 1)));
  const depth = missing < 0 ? path.length - 1 : missing;
  const parent = root && findNodeAtLocation(root, path.slice(0, depth));
  if (!root || parent?.type !== "object") return text;
  const old = missing < 0 ? findNodeAtLocation(root, [...path])?.parent : undefined;
  if (entry === undefined) return old ? withoutMember(text, parent, old) : text;
  const [key = "", ...rest] = path.slice(depth);
  const value = rest.reduceRight<Fields>((inner, part) => ({ [part]: inner }), entry);
  return withMember(text, { root, parent, old }, key, value);
}

/** The same value, a line for each part of it. */
export function laidOut(text: string): string {
  return applyEdits(text, format(text, undefined, { insertSpaces: true, tabSize: 2, eol: "\n" }));
}

interface Place {
  readonly root: Node;
  readonly parent: Node;
  /** The member that is there already. */
  readonly old: Node | undefined;
}

function withMember(text: string, place: Place, key: string, value: Fields): string {
  const { parent, old } = place;
  const { gap, closing, space, write } = layoutOf(text, place);
  const member = `${JSON.stringify(key)}:${space}${write(value)}`;
  if (old) return replaced(text, old.offset, endOf(old), member);
  const last = parent.children?.at(-1);
  // Before a comma that trails, and before a remark on the last one: taking it out again leaves both.
  if (last) return replaced(text, endOf(last), endOf(last), `,${gap}${member}`);
  const inside = text.slice(parent.offset + 1, endOf(parent) - 1).trimEnd();
  return replaced(text, parent.offset + 1, endOf(parent) - 1, `${inside}${gap}${member}${closing}`);
}

interface Layout {
  /** Before a member, and after the last one. */
  readonly gap: string;
  readonly closing: string;
  /** After a colon. */
  readonly space: string;
  readonly write: (value: Fields) => string;
}

/** On one line, tight or spaced, where the members beside it are; in a file without any it is on lines of its own. */
function layoutOf(text: string, { root, parent, old }: Place): Layout {
  const beside = parent.children?.length ? parent : root;
  const [first] = beside.children ?? [];
  if (first && !text.slice(beside.offset, endOf(beside)).includes("\n")) {
    const space = /\s/.test(text[(first.colonOffset ?? 0) + 1] ?? "") ? " " : "";
    const write = (value: Fields) =>
      space === "" ? JSON.stringify(value) : JSON.stringify(value, undefined, 1).replace(/\n */g, " ");
    return { gap: space, closing: space, space, write };
  }
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentAt(text, parent.offset);
  const last = old ?? parent.children?.at(-1);
  const usual = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const inner = last ? indentAt(text, last.offset) : outer + usual;
  const step = inner.startsWith(outer) && inner !== outer ? inner.slice(outer.length) : usual;
  const write = (value: Fields) => JSON.stringify(value, undefined, step).replaceAll("\n", `${eol}${inner}`);
  return { gap: `${eol}${inner}`, closing: `${eol}${outer}`, space: " ", write };
}

/** What the line of an offset begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset) + 1, offset);
  return line.slice(0, line.length - line.trimStart().length);
}

function withoutMember(text: string, parent: Node, old: Node): string {
  const members = parent.children ?? [];
  const index = members.indexOf(old);
  const [before, after] = [members[index - 1], members[index + 1]];
  if (before) return replaced(text, endOf(before), endOf(old), "");
  if (after) return replaced(text, old.offset, after.offset, "");
  const rest = text.slice(endOf(old), endOf(parent) - 1);
  const comma = /^\s*,/.exec(rest)?.[0] ?? "";
  const isAlone = (text.slice(parent.offset + 1, old.offset) + rest.slice(comma.length)).trim() === "";
  if (isAlone) return replaced(text, parent.offset + 1, endOf(parent) - 1, "");
  return replaced(text, old.offset, endOf(old) + comma.length, "");
}

function replaced(text: string, from: number, to: number, content: string): string {
  return text.slice(0, from) + content + text.slice(to);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
