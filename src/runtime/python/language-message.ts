/** A message of the language server protocol: JSON-RPC behind a header with its length. */
export interface Message {
  readonly id?: number | string | undefined;
  readonly method?: string | undefined;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string } | undefined;
}

const largestMessage = 64 * 1024 * 1024;

export function encodeMessage(message: Message): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Takes a stream in pieces and hands on its messages; false when it is none such, or too large. */
export function createMessageReader(onMessage: (message: Message) => void): (chunk: Buffer) => boolean {
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted = 0;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    while (size > 0 && size >= wanted) {
      const buffer = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const start = buffer.indexOf(headerEnd) + headerEnd.length;
      chunks = [buffer];
      if (start < headerEnd.length) return size < longestHeader;
      const [, length] = /^content-length: *(\d{1,9})\r/im.exec(buffer.toString("latin1", 0, start)) ?? [];
      if (length === undefined || Number(length) > largestMessage) return false;
      wanted = start + Number(length);
      if (size < wanted) return true;
      const message = parse(buffer.toString("utf8", start, wanted));
      if (!message) return false;
      onMessage(message);
      chunks = [buffer.subarray(wanted)];
      size -= wanted;
      wanted = 0;
    }
    return true;
  };
}

const headerEnd = "\r\n\r\n";
const longestHeader = 1024;

function parse(text: string): Message | undefined {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return undefined;
  }
}
