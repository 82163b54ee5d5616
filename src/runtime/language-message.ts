/** A message of the language server protocol: JSON-RPC behind a header with its length. */
export interface Message {
  readonly id?: number | string | undefined;
  readonly method?: string | undefined;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string } | undefined;
}

/** Two that send each other messages: what was asked finds its answer. */
export interface Conversation {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): void;
  receive(message: Message): void;
  /** Nothing is answered any more, for that reason. */
  end(why: string): void;
  readonly hasEnded: boolean;
}

export interface ConversationOptions {
  send(message: Message): void;
  /** What the other side asks. */
  answer(question: Message): unknown;
  /** What is thrown for a request that was not answered well. */
  failure(words: string): Error;
}

export function createConversation({ send, answer, failure }: ConversationOptions): Conversation {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  let hasEnded = false;
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (hasEnded) return reject(failure("has ended"));
        lastId++;
        waiting.set(lastId, { resolve, reject });
        send({ id: lastId, method, params });
      }),
    notify: (method, params) => send({ method, params }),
    receive(message) {
      if (message.method !== undefined) {
        if (message.id !== undefined) send({ id: message.id, result: answer(message) });
        return;
      }
      const asked = waiting.get(Number(message.id));
      waiting.delete(Number(message.id));
      if (message.error) asked?.reject(failure(`answered: ${message.error.message}`));
      else asked?.resolve(message.result);
    },
    end(why) {
      hasEnded = true;
      for (const { reject } of waiting.values()) reject(failure(why));
      waiting.clear();
    },
    get hasEnded() {
      return hasEnded;
    },
  };
}

const largestMessage = 64 * 1024 * 1024;

export function encodeMessage(message: Message): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Takes a stream in pieces and hands on its messages; false when a piece is not one, or is too large. */
export function createMessageReader(onMessage: (message: Message) => void): (chunk: Buffer) => boolean {
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted = 0;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    while (size > 0 && size >= wanted) {
      const buffer = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
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
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
