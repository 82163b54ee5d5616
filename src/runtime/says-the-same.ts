const quote = 0x22;
const backslash = 0x5c;

/** Whether a text is that JSON, however it is spaced. Compared without parsing: most texts differ within a few characters. */
export function saysTheSame(text: string, json: string): boolean {
  if (text === json) return true;
  let at = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (!inString && (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)) continue;
    if (code !== json.charCodeAt(at++)) return false;
    if (code === quote) inString = !inString;
    else if (code === backslash && inString && text.charCodeAt(++index) !== json.charCodeAt(at++)) return false;
  }
  return at === json.length;
}
