import * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import { inFileTurn } from "../../runtime/file-turns.ts";
import { heavyWork } from "../../runtime/heavy-work.ts";
import { exceeds } from "../../system/json-bounds.ts";
import { readText } from "../../workspace/read-text.ts";
import { fittingText } from "../fitting-text.ts";
import { anyData, bytes } from "../inputs.ts";
import { type AnyOperation, defineOperation, jsonAnswer, type OperationContext, turnOf } from "../operation.ts";
import type { Services } from "../services.ts";

/** As much as a guest may be sent in one piece. */
const largestAnswer = 16 * 1024 * 1024;

/**
 * What guests import as `workspace` from `coordinator`. The tools of the toolset `files` are others: they have the names
 * and arguments that models know from their predecessors, write only text and read lines within a model's budget, while
 * guests give and get data and bytes of any size. What both do is the workspace's.
 */
export function workspaceOperations(services: Services): readonly AnyOperation[] {
  return [read, write, append, list, remove, readJson, readRows].map((make) => make(services));
}

const path = z.string();
const written = z.object({ path: z.string(), bytes: z.int(), created: z.boolean() });

function read({ workspace }: Services) {
  return defineOperation({
    name: "workspace_read",
    description: "The text of a file, or a part of it; its bytes as base64",
    guest: "workspace.read",
    positional: ["path"],
    example: { path: "notes.md" },
    readOnly: true,
    heavy: true,
    input: () =>
      z.strictObject({
        path,
        encoding: z.enum(["utf8", "base64"]).optional(),
        offset: z.int().min(0).optional().describe("characters to skip; bytes with base64"),
        limit: z.int().min(1).optional().describe("characters to read; bytes with base64"),
      }),
    output: () => z.string(),
    async run({ path, encoding = "utf8", offset = 0, limit }) {
      const whole = encoding === "base64" ? workspace.read(path) : readText(workspace, path);
      const part = whole.slice(offset, limit === undefined ? undefined : offset + limit);
      const answer = fitting(path, typeof part === "string" ? part : part.toString("base64"));
      return fittingText(path, answer, "Ask for less at a time, or for its bytes, with read_bytes.");
    },
  });
}

function write({ workspace }: Services) {
  return defineOperation({
    name: "workspace_write",
    description: "Replace a file or make it: text as it is, bytes as { base64 }, anything else as JSON",
    guest: "workspace.write",
    positional: ["path", "data"],
    example: { path: "notes.md", data: "# Notes" },
    stores: true,
    input: () => z.strictObject({ path, data: anyData }),
    output: () => written,
    run: async ({ path, data }, context) => workspace.write(path, counted(contentOf(data, indentedJson), context)),
  });
}

function append({ workspace }: Services) {
  return defineOperation({
    name: "workspace_append",
    description: "Add text or bytes to the end of a file, or make it; anything else is added as a line of JSON",
    guest: "workspace.append",
    positional: ["path", "data"],
    example: { path: "log.txt", data: "done\n" },
    stores: true,
    input: () => z.strictObject({ path, data: anyData }),
    output: () => written,
    run: async ({ path, data }, context) => workspace.append(path, counted(contentOf(data, plainJson), context)),
  });
}

function list({ workspace }: Services) {
  return defineOperation({
    name: "workspace_list",
    description: "Files and folders, with size and time of the last change",
    guest: "workspace.list",
    positional: ["folder"],
    example: { folder: "data", pattern: "*.csv" },
    readOnly: true,
    heavy: true,
    input: () =>
      z.strictObject({
        folder: z.string().optional(),
        pattern: z.string().max(500).optional().describe("such as *.csv; * and ? are wildcards"),
      }),
    output: () =>
      z.array(z.object({ path: z.string(), type: z.enum(["file", "folder"]), bytes: z.int(), modified: z.string() })),
    async run(options, context) {
      const { entries } = await inFileTurn(turnOf(context), () => workspace.list(options));
      return entries;
    },
  });
}

function remove({ workspace }: Services) {
  return defineOperation({
    name: "workspace_remove",
    description: "Remove a file",
    guest: "workspace.remove",
    positional: ["path"],
    example: { path: "notes.md" },
    input: () => z.strictObject({ path }),
    async run({ path }) {
      await workspace.remove(path);
      return { removed: path };
    },
  });
}

function readJson({ workspace }: Services) {
  return defineOperation({
    name: "workspace_json",
    description: "The value that a JSON file holds",
    guest: "workspace.json",
    positional: ["path"],
    example: { path: "orders.json" },
    readOnly: true,
    heavy: true,
    input: () => z.strictObject({ path }),
    async run({ path }, context): Promise<unknown> {
      const text = () => fitting(path, readText(workspace, path)).replace(/^\uFEFF/, "");
      const question = { name: `The file ${path}`, path: [] };
      const input = () => ({ bytes: Buffer.from(text()), question, most: largestAnswer });
      return jsonAnswer(await heavyWork("json", input, turnOf(context)), context);
    },
  });
}

function readRows({ workspace }: Services) {
  return defineOperation({
    name: "workspace_csv",
    description: "The rows of a CSV file as objects, by the names in its first row; values stay text",
    guest: "workspace.csv",
    positional: ["path"],
    example: { path: "orders.csv" },
    readOnly: true,
    heavy: true,
    input: () => z.strictObject({ path, delimiter: z.string().length(1).optional().describe("a comma when absent") }),
    output: () => z.array(z.record(z.string(), z.string())),
    async run({ path, delimiter }, context): Promise<unknown> {
      const input = () => ({
        text: fitting(path, readText(workspace, path)),
        name: path,
        delimiter,
        most: largestAnswer,
      });
      return jsonAnswer(await heavyWork("csv", input, turnOf(context)), context);
    },
  });
}

/** Text as it is, bytes as bytes, all else as JSON. */
function contentOf(data: unknown, json: (data: unknown) => string): string | Uint8Array {
  if (typeof data === "string") return data;
  const given = bytes.safeParse(data);
  return given.success ? bytesOf(given.data.base64) : `${json(data)}\n`;
}

const plainJson = (data: unknown): string => JSON.stringify(data ?? null);

/** In lines, for people who look at the file. Not what is large or deep: indentation can make it a thousand times as long. */
function indentedJson(data: unknown): string {
  const text = plainJson(data);
  const isReadable = text.length <= 100_000 && !exceeds(Buffer.from(text), { depth: 20, values: 100_000 });
  return isReadable ? JSON.stringify(data ?? null, undefined, 2) : text;
}

/** Counts it before it is written. */
function counted(content: string | Uint8Array, { willStore }: OperationContext): string | Uint8Array {
  willStore?.(Buffer.byteLength(content));
  return content;
}

function bytesOf(base64: string): Uint8Array {
  const decoded = Buffer.from(base64, "base64");
  const unpadded = (text: string) => text.replace(/(?<!=)=+$/, "");
  if (unpadded(decoded.toString("base64")) === unpadded(base64)) return decoded;
  throw new CoordinatorError("input_invalid", "data.base64 is not base64. Nothing was written");
}

function fitting(path: string, answer: string): string {
  if (Buffer.byteLength(answer) <= largestAnswer) return answer;
  const most = largestAnswer / 1024 / 1024;
  throw new CoordinatorError(
    "input_invalid",
    `What was asked of ${path} is more than ${most} MB, too much for one answer`,
    {
      hint: "Read it in parts: workspace.read(path, { offset, limit }).",
    },
  );
}
