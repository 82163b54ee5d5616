import { CoordinatorError } from "../errors.ts";

/** As long as JSON text may be on its way to a guest, in bytes. */
export const largestJson = 32 * 1024 * 1024;

/** The text, where it fits as JSON: a control character is six there. */
export function fittingText(name: string, text: string, hint: string): string {
  if (text.length * 6 <= largestJson || jsonLength(text) <= largestJson) return text;
  throw new CoordinatorError(
    "input_invalid",
    `What was asked of ${name} is more than ${largestJson / 1024 / 1024} MB as JSON, too much for one answer`,
    { hint },
  );
}

/** In bytes, without the text being made. */
function jsonLength(text: string): number {
  let length = Buffer.byteLength(text) + 2;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20) length += shortEscapes.has(code) ? 1 : 5;
    else if (code === 0x22 || code === 0x5c) length++;
  }
  return length;
}

const shortEscapes = new Set([..."\b\f\n\r\t"].map((character) => character.charCodeAt(0)));
