import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { messageOf } from "../errors.ts";
import { misused } from "./arguments.ts";

/** The text of a file, or of stdin for "-". */
export async function readInput(path: string): Promise<string> {
  if (path === "-") return text(process.stdin);
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    throw misused(`Cannot read ${path}: ${messageOf(thrown)}`, "Name a file that is there, or - for stdin.");
  }
}
