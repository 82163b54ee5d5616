import type { Writable } from "node:stream";
import type { JSONRPCMessage, JSONRPCResponse, Transport } from "@modelcontextprotocol/client";
import type { StdioServer } from "../../config/server.ts";
import type { RunningProgram } from "../../system/running-program.ts";
import { startServer } from "../server-process.ts";
import { LineSplitter } from "./line-splitter.ts";
import { longestId, shortLine, weigh } from "./long-line.ts";
import { NotSentError, type ServerTransport } from "./server-transport.ts";
import { wellFormed } from "./well-formed.ts";

const megabyte = 1024 * 1024;
const largestResult = 64 * megabyte;
// Room for what stands around a result of the largest size.
const largestLine = largestResult + 4 * megabyte;
/** A server that leaves more unread gets no more calls. */
const mostUnread = 32 * megabyte;
/** One that leaves more answers to its own requests unread is not read from, until it reads them. */
const mostUnreadAnswers = megabyte;
/** What Node needs to keep a line, beside its text. */
const lineCost = 256;
const openingBrace = 123;
const written = Promise.resolve();

interface Patience {
  /** A server that is so far behind and reads nothing for this long is ended. Longer than honest work keeps one from reading. */
  readonly unreadMs?: number;
}

/** Messages as lines over a server's stdin and stdout. It counts and skips lines that are not messages. */
export class StdioTransport implements ServerTransport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  /** Gets answers first, and says whether one was for it. */
  onanswer?: (answer: JSONRPCResponse) => boolean;
  skippedLines = 0;
  readonly #server: StdioServer;
  readonly #lines = new LineSplitter(largestLine);
  #spawning: Promise<RunningProgram> | undefined;
  #process: RunningProgram | undefined;
  #end: string | undefined;
  readonly #unreadMs: number;
  #unreadAnswers = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(server: StdioServer, { unreadMs = 30_000 }: Patience = {}) {
    this.#server = server;
    this.#unreadMs = unreadMs;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get end(): string | undefined {
    return this.#end;
  }

  stderrTail(): string {
    return this.#process?.stderrTail() ?? "";
  }

  async start(): Promise<void> {
    this.#spawning = startServer(this.#server);
    const server = await this.#spawning;
    this.#process = server;
    server.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    server.stdout.once("end", () => this.#lost(server, "closed its stdout"));
    server.stdin.on("error", () => this.#lost(server, "closed its stdin"));
    server.ended.then((words) => this.#finish(words));
  }

  send(message: JSONRPCMessage): Promise<void> {
    const json = JSON.stringify(message);
    try {
      if (!("method" in message)) this.#answer(json);
      else if ("id" in message) this.sendRequest(json);
      else this.sendNotification(json);
      return written;
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  /** Throws a NotSentError. */
  sendRequest(json: string): void {
    const stdin = this.#stdin();
    const unread = stdin.writableLength;
    if (unread > mostUnread) throw new NotSentError(hasNotRead(unread));
    stdin.write(lineOf(json));
    if (stdin.writableLength > mostUnread) this.#watchReading(stdin);
  }

  /** Throws a NotSentError. */
  sendNotification(json: string): void {
    this.#stdin().write(lineOf(json));
  }

  #stdin(): Writable {
    const stdin = this.#process?.stdin;
    if (this.#end !== undefined || !stdin?.writable) throw new NotSentError();
    return stdin;
  }

  giveUp(words: string): void {
    this.#finish(words);
  }

  async close(): Promise<void> {
    this.#finish("was closed");
    // One that could not be spawned has said so to start().
    const server = await this.#spawning?.catch(() => undefined);
    await server?.end();
  }

  #read(chunk: Buffer): void {
    let hasNotification = false;
    for (const line of this.#lines.push(chunk)) {
      if (this.#end !== undefined) return;
      const message = line.length <= shortLine ? messageIn(line) : this.#readLong(line);
      if (message === undefined) this.skippedLines++;
      else if (message === "blank") continue;
      else if ("method" in message) {
        if (hasLongId(message)) continue;
        hasNotification = true;
        this.onmessage?.(message);
      } else if (hasNotification) {
        // The SDK takes an answer at once but a notification a moment later: the last progress would be lost.
        queueMicrotask(() => this.#answered(message));
      } else this.#answered(message);
    }
    if (this.#lines.overflowed) this.#finish(`sent a line of more than ${largestResult / megabyte} MB`);
  }

  #answered(message: JSONRPCResponse): void {
    if (!this.onanswer?.(message)) this.onmessage?.(message);
  }

  #answer(json: string): void {
    const stdin = this.#stdin();
    const line = lineOf(json);
    const size = line.length + lineCost;
    this.#unreadAnswers += size;
    stdin.write(line, () => {
      this.#unreadAnswers -= size;
      if (this.#unreadAnswers <= mostUnreadAnswers) this.#process?.stdout.resume();
    });
    if (this.#unreadAnswers <= mostUnreadAnswers) return;
    this.#process?.stdout.pause();
    this.#watchReading(stdin);
  }

  /** Ends a server that is far behind and reads nothing, with all that waits for it. */
  #watchReading(stdin: Writable): void {
    if (this.#watch !== undefined) return;
    let before = stdin.writableLength;
    this.#watch = setInterval(() => {
      const unread = stdin.writableLength;
      if (this.#end !== undefined || (unread <= mostUnread && this.#unreadAnswers <= mostUnreadAnswers)) {
        clearInterval(this.#watch);
        this.#watch = undefined;
      } else if (unread >= before) {
        this.#finish(`has read nothing of its stdin for ${this.#unreadMs / 1000} s, and was ended`);
      }
      before = unread;
    }, this.#unreadMs).unref();
  }

  #readLong(line: Buffer): JSONRPCMessage | "blank" | undefined {
    const handling = weigh(line);
    if (handling === "message") return messageIn(line);
    if (handling === "skip") return "blank";
    if (handling === "answer") {
      const message = messageIn(line);
      // What has its method only after unescaping was not weighed as what it is.
      return typeof message === "object" && "method" in message ? "blank" : message;
    }
    if ("tell" in handling) return handling.tell;
    this.send(handling.reply).catch(() => {});
    return "blank";
  }

  /** A pipe that closes is mostly the first sign of a process that ends: how it ended says more. */
  #lost(server: RunningProgram, words: string): void {
    const timer = setTimeout(() => this.#finish(words), 250).unref();
    server.ended.then(() => clearTimeout(timer));
  }

  #finish(words: string): void {
    if (this.#end !== undefined) return;
    this.#end = words;
    clearInterval(this.#watch);
    // Nobody waits here for the process to go; close() does.
    void this.#process?.end();
    this.onclose?.();
  }
}

function messageIn(line: Buffer): JSONRPCMessage | "blank" | undefined {
  if (line[0] !== openingBrace) {
    const start = line.findIndex((byte) => byte > 32);
    if (start === -1) return "blank";
    if (line[start] !== openingBrace) return undefined;
  }
  try {
    return wellFormed(JSON.parse(line.toString("utf8")));
  } catch {
    // Not JSON: a server that prints to its stdout.
    return undefined;
  }
}

/** It would be sent back. */
function hasLongId(message: JSONRPCMessage): boolean {
  return "id" in message && typeof message.id === "string" && message.id.length > longestId;
}

function hasNotRead(unread: number): string {
  return `the server has not read the last ${Math.round(unread / megabyte)} MB that it was sent`;
}

function lineOf(json: string): string {
  return `${oneLine(json)}\n`;
}

/** JSON may hold these as they are, but Node 24's readline, and so many a server, takes them for the end of a line. */
function oneLine(json: string): string {
  return /[\u2028\u2029\u0085]/.test(json)
    ? json.replace(/[\u2028\u2029\u0085]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : json;
}
