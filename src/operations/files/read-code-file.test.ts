import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { longestStandstill } from "../../../test/standstill.ts";
import { local } from "../../actor.ts";
import { estimateTokens } from "../../runtime/results/tokens.ts";
import { createWorkspace } from "../../workspace/workspace.ts";
import { readCodeFile } from "./read-code-file.ts";

const folder = mkdtempSync(join(tmpdir(), "read-code-file-"));
const root = join(folder, "root");
mkdirSync(root);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const maxTokens = 100;
const workspace = createWorkspace({ root, lockFolder: join(folder, "locks"), maxMb: 1000, maxFiles: 1000 });
const operation = readCodeFile({ workspace, maxTokens });
const show = (file: Awaited<ReturnType<typeof operation.run>>) => operation.present?.(file).text ?? "";
const read = (content: string | Buffer, lines: { from_line?: number; to_line?: number } = {}) => {
  writeFileSync(join(root, "file.txt"), content);
  return operation.run({ file_path: "file.txt", ...lines }, local);
};

test.each<[string, string]>([
  ["nothing", ""],
  ["no line end", "one"],
  ["one line", "one\n"],
  ["a last line without an end", "one\ntwo"],
  ["empty lines", "\n\n\n"],
  ["signs of several bytes", "\uFEFFé\n漢\r\n😀\n"],
])("answers the lines that were asked for: %s", async (_name, text) => {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (let from = 1; from <= Math.max(1, lines.length); from++) {
    for (const to of [undefined, 1, 2, 3, 9]) {
      const wanted = lines.slice(from - 1, to);
      expect(await read(text, { from_line: from, ...(to && { to_line: to }) })).toEqual({
        file_path: "file.txt",
        content: wanted.join(""),
        from_line: from,
        to_line: from + wanted.length - 1,
        total_lines: lines.length,
      });
    }
  }
  const has = lines.length === 1 ? "has 1 line" : `has ${lines.length} lines`;
  await expect(read(text, { from_line: lines.length + 2 })).rejects.toThrow(has);
});

test("what is beyond the budget follows line by line, to the end", async () => {
  const text = Array.from({ length: 200 }, (_, line) => `line ${line} is 漢字 and 😀\n`).join("");
  let whole = "";
  for (let from_line = 1; ; ) {
    const part = await read(text, { from_line });
    whole += part.content;
    expect(estimateTokens(part.content)).toBeLessThanOrEqual(maxTokens);
    if (!part.truncated) break;
    expect(show(part)).toContain(`of 200; go on with from_line: ${part.to_line + 1}]`);
    from_line = part.to_line + 1;
  }
  expect(whole).toBe(text);
});

test("a line beyond the budget is cut, and the answer says so and where a guest reads on", async () => {
  const long = "word 漢 😀 ".repeat(50_000);
  const text = `é first\n${long}\nlast\n`;
  const part = await read(text, { from_line: 2 });
  expect(part).toMatchObject({ from_line: 2, to_line: 2, total_lines: 3, truncated: true });
  expect(estimateTokens(part.content)).toBeLessThanOrEqual(maxTokens);
  expect(part.content.length).toBeGreaterThan(maxTokens / 2);
  expect(part.content + text.slice(part.cut_at)).toBe(`${long}\nlast\n`);
  const shown = show(part);
  expect(shown).toContain("[line 2 of 3 is too long, this is not all of it;");
  expect(shown).toContain(`workspace.read("file.txt", { offset: ${part.cut_at}, `);
  expect(shown).toContain("the line after it: from_line: 3]");
});

test("no character is cut in halves", async () => {
  for (const start of ["", "a"]) {
    const { content } = await read(`${start}${"😀".repeat(10_000)}`);
    expect(content).not.toMatch(/\p{Cs}/u);
  }
});

test.each<[string, () => Buffer, number]>([
  ["line ends", () => Buffer.alloc(64_000_000, "\n"), 64_000_000],
  ["one line", () => Buffer.alloc(64_000_000, "a"), 1],
  ["one line of words", () => Buffer.alloc(64_000_000, " a"), 1],
  ["long lines of several bytes", () => Buffer.alloc(63_000_000, `${"漢".repeat(3_333_333)}\n`), 7],
])("64 MB hold up nobody else and are not answered whole: %s", async (_name, content, total) => {
  const bytes = content();
  writeFileSync(join(root, "file.txt"), bytes);
  const { result, longestMs } = await longestStandstill(() => operation.run({ file_path: "file.txt" }, local));
  expect(result).toMatchObject({ truncated: true, total_lines: total });
  expect(show(result).length).toBeLessThan(3000);
  expect(longestMs).toBeLessThan(700);
});
