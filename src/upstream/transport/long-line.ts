import type { JSONRPCErrorResponse } from "@modelcontextprotocol/client";

/** A shorter line is parsed at once, whatever it consists of. */
export const shortLine = 64 * 1024;

const deepest = 512;
/** What an answer may hold: 100,000 rows of 10 columns are 1.1 million values. Parsing so many takes up to a second. */
const mostValues = 1_600_000;
/** Names that were not there before take so much longer than other values: every object gets a shape of its own. */
const nameWeight = 4;
/** What a server may tell or ask of its own accord. */
const mostToldValues = 20_000;
const longestNotification = 1024 * 1024;
/** Ids of a server's requests are sent back to it. */
export const longestId = 1024;

/** Marks the errors that stand for answers which were not read. */
export const unread = Symbol("unread");

/**
 * What is done with a long line: it is read, passed over, or an error is told in its place: to the call that waits for the answer,
 * or in reply to the server.
 */
export type LineHandling =
  | "answer"
  | "message"
  | "skip"
  | { readonly tell: JSONRPCErrorResponse }
  | { readonly reply: JSONRPCErrorResponse };

/** Whether a long line may be read in the thread that serves all: a small text can stand for very many values. */
export function weigh(line: Buffer): LineHandling {
  const { id, method, depth, values } = outline(line);
  const isCalm = depth <= deepest;
  if (!method) {
    if (isCalm && values <= mostValues) return "answer";
    const why = isCalm
      ? `its answer has more than ${mostValues} values (each new name counts as ${nameWeight})`
      : `its answer nests deeper than ${deepest} levels`;
    return id === undefined ? "skip" : { tell: refusal(id, -32603, why, unread) };
  }
  if (id === undefined)
    return isCalm && values <= mostToldValues && line.length <= longestNotification ? "message" : "skip";
  if (isCalm && values <= mostToldValues) return "message";
  const why = `The request nests deeper than ${deepest} levels, or has more than ${mostToldValues} values.`;
  return { reply: refusal(id, -32600, why) };
}

function refusal(id: number | string, code: number, message: string, data?: unknown): JSONRPCErrorResponse {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } };
}

interface Outline {
  readonly id: number | string | undefined;
  readonly method: boolean;
  readonly depth: number;
  readonly values: number;
}

/** What a JSON object consists of, in linear time and without parsing it. */
function outline(line: Buffer): Outline {
  const names = line.length > mostValues ? new Names() : undefined;
  let depth = 0;
  let greatestDepth = 0;
  let values = 0;
  let stringStart = 0;
  let stringEnd = 0;
  let idStart = -1;
  let id: number | string | undefined;
  let method = false;
  const endOfValue = (end: number) => {
    if (idStart !== -1) id = idIn(line.subarray(idStart, end));
    idStart = -1;
  };
  for (let index = 0; index < line.length; index++) {
    const byte = line[index];
    if (byte === 0x22) {
      stringStart = ++index;
      for (; index < line.length && line[index] !== 0x22; index++) if (line[index] === 0x5c) index++;
      stringEnd = index;
    } else if (byte === 0x2c) {
      values++;
      if (depth === 1) endOfValue(index);
    } else if (byte === 0x3a) {
      if (names?.add(line, stringStart, stringEnd)) values += nameWeight - 1;
      if (depth !== 1) continue;
      const key = stringEnd - stringStart > 6 ? "" : line.toString("latin1", stringStart, stringEnd);
      if (key === "id") idStart = index + 1;
      else if (key === "method") method = true;
    } else if (byte === 0x5b || byte === 0x7b) {
      values++;
      if (++depth > greatestDepth) greatestDepth = depth;
    } else if (byte === 0x5d || byte === 0x7d) {
      if (depth === 1) endOfValue(index);
      depth--;
    }
  }
  return { id, method, depth: greatestDepth, values };
}

function idIn(text: Buffer): number | string | undefined {
  if (text.length > longestId) return undefined;
  try {
    const id: unknown = JSON.parse(text.toString());
    return typeof id === "number" || typeof id === "string" ? id : undefined;
  } catch {
    return undefined; // a line that is no JSON
  }
}

/** Tells names that were there before from others, nearly always: by a bit for each hash. */
class Names {
  readonly #seen = new Uint8Array(2 ** 19);

  /** Whether the name is new. */
  add(line: Buffer, start: number, end: number): boolean {
    let hash = seed;
    for (let index = start; index < end; index++) {
      hash = Math.imul(hash ^ (line[index] as number), 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    const bit = hash >>> 10;
    const mask = 1 << (bit & 7);
    const byte = this.#seen[bit >>> 3] as number;
    if (byte & mask) return false;
    this.#seen[bit >>> 3] = byte | mask;
    return true;
  }
}

/** Not to be known, so that nobody chooses names of one hash. */
const seed = (Math.random() * 2 ** 32) | 0;
