import { expect, test } from "vitest";
import { linkSource } from "./linked-source.ts";

const source = `import { a } from "skills/a"; import b from './b.ts';
export * from "skills/a";
const c = await import("skills/a"); const d = "skills/a"; import other from "other"; later`;

test("linked imports name files, and nothing else changes", () => {
  const links = [
    ["skills/a", "skills/a@3"],
    ["./b.ts", "./b.ts"],
  ] as const;
  expect(linkSource(source, links, (id) => `/m/${id}`).text).toBe(
    `import { a } from "/m/skills/a@3"; import b from "/m/./b.ts";
export * from "/m/skills/a@3";
const c = await import("/m/skills/a@3"); const d = "skills/a"; import other from "other"; later`,
  );
});

test("every place leads back to where it was", () => {
  const { text, offsetOf } = linkSource(source, [["skills/a", "x"]], () => "/a/much/longer/path");
  for (const word of ["{ a }", "'./b.ts'", "export", "const c", "const d", "later"]) {
    expect([word, offsetOf(text.indexOf(word))]).toEqual([word, source.indexOf(word)]);
  }
  expect(offsetOf(text.indexOf("longer"))).toBe(source.indexOf('"skills/a"'));
});
