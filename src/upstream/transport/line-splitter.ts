const newline = 10;
const nothing = Buffer.alloc(0);

/** Cuts a byte stream into lines in linear time, however it is chunked; a line above `limit` bytes ends it for good. */
export class LineSplitter {
  readonly #limit: number;
  #held = nothing;
  #heldBytes = 0;
  #overflowed = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** The lines that this chunk completes, without their newlines. */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1 && !this.#overflowed; end = chunk.indexOf(newline, start)) {
      const line = this.#complete(chunk.subarray(start, end));
      if (line !== undefined) lines.push(line);
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
    return lines;
  }

  #complete(part: Buffer): Buffer | undefined {
    if (this.#heldBytes === 0 && part.length <= this.#limit) return part;
    this.#hold(part);
    if (this.#overflowed) return undefined;
    const line = this.#held.subarray(0, this.#heldBytes);
    this.#release();
    return line;
  }

  #hold(part: Buffer): void {
    const bytes = this.#heldBytes + part.length;
    if (this.#overflowed || bytes > this.#limit) {
      this.#overflowed = true;
      this.#release();
      return;
    }
    if (bytes > this.#held.length) {
      // Doubling keeps a long line linear even when it comes byte by byte.
      const larger = Buffer.allocUnsafe(Math.min(this.#limit, Math.max(bytes, this.#held.length * 2, 4096)));
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    part.copy(this.#held, this.#heldBytes);
    this.#heldBytes = bytes;
  }

  #release(): void {
    this.#held = nothing;
    this.#heldBytes = 0;
  }
}
