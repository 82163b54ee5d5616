import { expect, test } from "vitest";
import { fileText, readFileText } from "./file-text.ts";

const code = "/** Sums. */\nexport function total() {}\n";

test("what the code does not say stands in the head, and comes back from it", () => {
  const skill = { name: "total", language: "typescript", description: "All of it", tags: ["a", "b c"], code } as const;
  const text = fileText(skill);
  expect(text).toBe(
    `// Skill total: an edit of this file becomes its next version.\n// description: All of it\n// tags: a, b c\n\n${code}`,
  );
  expect(readFileText(text, "typescript")).toEqual({ code, description: "All of it", tags: ["a", "b c"] });
});

test("a description that the code gives is not repeated", () => {
  const text = fileText({ name: "total", language: "typescript", description: "Sums.", tags: [], code });
  expect(text).toBe(`// Skill total: an edit of this file becomes its next version.\n\n${code}`);
  expect(readFileText(text, "typescript")).toEqual({ code, description: undefined, tags: [] });
});

test("code that begins with comments or empty lines keeps them", () => {
  for (const odd of ["# a\n# tags: no\ndef f(): 'A'\n", "\n\ndef f(): 'A'\n", "# Skill f: mine\n"]) {
    const text = fileText({ name: "f", language: "python", description: "Other", tags: [], code: odd });
    expect(readFileText(text, "python")).toEqual({ code: odd, description: "Other", tags: [] });
  }
});

test("a file without a head is all code; ends of lines and byte order marks do not matter", () => {
  expect(readFileText("\ufeffdef f():\r\n  'A'\r\n", "python")).toEqual({ code: "def f():\n  'A'\n", tags: [] });
  expect(readFileText("# Skill f: x\r\n# tags: a\r\n\r\ndef f(): 'A'\r\n", "python")).toEqual({
    code: "def f(): 'A'\n",
    description: undefined,
    tags: ["a"],
  });
});
