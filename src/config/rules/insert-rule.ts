import { applyEdits, modify } from "jsonc-parser";

/** The text of a configuration file with one more rule, before the one of that index; all else stays as it is, comments too. */
export function insertRule(text: string, index: number, rule: object): string {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.includes("\t"),
    tabSize: indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const path = ["coordinator", "policy", "rules", index];
  return applyEdits(text, modify(text, path, rule, { isArrayInsertion: true, formattingOptions }));
}
