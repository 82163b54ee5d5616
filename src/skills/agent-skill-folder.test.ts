import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentSkillFolders, readAgentSkillFolder, writeAgentSkill } from "./agent-skill-folder.ts";
import type { SkillVersion } from "./skill-store.ts";

const skill: SkillVersion = {
  name: "order_total",
  version: 3,
  savedAt: 0,
  language: "python",
  description: 'Sums: "all" orders #1',
  tags: ["money", "a b"],
  entry: {
    function: "order_total",
    isAsync: false,
    calling: "keywords",
    parameters: [{ name: "count", type: "int", optional: true, description: "how many" }],
  },
  tools: [{ server: "data", tool: "orders", hash: "h" }],
  imports: [],
  tests: "assert True\n",
  code: "def order_total(count: int = 1):\n    'Sums.'\n",
};

test("what was written is read back", () => {
  const out = temporary();
  const folder = writeAgentSkill(out, skill);
  expect(folder).toBe(join(out, "order-total"));
  expect(readdirSync(folder).sort()).toEqual(["SKILL.md", "order_total.py", "order_total.test.py"]);
  const { name, language, description, tags, tests, code } = skill;
  expect(agentSkillFolders(out).map(readAgentSkillFolder)).toEqual([
    { name, language, description, tags, tests, code },
  ]);
  expect(agentSkillFolders(folder)).toEqual([folder]);
  expect(readFileSync(join(folder, "SKILL.md"), "utf8")).toBe(`---
name: order-total
description: 'Sums: "all" orders #1'
metadata:
  skill: order_total
  language: python
  version: "3"
  code: order_total.py
  tests: order_total.test.py
  tags: money, a b
  tools: data.orders
---

# order_total

Sums: "all" orders #1

The code is in \`order_total.py\`; with mcp-coordinator it is imported as

\`\`\`python
from skills.order_total import order_total
\`\`\`

and called as \`order_total(count: int = ...)\`.

- \`count\`: how many
`);
});

test("the same skill is written over, whatever else is not", () => {
  const out = temporary();
  writeAgentSkill(out, skill);
  writeAgentSkill(out, { ...skill, version: 4 });
  expect(() => writeAgentSkill(out, { ...skill, name: "order__total" })).toThrow(
    "does not hold the skill order__total",
  );
  put(out, "other/notes.txt", "mine");
  expect(() => writeAgentSkill(out, { ...skill, name: "other" })).toThrow("does not hold the skill other");
});

test("another's skill with one file of code is read, also from scripts/", () => {
  const out = temporary();
  put(out, "pdf-text/SKILL.md", "---\nname: pdf-text\ndescription: Reads a PDF\nlicense: MIT\n---\n# Use\n");
  put(out, "pdf-text/scripts/pdf_text.py", "def pdf_text(): 'A'\n");
  expect(readAgentSkillFolder(join(out, "pdf-text"))).toEqual({
    name: "pdf_text",
    language: "python",
    description: "Reads a PDF",
    tags: [],
    code: "def pdf_text(): 'A'\n",
  });
});

test.each([
  ["no front matter", { "SKILL.md": "# Hello" }, "does not begin with front matter"],
  ["bad YAML", { "SKILL.md": "---\na: [1\n---\n" }, "is not YAML"],
  ["no description", { "SKILL.md": "---\nname: x\n---\n" }, "no name or no description"],
  ["no code", { "SKILL.md": "---\nname: x\ndescription: y\n---\n" }, "no code in TypeScript or Python"],
  [
    "two files",
    { "SKILL.md": "---\nname: x\ndescription: y\n---\n", "a.py": "", "b.ts": "" },
    "2 files of code (a.py, b.ts): a skill is one function",
  ],
  [
    "a path outside",
    { "SKILL.md": "---\nname: x\ndescription: y\nmetadata: { code: ../../secret.py }\n---\n" },
    "which is not a file beside it",
  ],
])("%s is refused with the reason", (_what, files, reason) => {
  const out = temporary();
  for (const [name, text] of Object.entries(files)) put(out, `x/${name}`, text as string);
  expect(() => readAgentSkillFolder(join(out, "x"))).toThrow(reason);
});

test.skipIf(process.platform === "win32")("links are not followed", () => {
  const out = temporary();
  put(out, "secret.py", "secret");
  put(out, "x/SKILL.md", "---\nname: x\ndescription: y\nmetadata: { code: x.py }\n---\n");
  symlinkSync(join(out, "secret.py"), join(out, "x", "x.py"));
  expect(() => readAgentSkillFolder(join(out, "x"))).toThrow("x.py is not there");
});

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "agent-skills-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function put(folder: string, name: string, text: string): void {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
}
