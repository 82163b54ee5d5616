import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { Place } from "./cli/command.ts";

// docs/skills.md, from top to bottom: its files are written, its commands are run.

const page = readFileSync(fileURLToPath(new URL("../docs/skills.md", import.meta.url)), "utf8");
const blocks = [...page.matchAll(/^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)];
const data = { command: process.execPath, args: [fileURLToPath(new URL("servers/data-server.mjs", import.meta.url))] };
const place = new Place({ data });
afterAll(() => place[Symbol.dispose]());

const expected: Record<string, string> = {
  "skills save order_total.ts --tags money,orders --tests order_total_tests.ts":
    'Saved order_total as version 1; its tests passed.\nimport { order_total } from "skills/order_total"\norder_total(count: number, factor?)\n  count: how many orders\n',
  "skills run order_total count=2 factor=10": "9190\n",
  "run guest.ts": "[\n  919,\n  919\n]\n",
  "skills search money": "order_total (version 1; typescript; money, orders): The sum of the first orders.\n",
  "skills diff order_total": "There is nothing before version 1.\n",
};

test("every block is a file or commands", () => {
  for (const [, language, file] of blocks) expect([language === "sh", file !== undefined]).toContain(true);
  expect(blocks.length).toBeGreaterThan(5);
});

test("every command ends well, and prints what the page says", { timeout: 240_000 }, async () => {
  const printed: Record<string, string> = {};
  for (const [, language, file, text = ""] of blocks) {
    if (file !== undefined) place.write(file, text);
    if (language !== "sh") continue;
    for (const line of text.trim().split("\n")) {
      const words = line.split(" ").slice(1);
      const { code, stdout, stderr } = await place.run(...words);
      expect(code, `${line}\n${stdout}${stderr}`).toBe(0);
      printed[words.join(" ")] = stdout;
    }
  }
  expect(printed).toMatchObject(expected);
  expect(printed["search order total"]).toContain('import { order_total } from "skills/order_total"');
  expect(JSON.parse((await place.run("skills", "list", "--json")).stdout)).toMatchObject([
    { name: "largest_order", version: 1 },
    { name: "order_total", version: 1 },
    { name: "taxed_total", version: 1 },
  ]);
  const typo = await place.run("skills", "show", "order_totl");
  expect([typo.code, typo.stderr]).toEqual([1, expect.stringContaining('Did you mean "order_total"?')]);
  const removed = await place.run("skills", "rm", "order_total");
  expect(removed.stdout).toBe("Deleted version 1 of order_total. Nothing of it is left.\n");
});
