// Makes THIRD-PARTY-NOTICES.txt: which packages of others have code in dist/, and the texts of their licences.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const line = "-".repeat(100);

/** Writes the notices of these packages into the folder; those of one text share it. */
export function buildNotices(packages, folder) {
  const sections = new Map();
  for (const { name, version, license, text } of packages) {
    sections.set(text, [...(sections.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...sections].map(([text, names]) => `${line}\n${names.join("\n")}\n${line}\n\n${text}\n`);
  const head = "This folder has code of the following packages. What is ours is under the licence in ../LICENSE.\n";
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), [head, ...parts].join("\n"));
}
