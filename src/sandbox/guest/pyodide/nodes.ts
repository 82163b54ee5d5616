export interface Device {
  read(bytes: Uint8Array): number;
  write(bytes: Uint8Array): number;
}

/** What all entries of a folder have. */
export interface Entry {
  readonly id: number;
  mode: number;
  accessed: number;
  modified: number;
  /** Undefined for the root and for what was removed. */
  parent: Folder | undefined;
  name: string;
  /** How often it is open: what is removed while open takes space until it is closed. */
  opened: number;
}
export interface File extends Entry {
  readonly kind: "file";
  data: Uint8Array;
  size: number;
}
export interface Folder extends Entry {
  readonly kind: "folder";
  readonly entries: Map<string, Node>;
}
export interface Link extends Entry {
  readonly kind: "link";
  readonly target: string;
}
export interface Special extends Entry {
  readonly kind: "device";
  readonly device: Device;
}
export type Node = File | Folder | Link | Special;
