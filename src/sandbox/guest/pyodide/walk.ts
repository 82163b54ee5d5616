import { errno, SystemCallFailure } from "./errno.ts";
import type { FolderNode, Node } from "./nodes.ts";

/** Where a path leads: the folder that holds its last name, and what has that name there. */
export interface NodePlace {
  readonly folder: FolderNode;
  readonly name: string;
  readonly node: Node | undefined;
}

const linksMax = 40;
const nameBytesMax = 255;
const pathBytesMax = 4096;

/** Follows a path, from the root when it starts there; the last name may be a link that is meant itself. */
export function walk(root: FolderNode, from: FolderNode, path: string, followLast: boolean): NodePlace {
  if (path === "") throw new SystemCallFailure(errno.notFound);
  if (path.length > pathBytesMax) throw new SystemCallFailure(errno.nameTooLong);
  const mustBeFolder = path.endsWith("/");
  let folder = path.startsWith("/") ? root : from;
  let names = namesIn(path);
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name.length > nameBytesMax) throw new SystemCallFailure(errno.nameTooLong);
    const isLast = names.length === 0;
    const node = name === ".." ? (folder.parent ?? folder) : folder.entries.get(name);
    if (node?.kind === "link" && (!isLast || followLast || mustBeFolder)) {
      if (++links > linksMax) throw new SystemCallFailure(errno.loop);
      if (node.target.startsWith("/")) folder = root;
      names = [...namesIn(node.target), ...names];
      continue;
    }
    if (isLast && (!node || !mustBeFolder)) return { folder, name, node };
    if (!node) throw new SystemCallFailure(errno.notFound);
    if (node.kind !== "folder") throw new SystemCallFailure(errno.notFolder);
    if (isLast) return { folder, name, node };
    folder = node;
  }
  return { folder: folder.parent ?? folder, name: "", node: folder };
}

function namesIn(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}
