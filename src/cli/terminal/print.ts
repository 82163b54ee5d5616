import { plainText } from "../../catalog/plain-text.ts";

/** Our own text or servers', to stdout, without what a terminal would obey. */
export function print(text: string): void {
  process.stdout.write(`${plain(text)}\n`);
}

/** The same to stderr: whatever is not the answer itself. */
export function talk(text: string): void {
  process.stderr.write(`${plain(text)}\n`);
}

/** Text that is the answer, byte for byte where a program reads it; a terminal gets it without escapes. */
export function printExactly(stream: NodeJS.WriteStream, text: string): void {
  stream.write(stream.isTTY ? plain(text) : text);
}

/** A value as people read it: text as it is, anything else as JSON. */
export function printValue(value: unknown): void {
  const text = typeof value === "string" ? value : jsonText(value, 2);
  printExactly(process.stdout, text.endsWith("\n") ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value)}\n`);
}

/** JSON in which every character that a terminal would obey or hide is escaped; nothing is lost by that. */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, undefined, indent) ?? "null";
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function plain(text: string): string {
  return plainText(text, Number.POSITIVE_INFINITY);
}
