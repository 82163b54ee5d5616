import { createJsonGauge, type JsonBounds } from "../../system/json-bounds.ts";

/** What an answer of a server may consist of, as exceeds() counts: it is parsed in the one thread that serves everybody. */
const answerBounds = { depth: 512, values: 2_000_000 };
const megabyte = 1024 * 1024;
const largest = 68 * megabyte;
/** What the SDK's parser keeps of a line beside its text. */
const lineCost = 64;
/** A shorter answer is parsed at once, whatever it consists of. */
const shortBytes = 64 * 1024;
const lineFeed = 10;
const carriageReturn = 13;

/** An answer that is not read to its end, since that would take too much memory or time. */
export class AnswerTooLargeError extends Error {
  override readonly name = "AnswerTooLargeError";

  constructor(what: string) {
    super(`more than ${what} in one answer: ask for less at a time`);
  }
}

/** Looks at an answer as it comes, before anybody parses it. */
export interface AnswerGauge {
  /** Why the answer is refused, if this piece is too much. */
  push(chunk: Uint8Array): AnswerTooLargeError | undefined;
}

export function createBodyGauge(): AnswerGauge {
  const json = createJsonGauge(answerBounds);
  let bytes = 0;
  return {
    push(chunk) {
      json.push(chunk);
      bytes += chunk.length;
      return judge(bytes, 0, json.passed);
    },
  };
}

/** For a stream of events, each of which is an answer of its own. All its fields count, not the data alone. */
export function createEventGauge(): AnswerGauge {
  let json = createJsonGauge(answerBounds);
  let bytes = 0;
  let lines = 0;
  let isLineEmpty = true;
  let isAfterReturn = false;

  const endLine = (): void => {
    if (!isLineEmpty) {
      lines++;
      json.endLine();
      isLineEmpty = true;
    } else if (bytes > 0) {
      json = createJsonGauge(answerBounds);
      bytes = 0;
      lines = 0;
    }
  };

  return {
    push(chunk) {
      let feed = -1;
      let carriage = -1;
      for (let start = 0; start < chunk.length; ) {
        if (feed < start) feed = find(chunk, lineFeed, start);
        if (carriage < start) carriage = find(chunk, carriageReturn, start);
        const end = Math.min(feed, carriage);
        json.push(chunk, start, end);
        bytes += end - start;
        isLineEmpty &&= end === start;
        const why = judge(bytes, lines, json.passed);
        if (why !== undefined || end === chunk.length) return why;
        const isSecondHalf = isAfterReturn && isLineEmpty && end === feed;
        if (!isSecondHalf) endLine();
        isAfterReturn = end === carriage;
        start = end + 1;
      }
      return undefined;
    },
  };
}

/** Where the byte is next; the end where it is not. */
function find(chunk: Uint8Array, byte: number, from: number): number {
  const found = chunk.indexOf(byte, from);
  return found === -1 ? chunk.length : found;
}

function judge(bytes: number, lines: number, passed: keyof JsonBounds | undefined): AnswerTooLargeError | undefined {
  if (bytes > largest) return new AnswerTooLargeError(`${largest / megabyte} MB`);
  if (bytes + lines * lineCost > largest) return new AnswerTooLargeError(`${grouped(lines - 1)} lines`);
  if (passed === undefined || bytes <= shortBytes) return undefined;
  const { depth, values } = answerBounds;
  return new AnswerTooLargeError(passed === "depth" ? `${depth} levels` : `${grouped(values)} values`);
}

function grouped(number: number): string {
  return number.toLocaleString("en");
}
