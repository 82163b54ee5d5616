import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { exceeds } from "../system/json-bounds.ts";
import { LineSplitter } from "../upstream/transport/line-splitter.ts";
import { messageBounds, saysTooMuchUnparsed, tooInvolved, tooMuchOfClient } from "./message-bounds.ts";

/** How much a client may leave unread before we stop reading from it. */
const mostUnread = 1024 * 1024;
const mostMessageBytes = 10 * 1024 * 1024;
/** A shorter message is parsed at once, whatever it consists of. */
const shortBytes = 64 * 1024;
const newline = Buffer.from("\n");

export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** stdin and stdout. A client that does not read its answers is not asked for more work until it does. */
export class ClientStdioTransport extends StdioServerTransport {
  readonly #streams: Streams;
  #isHeldBack = false;

  constructor(streams: Streams) {
    super(streams.input, streams.output);
    this.#streams = streams;
    // The SDK adds one for each answer that waits.
    streams.output.setMaxListeners(0);
    this._ondata = this.#createReader(this._ondata);
  }

  override send(message: Parameters<StdioServerTransport["send"]>[0]): Promise<void> {
    const sent = super.send(message);
    if (!this.#isHeldBack && this.#streams.output.writableLength > mostUnread) this.#holdBack();
    return sent;
  }

  /** Passes whole lines on to the SDK, which parses them; what would take too long is refused before that. */
  #createReader(deliver: (chunk: Buffer) => void): (chunk: Buffer) => void {
    const lines = new LineSplitter(mostMessageBytes);
    let isAtStart = true;
    return (chunk) => {
      const isWhole = isAtStart && chunk.length <= shortBytes;
      isAtStart = chunk.at(-1) === newline[0];
      if (isWhole && isAtStart) return deliver(chunk);
      for (const line of lines.push(chunk)) {
        const problem = line.length > shortBytes ? problemOf(line) : undefined;
        if (problem === undefined) deliver(Buffer.concat([line, newline]));
        else this.#refuse(line, problem);
      }
      if (!lines.overflowed) return;
      this.onerror?.(new Error(`A message exceeded maximum size: ${mostMessageBytes} bytes`));
      this.close().catch(() => {});
    };
  }

  #refuse(line: Buffer, message: string): void {
    const error = { code: -32600, message };
    this.#streams.output.write(`{"jsonrpc":"2.0","id":${idOf(line)},"error":${JSON.stringify(error)}}\n`);
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

/** Why it would take too long to read. */
function problemOf(line: Buffer): string | undefined {
  if (exceeds(line, messageBounds)) return tooInvolved("The message");
  return saysTooMuchUnparsed(line) ? tooMuchOfClient : undefined;
}

const endsBytes = 500;
const id = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,15})\s*`;
const firstId = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${id},`);
const lastId = new RegExp(String.raw`,\s*${id}(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** The id of a message as it is written, without parsing it: clients put it first or last. */
function idOf(line: Buffer): string {
  const [, first] = firstId.exec(line.toString("latin1", 0, endsBytes)) ?? [];
  const [, last] = lastId.exec(line.toString("latin1", Math.max(0, line.length - endsBytes))) ?? [];
  return first ?? last ?? "null";
}
