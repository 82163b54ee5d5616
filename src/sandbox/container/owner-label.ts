import type { Owner } from "../../system/owner.ts";

/** The coordinator that a container belongs to, as a text. The last part tells apart what is one owner's. */
export function ownerText({ node, epoch }: Owner, part: string): string {
  return `${epoch}.${node}.${part}`;
}

export function readOwner(text: string): Owner | undefined {
  const [, epoch, node] = /^(\d+\.\d*)\.(\w+)\.\w+$/.exec(text.trim()) ?? [];
  return epoch !== undefined && node !== undefined ? { node, epoch } : undefined;
}
