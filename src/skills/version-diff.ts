import { createTwoFilesPatch } from "diff";
import { fileText } from "./file-text.ts";
import type { SkillVersion } from "./skill-store.ts";

/** What changed between two versions, as a patch of their files; empty when nothing did. */
export function versionDiff(from: SkillVersion, to: SkillVersion): string {
  const ending = to.language === "python" ? "py" : "ts";
  return [
    patch(`${to.name}.${ending}`, [from.version, fileText(from)], [to.version, fileText(to)]),
    patch(`${to.name}.test.${ending}`, [from.version, from.tests ?? ""], [to.version, to.tests ?? ""]),
  ].join("");
}

/** Comparing takes time with the square of the lines that differ. */
const mostEdits = 1000;

type Side = readonly [version: number, text: string];

function patch(name: string, [before, old]: Side, [after, now]: Side): string {
  if (old === now) return "";
  const text = createTwoFilesPatch(`${name}@${before}`, `${name}@${after}`, old, now, undefined, undefined, {
    maxEditLength: mostEdits,
  });
  if (text === undefined) {
    return `--- ${name}@${before}\n+++ ${name}@${after}\nToo many lines differ for a patch: read both versions.\n`;
  }
  return text.replace(/^=+\n/, "");
}
