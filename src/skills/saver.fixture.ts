import { once } from "node:events";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../store/sqlite/store.ts";
import { createMirror } from "./mirror.ts";
import type { SkillDraft } from "./skill-store.ts";

/** A process that saves skills, for tests: `node saver.mjs <job> <home> <name>`. */
const [, , job, home = "", name = ""] = process.argv;
const store = openStore(home);
const mirror = createMirror(join(home, "skills"));
const filler = "// a line that makes the file long enough to be cut in the middle\n".repeat(1000);

const save = async (skill: string, number: number): Promise<number> => {
  const draft: SkillDraft = {
    name: skill,
    language: "typescript",
    description: `Made by ${name}`,
    tags: [],
    entry: { function: skill, isAsync: false, calling: "positional", parameters: [] },
    tools: [],
    imports: [],
    tests: `// tests of ${name} ${number}\n`,
    code: `// begin ${name} ${number}\n${filler}// end ${name} ${number}\n`,
  };
  const files = mirror.prepare(draft);
  return (await store.skills.save(draft, files.place)).skill.version;
};

const jobs: Record<string, () => Promise<void>> = {
  /** Waits, so that many begin at the same moment; then saves 20 versions of one skill. */
  async shared() {
    writeSync(1, "ready\n");
    await once(process.stdin, "data");
    for (let number = 0; number < 20; number++) await save("shared", number);
    store.close();
    process.exit();
  },

  /** Saves until it is killed; says each version that it has been told is stored. */
  async forever() {
    for (let number = 0; ; number++) {
      const skill = `skill_${number % 5}`;
      writeSync(1, `${skill} ${await save(skill, number)}\n`);
    }
  },
};

await jobs[job ?? ""]?.();
