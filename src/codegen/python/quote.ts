/**
 * Any text as a string literal of Python that shows all it holds. JSON's escapes mean the same in Python; a character outside the
 * basic plane does not survive as two of them.
 */
export function quotePython(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|[\u{e0100}-\u{e01ef}]/gu, escaped);
}

function escaped(character: string): string {
  const hexadecimal = (character.codePointAt(0) ?? 0).toString(16);
  return hexadecimal.length > 4 ? `\\U${hexadecimal.padStart(8, "0")}` : `\\u${hexadecimal.padStart(4, "0")}`;
}
