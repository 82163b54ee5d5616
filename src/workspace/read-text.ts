import { CoordinatorError } from "../errors.ts";
import { shownPath } from "./file-name.ts";
import type { Workspace } from "./workspace.ts";

/** The file as text, every character as it is there; a file that is none is refused, not guessed at. */
export function readText(workspace: Workspace, path: string): string {
  const bytes = workspace.read(path);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CoordinatorError("file_refused", `The file ${shownPath(path)} is no UTF-8 text`, {
      hint: 'A guest reads its bytes: workspace.read(path, { encoding: "base64" }).',
      cause,
    });
  }
}
