export interface Device {
  read(bytes: Uint8Array): number;
  write(bytes: Uint8Array): number;
}

/** What all entries of a folder have. */
export interface BaseNode {
  readonly id: number;
  mode: number;
  accessed: number;
  modified: number;
  /** Undefined for the root and for what was removed. */
  parent: FolderNode | undefined;
  name: string;
  /** How often it is open: what is removed while open takes space until it is closed. */
  opened: number;
}
export interface FileNode extends BaseNode {
  readonly kind: "file";
  data: Uint8Array;
  size: number;
}
export interface FolderNode extends BaseNode {
  readonly kind: "folder";
  readonly entries: Map<string, Node>;
}
export interface LinkNode extends BaseNode {
  readonly kind: "link";
  readonly target: string;
}
export interface DeviceNode extends BaseNode {
  readonly kind: "device";
  readonly device: Device;
}
export type Node = FileNode | FolderNode | LinkNode | DeviceNode;
