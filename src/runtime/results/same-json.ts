const quote = 0x22;
const backslash = 0x5c;

/** Whether a text is that JSON, however it is spaced. Compared without parsing: most texts differ within a few characters. */
export function isSameJson(text: string, json: string): boolean {
  if (text === json) return true;
  if (text.length < json.length) return false;
  let at = 0;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) index++;
    else if (code === quote) {
      const end = endOfString(text, index);
      if (!json.startsWith(text.slice(index, end), at)) return false;
      at += end - index;
      index = end;
    } else if (code === json.charCodeAt(at)) {
      index++;
      at++;
    } else return false;
  }
  return at === json.length;
}

/** Behind the quote that ends the string which starts here; one that is not ended has no other end than the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}
