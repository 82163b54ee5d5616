/**
 * Any text as a literal of JavaScript, TypeScript and JSON that shows all it holds: controls, line separators, invisible and
 * text-direction characters and lone surrogates are escaped.
 */
export function quote(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|[\u{e0100}-\u{e01ef}]/gu, escapeUnits);
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, unit) => {
    return `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`;
  }).join("");
}
