/** One file that a run left behind. */
export interface Artifact {
  readonly uri: string;
  readonly run: string;
  readonly name: string;
  readonly bytes: number;
  readonly mediaType: string;
  readonly saved: string;
}

/** Files that runs left behind, addressed as `artifact://<run>/<name>`. */
export interface Artifacts {
  /** Keeps text or bytes under a name of the guest's choice; what had that name in this run is replaced. */
  save(run: string, name: string, data: string | Uint8Array): Promise<Artifact>;
  /** The same for one of our own files: what the guest has saved under that name stays, and the file goes by another. */
  keep(run: string, name: string, data: string | Uint8Array): Promise<Artifact>;
  /** The same for one that is too large to be held: it is written bit by bit, and there when it is finished. */
  begin(run: string, name: string): Promise<ArtifactDraft>;
  /** Each throws artifact_unknown for an address that is not valid or is gone. */
  find(address: string): Promise<Artifact>;
  read(address: string): Promise<string>;
  readBytes(address: string): Promise<Buffer>;
  /** Some of the bytes, in chunks of a length that three divides, read as they are asked for; to be gone through once. */
  readChunks(
    address: string,
    part: ArtifactPart,
  ): Promise<{ readonly length: number; readonly chunks: Iterable<Buffer> }>;
  /** The newest run first; in a run by name. */
  list(of: { readonly run?: string | undefined; readonly limit: number }): Promise<Artifact[]>;
  /** What all of them take, as of the last look. */
  used(): Promise<{ readonly bytes: number; readonly files: number }>;
  /** Removes the files of runs that are older than this, then of the oldest runs until all fit the cap. */
  prune(maxAgeDays: number): Promise<void>;
}

export interface ArtifactPart {
  readonly offset: number;
  readonly limit?: number | undefined;
}

/** A file that grows. Nothing of it is there before it is finished. */
export interface ArtifactDraft {
  /** Resolves when it is written; one at a time. Throws storage_full where there is no room: what came before stays. */
  append(data: Uint8Array): Promise<void>;
  finish(): Promise<Artifact>;
  discard(): Promise<void>;
}
