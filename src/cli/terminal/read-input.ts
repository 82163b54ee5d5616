import { CoordinatorError, messageOf } from "../../errors.ts";
import { readFileWithin, readStreamWithin } from "../../system/read-file.ts";
import { misused } from "../line/arguments.ts";

const hint = "Name a file that is there, or - for stdin.";
/** As much as a file of the workspace may have. */
const limits = { most: 64 * 1024 * 1024, code: "input_invalid", hint } as const;

/** The text of a file, or of stdin for "-". */
export async function readInput(path: string): Promise<string> {
  try {
    const bytes =
      path === "-"
        ? await readStreamWithin(process.stdin, "stdin", limits)
        : await readFileWithin(path, { ...limits, alsoPipes: true });
    // A shell may put a byte order mark before what it pipes; one in a file belongs to it.
    return new TextDecoder("utf-8", { ignoreBOM: path !== "-" }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) throw thrown;
    throw misused(`Cannot read ${path}: ${messageOf(thrown)}`, hint);
  }
}
