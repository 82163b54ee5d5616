import { randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { CoordinatorError, messageOf } from "../../errors.ts";

/** A file on its way: it grows as long as there is room, and has no place yet. `shrink` gives its room back, once. */
export async function openDraft(
  folder: string,
  name: string,
  grow: (bytes: number) => Promise<void>,
  shrink: (bytes: number) => void,
) {
  const path = join(folder, randomUUID());
  const file = await explained(name, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return open(path, "wx", 0o600);
  });
  let bytes = 0;
  let isOpen = true;
  const close = async () => {
    if (isOpen) {
      isOpen = false;
      shrink(bytes);
      await file.close();
    }
    return { path, bytes };
  };
  return {
    async append(data: Uint8Array): Promise<void> {
      await grow(data.length);
      bytes += data.length;
      await explained(name, () => file.appendFile(data));
    },
    close,
    async discard(): Promise<void> {
      await close();
      await rm(path, { force: true });
    },
  };
}

async function explained<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw cannotWrite(name, thrown);
  }
}

export function cannotWrite(name: string, thrown: unknown): CoordinatorError {
  const code = (thrown as NodeJS.ErrnoException).code ?? "";
  if (["EEXIST", "ENOTDIR", "EISDIR", "ENOTEMPTY"].includes(code)) {
    return new CoordinatorError("input_invalid", `Cannot save "${name}": a part of it is a file and a folder at once`, {
      hint: "Choose another name.",
      cause: thrown,
    });
  }
  return new CoordinatorError("storage_unavailable", `Cannot save the artifact "${name}": ${messageOf(thrown)}`, {
    hint: "Check the permissions of the data folder and the free space.",
    cause: thrown,
  });
}
