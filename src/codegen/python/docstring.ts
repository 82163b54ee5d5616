/** A docstring around text that `docText` has made plain, with the line end after it: the text cannot close it. No text, none. */
export function docstring(text: string, indent: string): string {
  if (text === "") return "";
  const safe = text
    .replaceAll("\\", "\\\\")
    .replace(/"{2,}|"$/g, (quotes) => '\\"'.repeat(quotes.length))
    .replaceAll("\n", `\n${indent}`)
    .replace(/(?<![ \t])[ \t]+$/gm, "");
  return `${indent}"""${safe}${safe.includes("\n") ? `\n${indent}` : ""}"""\n`;
}
