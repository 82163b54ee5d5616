import { plainText } from "../catalog/plain-text.ts";

/** A doc comment around anyone's text, with the line end after it: the text can neither close it nor name a tag. No text, no comment. */
export function docComment(text: string): string {
  if (text === "") return "";
  const safe = text.replaceAll("*/", "*\\/").replace(/(?<![\p{L}\p{N}])@/gu, "\\@");
  const lines = safe.split("\n");
  if (lines.length === 1) return `/** ${safe} */\n`;
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */\n"].join("\n");
}

/** A server's text as paragraphs: visible characters only, no margins, no runs of empty lines. */
export function docText(text: unknown, maxLength: number): string {
  if (typeof text !== "string") return "";
  const lines = plainText(text, maxLength).split("\n");
  return lines
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
