import { isUtf8 } from "node:buffer";
import { CoordinatorError } from "../errors.ts";
import { shownPath } from "./file-name.ts";
import type { Workspace } from "./workspace.ts";

/** The file as text, every character as it is there; a file that is not text is refused, not guessed at. */
export function readText(workspace: Workspace, path: string): string {
  return readTextBytes(workspace, path).toString();
}

/** The same as bytes, for who needs little of it. */
export function readTextBytes(workspace: Workspace, path: string): Buffer {
  const bytes = workspace.read(path);
  if (isUtf8(bytes)) return bytes;
  throw new CoordinatorError("file_refused", `The file ${shownPath(path)} is not UTF-8 text`, {
    hint: 'A guest reads its bytes: workspace.read(path, { encoding: "base64" }).',
  });
}
