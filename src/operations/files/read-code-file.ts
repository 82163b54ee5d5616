import * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import { inFileTurn } from "../../runtime/file-turns.ts";
import { charactersWithin, estimateWithin, mostPerToken } from "../../runtime/results/cut.ts";
import { plural } from "../../system/plural.ts";
import { createThreadYield } from "../../system/thread-yield.ts";
import { readTextBytes } from "../../workspace/read-text.ts";
import { defineOperation, turnOf } from "../operation.ts";
import type { Services } from "../services.ts";

/** How much is looked at between two pauses, in bytes. */
const stretch = 1024 * 1024;
/** What one character, as texts are counted here, has at most in UTF-8. */
const bytesPerCharacter = 3;
const lineEnd = 0x0a;

export function readCodeFile({ workspace, maxTokens }: Pick<Services, "workspace" | "maxTokens">) {
  return defineOperation({
    name: "read_code_file",
    description: "The text of a file in the workspace, or some of its lines",
    toolset: "files",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () =>
      z.strictObject({
        file_path: z.string().describe("relative to the workspace"),
        from_line: z.int().min(1).optional().describe("first line, 1 when absent"),
        to_line: z.int().min(1).optional().describe("last line"),
      }),
    run: (input, context) =>
      inFileTurn(turnOf(context), () => readLines(input, (path) => readTextBytes(workspace, path), maxTokens)),
    present: (file) => ({ text: showFile(file) }),
  });
}

async function readLines(
  { file_path, from_line = 1, to_line }: LinesWanted,
  read: (path: string) => Buffer,
  maxTokens: number,
): Promise<CodeFile> {
  const bytes = read(file_path);
  const { start, end, total } = await findLines(bytes, from_line, to_line);
  if (from_line > Math.max(1, total)) {
    throw new CoordinatorError("input_invalid", `from_line is ${from_line}; ${file_path} has ${plural(total, "line")}`);
  }
  const last = Math.min(end, start + (maxTokens * mostPerToken + 1) * bytesPerCharacter);
  const text = createDecoder()(bytes.subarray(start, last));
  const { lines, length } = fittingLines(text, maxTokens);
  const place = { from_line, total_lines: total };
  if (lines === 0 && text !== "") {
    const content = startOfLine(text, maxTokens);
    const cut_at = (await countCharacters(bytes.subarray(0, start))) + content.length;
    return { file_path, content, ...place, to_line: from_line, truncated: true, cut_at };
  }
  const isCut = length < text.length || last < end;
  const content = text.slice(0, length);
  return { file_path, content, ...place, to_line: from_line + lines - 1, ...(isCut && { truncated: true }) };
}

interface LinesWanted {
  readonly file_path: string;
  readonly from_line?: number | undefined;
  readonly to_line?: number | undefined;
}

interface CodeFile {
  readonly file_path: string;
  readonly content: string;
  readonly from_line: number;
  readonly to_line: number;
  readonly total_lines: number;
  readonly truncated?: true;
  /** Where in the file the rest of the line begins, in characters: the one line that is shown is not whole. */
  readonly cut_at?: number;
}

function showFile({ file_path, content, from_line, to_line, total_lines, truncated, cut_at }: CodeFile): string {
  if (!truncated) return content;
  if (cut_at === undefined) {
    return `${content}\n[lines ${from_line} to ${to_line} of ${total_lines}; go on with from_line: ${to_line + 1}]`;
  }
  const rest = `workspace.read(${JSON.stringify(file_path)}, { offset: ${cut_at}, limit: ${content.length} })`;
  const next = to_line < total_lines ? `; the line after it: from_line: ${to_line + 1}` : "";
  return `${content}\n[line ${from_line} of ${total_lines} is too long, this is not all of it; a guest reads on with ${rest}${next}]`;
}

/** Where the lines begin and end, in bytes, and how many the file has. */
async function findLines(bytes: Buffer, from: number, to = Number.POSITIVE_INFINITY) {
  const yieldThread = createThreadYield();
  let start = from === 1 ? 0 : bytes.length;
  let end = bytes.length;
  let total = 0;
  const look = (first: number, last: number) => {
    for (let at = first; at < last; at++) {
      if (bytes[at] !== lineEnd) continue;
      total++;
      if (total === from - 1) start = at + 1;
      if (total === to) end = at + 1;
    }
  };
  for (let at = 0; at < bytes.length; at += stretch) {
    await yieldThread();
    look(at, Math.min(at + stretch, bytes.length));
  }
  if (bytes.length > 0 && bytes.at(-1) !== lineEnd) total++;
  return { start, end, total };
}

/** How many lines a model's budget has room for, and how long they are together. */
function fittingLines(text: string, maxTokens: number): { readonly lines: number; readonly length: number } {
  let left = maxTokens;
  let lines = 0;
  let length = 0;
  while (length < text.length) {
    const end = text.indexOf("\n", length) + 1 || text.length;
    const tokens = estimateWithin(text.slice(length, end), left);
    if (tokens === undefined) break;
    left -= tokens;
    lines++;
    length = end;
  }
  return { lines, length };
}

/** As much of a long line as the budget has room for; one character at least, and none in halves. */
function startOfLine(text: string, maxTokens: number): string {
  const line = text.slice(0, text.indexOf("\n") + 1 || text.length);
  const length = Math.max(1, charactersWithin(line, maxTokens));
  return line.slice(0, (line.codePointAt(length - 1) ?? 0) > 0xffff ? length + 1 : length);
}

async function countCharacters(bytes: Buffer): Promise<number> {
  const yieldThread = createThreadYield();
  const decode = createDecoder();
  let characters = 0;
  for (let at = 0; at < bytes.length; at += stretch) {
    await yieldThread();
    characters += decode(bytes.subarray(at, at + stretch)).length;
  }
  return characters;
}

/** Piece by piece; a character of which only the start is there is left for the next piece. */
function createDecoder(): (piece: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (piece) => decoder.decode(piece, { stream: true });
}
