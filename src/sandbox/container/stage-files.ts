import { chmod, constants, copyFile, link, mkdir, readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";

/**
 * Puts files into a folder whose path says nothing about this machine, and tells their places there: a container's list
 * of mounts shows where each comes from.
 */
export async function stageFiles(
  files: ReadonlyMap<string, string>,
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const staged = new Map<string, string>();
  for (const [inside, outside] of files) {
    const place = join(folder, basename(inside));
    await stage(await realpath(outside), place);
    staged.set(inside, place);
  }
  return staged;
}

async function stage(from: string, to: string): Promise<void> {
  if (!(await stat(from)).isDirectory()) {
    // A second name costs nothing; it is refused on another disk, and for a file of somebody else.
    return link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_FICLONE));
  }
  await mkdir(to);
  await chmod(to, 0o755); // guests are nobody
  for (const name of await readdir(from)) await stage(join(from, name), join(to, name));
}
