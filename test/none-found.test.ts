import { afterAll, beforeAll, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { openCoordinator } from "./open-coordinator.ts";
import { presented } from "./presented.ts";

// An empty list says of what there is none: that nothing is there at all only where that is so.

let empty: Coordinator;
let filled: Coordinator;

beforeAll(async () => {
  empty = await openCoordinator({ mcpServers: {}, home: "empty" });
  filled = await openCoordinator({ mcpServers: {}, home: "filled" });
  const code = (name: string) => `/** Does. */\nexport const ${name} = () => 1;`;
  await filled.run("save_skill", { name: "one", code: code("one"), tags: ["money", "sum"] });
  await filled.run("save_skill", { name: "two", code: code("two"), tags: ["money"] });
  await filled.run("set_memory", { key: "visits", value: 1 });
  await filled.run("overwrite_code_file", { file_path: "lib/a.ts", content: "" });
});
afterAll(() => Promise.all([empty.close(), filled.close()]));

const noSkills = "There are no skills yet. save_skill stores one.";

test.each<[string, object, string, string]>([
  ["list_skills", { tag: "n" }, 'No skill has the tag "n"; there are 2 skills. Their tags are: money, sum.', noSkills],
  [
    "list_skills",
    { language: "python" },
    "No skill is written in Python; there are 2 skills, in the other language.",
    noSkills,
  ],
  [
    "list_skills",
    { language: "typescript", tag: "n" },
    'No skill written in TypeScript has the tag "n"; there are 2 skills written in TypeScript. Their tags are: money, sum.',
    noSkills,
  ],
  [
    "search_skills",
    { query: "nothing" },
    "No skill has these words; list_skills shows the 2 that there are.",
    noSkills,
  ],
  ["list_memory", { prefix: "x" }, 'No key begins with "x". There are: visits.', "Nothing is kept."],
  ["list_memory", { after: "z" }, 'No key comes after "z". There are: visits.', "Nothing is kept."],
  [
    "list_memory",
    { namespace: "other" },
    'Nothing is kept in the namespace "other".',
    'Nothing is kept in the namespace "other".',
  ],
  [
    "list_code_files",
    { pattern: "*.py" },
    'No file matches "*.py"; without a pattern there are 2 files and folders.',
    "No files.",
  ],
  ["list_runs", { before: "a" }, "No run is older than a.", "No run is older than a."],
])("%s %j", async (name, args, ofSome, ofNone) => {
  expect((await presented(filled, name, args)).text).toBe(ofSome);
  expect(await presented(empty, name, args)).toMatchObject({ text: ofNone });
});
