import { randomBytes } from "node:crypto";
import * as z from "zod";
import { plainLine } from "../../catalog/plain-text.ts";
import { inFileTurn } from "../../runtime/file-turns.ts";
import { languageOfCode } from "../../runtime/modules/code-language.ts";
import type { FolderEntry, FolderListing } from "../../workspace/list-folder.ts";
import type { Written } from "../../workspace/workspace.ts";
import { language } from "../inputs.ts";
import { type AnyOperation, defineOperation, turnOf } from "../operation.ts";
import type { Services } from "../services.ts";
import { commitWorkspace } from "./commit-workspace.ts";
import { executeCodeFile } from "./execute-code-file.ts";
import { readCodeFile } from "./read-code-file.ts";
import { workspaceOperations } from "./workspace-module.ts";

const filePath = z.string().describe("relative to the workspace");

/** The files of the workspace, for AI clients and guests. */
export function fileOperations(services: Services): readonly AnyOperation[] {
  const writing = [initializeCodeFile, appendToCodeFile, overwriteCodeFile];
  const others = [readCodeFile, listCodeFiles, deleteCodeFile, executeCodeFile, commitWorkspace];
  return [...[...writing, ...others].map((make) => make(services)), ...workspaceOperations(services)];
}

function initializeCodeFile({ workspace }: Services) {
  return defineOperation({
    name: "initialize_code_file",
    description:
      "Make a new file in the workspace; build long code up with append_to_code_file, run it with execute_code_file",
    toolset: "files",
    hints: { destructiveHint: false, openWorldHint: false },
    input: () =>
      z.strictObject({
        content: z.string(),
        filename: z.string().optional().describe("relative to the workspace; a new one when absent"),
        language: language
          .optional()
          .describe("the ending for a name without one; without a name, the content tells when absent"),
      }),
    async run({ content, filename, language }) {
      const written = language ?? (filename === undefined ? await languageOfCode(content) : undefined);
      const ending = written === "python" ? ".py" : ".ts";
      const name = filename ?? `code_${randomBytes(4).toString("hex")}${ending}`;
      const hasEnding = /\.[^./]+$/.test(name) || language === undefined;
      const { path, bytes } = await workspace.write(hasEnding ? name : name + ending, content, { onlyNew: true });
      return { file_path: path, bytes };
    },
    present: ({ file_path, bytes }) => ({ text: `Made ${file_path} (${bytes} bytes)` }),
  });
}

function appendToCodeFile({ workspace }: Services) {
  return defineOperation({
    name: "append_to_code_file",
    description: "Add text to the end of a file in the workspace",
    toolset: "files",
    hints: { destructiveHint: false, openWorldHint: false },
    input: () => z.strictObject({ file_path: filePath, content: z.string() }),
    run: async ({ file_path, content }) => asAnswer(await workspace.append(file_path, content)),
    present: ({ file_path, bytes }) => ({ text: `Added to ${file_path}, which now has ${bytes} bytes` }),
  });
}

function overwriteCodeFile({ workspace }: Services) {
  return defineOperation({
    name: "overwrite_code_file",
    description: "Replace the whole text of a file in the workspace, or make the file",
    toolset: "files",
    hints: { idempotentHint: true, openWorldHint: false },
    input: () => z.strictObject({ file_path: filePath, content: z.string() }),
    run: async ({ file_path, content }) => asAnswer(await workspace.write(file_path, content)),
    present: ({ file_path, bytes, created }) => ({
      text: `${created ? "Made" : "Replaced"} ${file_path} (${bytes} bytes)`,
    }),
  });
}

function asAnswer({ path, bytes, created }: Written) {
  return { file_path: path, bytes, created };
}

function listCodeFiles({ workspace }: Services) {
  return defineOperation({
    name: "list_code_files",
    description: "The files of the workspace, with sizes and times",
    toolset: "files",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () =>
      z.strictObject({
        folder: z.string().optional(),
        pattern: z.string().max(500).optional().describe("such as *.py or lib/*.ts; * and ? are wildcards"),
      }),
    async run({ folder, pattern }, context) {
      const list = (which: { readonly pattern?: string | undefined; readonly limit: number }) =>
        inFileTurn(turnOf(context), () => workspace.list({ folder, ...which }));
      const listing = await list({ pattern, limit: mostListed });
      const isFiltered = listing.total === 0 && pattern !== undefined;
      const unfiltered = isFiltered ? (await list({ limit: 1 })).total : 0;
      return { listing, none: noFiles({ folder, pattern }, unfiltered) };
    },
    present({ listing, none }) {
      const { entries, total, isPartial } = listing;
      const files = entries.map(({ path, ...entry }) => ({ file_path: path, ...entry }));
      const isCut = isPartial || entries.length < total;
      return { data: { files, total, ...(isCut && { truncated: true }) }, text: showListing(listing, none) };
    },
  });
}

const mostListed = 200;

/** `unfiltered`: how many there are of whatever name. */
function noFiles(
  { folder, pattern }: { readonly folder?: string | undefined; readonly pattern?: string | undefined },
  unfiltered: number,
): string {
  const where = folder === undefined ? "" : ` in ${plainLine(folder, 200)}`;
  if (unfiltered === 0 || pattern === undefined) return `No files${where}.`;
  const others = unfiltered === 1 ? "there is 1 file or folder" : `there are ${unfiltered} files and folders`;
  return `No file${where} matches ${JSON.stringify(plainLine(pattern, 200))}; without a pattern ${others}.`;
}

function showListing({ entries, total, isPartial }: FolderListing, none: string): string {
  if (total === 0) return isPartial ? `No such files so far. ${partial}` : none;
  const lines = entries.map(({ path, type, bytes, modified }: FolderEntry) =>
    type === "folder" ? `${path}/` : `${path}  ${bytes} bytes  ${modified.slice(0, 19)}Z`,
  );
  const more = total > entries.length ? [`[${entries.length} of ${total} shown; name a folder or a pattern]`] : [];
  return [...lines, ...more, ...(isPartial ? [`[${partial}]`] : [])].join("\n");
}

const partial = "The tree is too large to be listed to its end: there is more. Name a folder.";

function deleteCodeFile({ workspace }: Services) {
  return defineOperation({
    name: "delete_code_file",
    description: "Remove a file from the workspace",
    toolset: "files",
    hints: { idempotentHint: true, openWorldHint: false },
    input: () => z.strictObject({ file_path: filePath }),
    async run({ file_path }) {
      await workspace.remove(file_path);
      return { file_path };
    },
    present: ({ file_path }) => ({ text: `Removed ${file_path}` }),
  });
}
