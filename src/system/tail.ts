/** Keeps the end of a byte stream: at most `limit` bytes, from the start of a line where something was dropped. */
export class Tail {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const kept = chunk.length > this.#limit ? Buffer.from(chunk.subarray(-this.#limit)) : chunk;
    this.#cut ||= kept !== chunk;
    this.#chunks.push(kept);
    this.#bytes += kept.length;
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= this.#limit) {
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
      this.#cut = true;
    }
  }

  text(): string {
    const all = Buffer.concat(this.#chunks);
    const bytes = all.subarray(-this.#limit);
    const text = bytes.toString("utf8");
    if (!this.#cut && bytes.length === all.length) return text;
    // A line that lost its start may hold half a secret, which no redaction would find.
    return text.slice(text.indexOf("\n") + 1);
  }
}
