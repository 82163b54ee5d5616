import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

/** What a client may leave unread before it is no longer read from itself. */
const mostUnread = 1024 * 1024;

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** stdin and stdout. A client that does not read its answers is not asked for more work until it does. */
export class StdioTransport extends StdioServerTransport {
  readonly #streams: Streams;
  #isHeldBack = false;

  constructor(streams: Streams) {
    super(streams.input, streams.output);
    this.#streams = streams;
    // The SDK adds one for each answer that waits.
    streams.output.setMaxListeners(0);
  }

  override send(message: Parameters<StdioServerTransport["send"]>[0]): Promise<void> {
    const sent = super.send(message);
    if (!this.#isHeldBack && this.#streams.output.writableLength > mostUnread) this.#holdBack();
    return sent;
  }

  #holdBack(): void {
    const { input, output } = this.#streams;
    this.#isHeldBack = true;
    input.pause();
    output.once("drain", () => {
      this.#isHeldBack = false;
      input.resume();
    });
  }
}
