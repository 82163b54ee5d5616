import { readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isAbsent, systemCode } from "../errors.ts";
import { foldName } from "./fold-name.ts";

const mostLinks = 40;

/**
 * Where a path leads once its links are followed; its end, or what a link names, need not be there yet. Throws for what
 * cannot be looked at: nobody can say where that is.
 */
export function realPlace(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch (thrown) {
    if (!isAbsent(thrown) || links > mostLinks) throw thrown;
  }
  const target = linkTarget(path);
  if (target !== undefined) return realPlace(resolve(dirname(path), target), links + 1);
  const parent = dirname(path);
  return parent === path ? path : join(realPlace(parent, links), basename(path));
}

/** Whether a place is another one or lies in it, however either is spelled. Both are real places. */
export function holds(outer: string, inner: string): boolean {
  const wanted = fileIdentity(outer);
  const folded = foldName(outer);
  for (let place = inner; ; place = dirname(place)) {
    if (wanted === undefined ? foldName(place) === folded : fileIdentity(place) === wanted) return true;
    if (dirname(place) === place) return false;
  }
}

/** What tells a file or folder from all others, whatever names lead to it; undefined when nothing is there. */
export function fileIdentity(path: string): string | undefined {
  const found = statIfThere(path);
  return found && identityIn(found);
}

/** Links followed; undefined when nothing is there. */
export function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

export function identityIn({ dev, ino }: Pick<Stats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (thrown) {
    // EINVAL: something is there that is not a link.
    if (isAbsent(thrown) || systemCode(thrown) === "EINVAL") return undefined;
    throw thrown;
  }
}
