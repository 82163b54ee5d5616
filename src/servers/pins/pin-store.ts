import type { WrittenServer } from "../../config/written-server.ts";
import type { DefinitionKind } from "../../policy/pins/definition.ts";
import type { Pin } from "../../policy/pins/pin.ts";

/** How one server of a file was accepted, or that a person does not want it. */
export interface ServerPin {
  readonly state: "accepted" | "blocked" | "unreadable";
  /** As it was accepted; absent where nobody can tell any more, or nobody ever did. */
  readonly written?: WrittenServer | undefined;
  readonly decidedAt: number;
  /** Who decided, in words. */
  readonly decidedBy: string;
}

/** The pins of one kind of definitions of a server. */
interface PinnedList {
  readonly pins: ReadonlyMap<string, Pin>;
  /** What was held to them last, as a hash; undefined: the next list is the first one. */
  readonly listed: string | undefined;
}

/**
 * What was accepted, of one owner; seen by every coordinator on the same data. Servers are known by their file and name, what they
 * offer by how they are started or reached (a hash of that: `key`). What cannot be read is told as unreadable, and never as absent.
 */
export interface PinStore {
  servers(file: string): Promise<ReadonlyMap<string, ServerPin>>;
  /** Undefined takes them out. */
  putServers(file: string, pins: ReadonlyMap<string, ServerPin | undefined>): Promise<void>;
  /** Which of these were in use here before there were pins, by the hash that they are known under. */
  usedBefore(identities: readonly string[]): Promise<ReadonlySet<string>>;
  /** Undefined when nothing of that kind has been accepted of it, and no first list is awaited. */
  list(key: string, kind: DefinitionKind): Promise<PinnedList | undefined>;
  /** Those that are not accepted as they are, by the keys of their servers. */
  stops(keys: readonly string[]): Promise<ReadonlyMap<string, readonly Pin[]>>;
  /** Writes these pins, all or none; `listed` is what was held to them. */
  keep(key: string, kind: DefinitionKind, pins: readonly Pin[], listed?: string): Promise<void>;
  /** Takes a decision of a person, unless the server has said something else meanwhile than what they saw. Answers whether it was taken. */
  decide(key: string, before: Pin, after: Pin): Promise<boolean>;
  /** The next list of each kind is the first one; what a person blocked stays blocked. */
  startAnew(key: string): Promise<void>;
  /** Another text whenever another process has changed something. A look costs a few microseconds. */
  mark(): string;
}
