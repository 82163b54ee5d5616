import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";

export interface ReplaceOptions {
  readonly mode?: number;
  /** It outlives a power cut. */
  readonly flush?: boolean;
  /** Where it is written first, on the same disk; beside the file when absent. */
  readonly draft?: string;
}

/** A file that is written, and not in its place yet. */
export interface Draft {
  place(): void;
  /** Removes what was not placed. */
  discard(): void;
}

const draftOf = (path: string): string => `${path}.${randomUUID()}`;

/** Puts a file in place as a whole: a reader finds the old one or the new one. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { draft = draftOf(path), ...options }: ReplaceOptions = {},
): Promise<void> {
  try {
    await writeFile(draft, content, { ...options, flag: "wx" });
    await rename(draft, path);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
}

export function replaceFileSync(path: string, content: string | Uint8Array, options: ReplaceOptions = {}): void {
  writeDraft(path, content, options).place();
}

/** The slow half of it, for a caller that puts several files in place at once. */
export function writeDraft(
  path: string,
  content: string | Uint8Array,
  { draft = draftOf(path), ...options }: ReplaceOptions = {},
): Draft {
  const discard = () => rmSync(draft, { force: true });
  const orDiscard = (step: () => void): void => {
    try {
      step();
    } catch (thrown) {
      discard();
      throw thrown;
    }
  };
  orDiscard(() => writeFileSync(draft, content, { ...options, flag: "wx" }));
  return { place: () => orDiscard(() => renameSync(draft, path)), discard };
}
