import { errno, Failure } from "./errno.ts";
import type { Folder, Node } from "./nodes.ts";

/** Where a path leads: the folder that holds its last name, and what has that name there. */
export interface Place {
  readonly folder: Folder;
  readonly name: string;
  readonly node: Node | undefined;
}

const linksMax = 40;
const nameBytesMax = 255;
const pathBytesMax = 4096;

/** Follows a path, from the root when it starts there; the last name may be a link that is meant itself. */
export function walk(root: Folder, from: Folder, path: string, followLast: boolean): Place {
  if (path === "") throw new Failure(errno.notFound);
  if (path.length > pathBytesMax) throw new Failure(errno.nameTooLong);
  const mustBeFolder = path.endsWith("/");
  let folder = path.startsWith("/") ? root : from;
  let names = namesIn(path);
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name.length > nameBytesMax) throw new Failure(errno.nameTooLong);
    const isLast = names.length === 0;
    const node = name === ".." ? (folder.parent ?? folder) : folder.entries.get(name);
    if (node?.kind === "link" && (!isLast || followLast || mustBeFolder)) {
      if (++links > linksMax) throw new Failure(errno.loop);
      if (node.target.startsWith("/")) folder = root;
      names = [...namesIn(node.target), ...names];
      continue;
    }
    if (!node && !isLast) throw new Failure(errno.notFound);
    if (node && node.kind !== "folder" && (!isLast || mustBeFolder)) throw new Failure(errno.notFolder);
    if (isLast) return { folder, name, node };
    folder = node as Folder;
  }
  return { folder: folder.parent ?? folder, name: "", node: folder };
}

function namesIn(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}
