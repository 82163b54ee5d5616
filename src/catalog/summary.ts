import { plainLine } from "./plain-text.ts";

const longest = 160;
/** A description can have any length; what it is about stands near its start. */
const read = 4_000;

/** Headings, bullets, numbers and pictures in front of a line's words. */
const ornament = /^(?:[\s#>*_•·|`~-]|\d+[.)]\s|\p{Extended_Pictographic}|\u200d|\ufe0f)+/u;
const wantedLabel = /purpose|description|summary|overview|what it does/i;
const sentenceEnd = /(?<!\b(?:e\.g|i\.e|etc|vs|approx|incl))[.!?](?=["')\]]?(?:\s|$))|[。！？]/u;

/** What a description says first of what a tool does: one sentence, without headings; and that it is deprecated, where it is. */
export function summaryOf(description: string): string {
  const text = description.slice(0, read);
  const sentence = firstSentence(telling(text));
  const deprecated = /\bdeprecated\b[^.!?\n]{0,100}[.!?]?/i.exec(text)?.[0].trim();
  const whole = deprecated === undefined || sentence.includes(deprecated) ? sentence : `${deprecated} ${sentence}`;
  return plainLine(whole, longest);
}

/** The first sentence of a text on one line. */
export function firstSentence(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  const end = sentenceEnd.exec(line);
  const sentence = end ? line.slice(0, end.index + end[0].length) : line;
  return sentence.length > longest ? `${sentence.slice(0, longest - 1)}…` : sentence;
}

/** From the first line on that says something; that of a section called purpose or the like, where there is one. */
function telling(text: string): string {
  const lines = text.split("\n").map((line) => {
    const bare = line.replace(ornament, "").trim();
    return { bare, isLabel: isLabel(line, bare) };
  });
  const start = lines.findIndex(({ bare, isLabel }) => isLabel && wantedLabel.test(bare));
  const telling = [...lines.slice(start + 1), ...lines].find(({ bare, isLabel }) => bare !== "" && !isLabel);
  return telling?.bare ?? lines.find(({ bare }) => bare !== "")?.bare ?? "";
}

/** Whether a line is nothing but the name of what follows: few words that end in a colon, or behind a sign or a picture. */
function isLabel(line: string, bare: string): boolean {
  if (bare.length > 40 || bare.split(/\s+/).length > 4 || /[.!?]$/.test(bare)) return false;
  return /:[*_]*$/.test(bare) || /^\s*(?:#|\p{Extended_Pictographic})/u.test(line);
}
