import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { skillDraft as draft } from "../../../test/stores/skill-draft.ts";
import type { SkillStore } from "../../skills/skill-store.ts";
import { openStore } from "./store.ts";

test("a word is found in its other forms too; in the name it weighs most, then in the tags, the description, the code", async () => {
  const skills = open();
  const filler = "and many other words that make a text long enough to be one";
  await skills.save(draft("in_code", { code: `const invoice = 1; // ${filler}` }));
  await skills.save(draft("in_text", { description: `Reads an invoice ${filler}` }));
  await skills.save(draft("in_tags", { tags: ["invoice", "money"] }));
  await skills.save(draft("invoice_total"));
  expect((await skills.search(["invoices"], 10)).map(({ name }) => name)).toEqual([
    "invoice_total",
    "in_tags",
    "in_text",
    "in_code",
  ]);
});

test.each(["OR", "NOT", "NEAR(invoice)", "name:invoice", '"', 'x" OR "invoice', "a AND", "("])(
  "the word %j is looked for as it is: the index does not read its own signs in it",
  async (word) => {
    const skills = open();
    await skills.save(draft("invoice_total"));
    expect(await skills.search([word], 10)).toEqual([]);
    expect(await skills.search([word, "invoice"], 10)).toHaveLength(1);
  },
);

function open(): SkillStore {
  const home = mkdtempSync(join(tmpdir(), "skills-"));
  const store = openStore(home);
  onTestFinished(() => {
    store.close();
    rmSync(home, { recursive: true, force: true });
  });
  return store.skills;
}
