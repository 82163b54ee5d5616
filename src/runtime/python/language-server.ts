import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { programEnv } from "../../config/program-env.ts";
import { CoordinatorError } from "../../errors.ts";
import { startLanguageProgram } from "../language-program.ts";

/** One finding of pyright. Lines and columns from 0, columns in UTF-16 units. */
export interface Diagnostic {
  readonly range: { readonly start: TextPosition; readonly end: TextPosition };
  /** The rule's name; what is no Python at all has none. */
  readonly code?: string | undefined;
  readonly severity?: number | undefined;
  readonly message: string;
}

export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/** pyright as a language server over a folder of stubs. The text to check is in its memory only, not in that folder. */
export interface LanguageServer {
  /** `folder`: where the text is said to be, so that it can import what is there. */
  diagnose(text: string, folder?: string): Promise<readonly Diagnostic[]>;
  /** Tells of files that were written after it has started. */
  filesChanged(changes: readonly FileChange[]): void;
  readonly hasEnded: boolean;
  end(): Promise<void>;
}

export interface FileChange {
  readonly path: string;
  readonly isNew: boolean;
}

/** Where pyright is: its program, and the stubs of the standard library beside it. */
export function pyrightFolder(): string {
  return dirname(realpathSync(createRequire(import.meta.url).resolve("pyright/package.json")));
}

const heapMb = 512;

/**
 * So many texts stay open at a time. A new text keeps what is known of the standard library and of our stubs; closing
 * one, or changing it, makes pyright forget all that, which the next check would pay for.
 */
const mostOpen = 50;

export function startLanguageServer(root: string): LanguageServer {
  let opened: string[] = [];
  let texts = 0;
  const server = startLanguageProgram({
    program: {
      file: process.execPath,
      args: [`--max-old-space-size=${heapMb}`, join(pyrightFolder(), "langserver.index.js"), "--stdio"],
      env: { ...programEnv(), PATH: "", HOME: root, TMPDIR: root, TEMP: root },
      cwd: root,
    },
    answer: (method, params) => answer(method, params, root),
    failure: notRunning,
  });
  const ready = server.started.then(async () => {
    await server.request("initialize", initializeParams(root));
    server.notify("initialized", {});
  });
  ready.catch(() => {}); // who asks for a diagnosis is told

  return {
    async diagnose(text, folder) {
      await ready;
      const uri = addressOf(`_guest${++texts}.py`, folder);
      server.notify("textDocument/didOpen", { textDocument: { uri, languageId: "python", version: 1, text } });
      opened.push(uri);
      const report = await server.request("textDocument/diagnostic", { textDocument: { uri } });
      if (opened.length >= mostOpen) {
        for (const old of opened) server.notify("textDocument/didClose", { textDocument: { uri: old } });
        opened = [];
      }
      return (report as { items?: readonly Diagnostic[] }).items ?? [];
    },
    filesChanged(changes) {
      server.notify("workspace/didChangeWatchedFiles", {
        changes: changes.map(({ path, isNew }) => ({ uri: pathToFileURL(path).href, type: isNew ? 1 : 2 })),
      });
    },
    get hasEnded() {
      return server.hasEnded;
    },
    end: server.end,
  };
}

/** Not a file's address, where it need not be: so no relative import can lead out of it. */
function addressOf(name: string, folder: string | undefined): string {
  return folder === undefined ? `untitled:/${name}` : pathToFileURL(join(folder, name)).href;
}

function notRunning(words: string, cause?: unknown): CoordinatorError {
  return new CoordinatorError("sandbox_failed", `The Python check failed: pyright ${words}`, { cause });
}

function initializeParams(root: string) {
  const uri = pathToFileURL(root).href;
  return {
    processId: process.pid,
    rootUri: uri,
    workspaceFolders: [{ uri, name: "guest" }],
    capabilities: {
      workspace: { configuration: true, didChangeWatchedFiles: { dynamicRegistration: true } },
      textDocument: { diagnostic: { dynamicRegistration: true } },
    },
  };
}

/** What it asks us, it asks for its settings; the rest wants no answer of substance. */
function answer(method: string, params: unknown, root: string): unknown {
  if (method !== "workspace/configuration") return null;
  const { items } = params as { items: readonly { section?: string }[] };
  return items.map(({ section }) => {
    // An interpreter that is not there: pyright would run one to learn where its packages are.
    if (section === "python") return { pythonPath: join(root, "no-interpreter") };
    if (section === "pyright") return { disableOrganizeImports: true, disableTaggedHints: true };
    return {};
  });
}
