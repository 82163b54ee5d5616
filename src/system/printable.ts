const LONGEST = 100;

/** Text from a file as it may be shown in a terminal: control, format and direction characters become escapes. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escapeOf);
}

/** The same in double quotes, cut when long. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text));
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
