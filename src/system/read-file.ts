import {
  close,
  closeSync,
  constants,
  createReadStream,
  fstat,
  fstatSync,
  open,
  openSync,
  readSync,
  type Stats,
} from "node:fs";
import { Socket } from "node:net";
import { isatty, ReadStream } from "node:tty";
import { promisify } from "node:util";
import { CoordinatorError, type ErrorCode } from "../errors.ts";
import { printable } from "./printable.ts";

interface ReadOptions {
  /** The most bytes that it may have. */
  readonly most: number;
  /** Of the error that refuses what is not a plain file, or is too large. The system's own errors are thrown as they are. */
  readonly code: ErrorCode;
  readonly hint: string;
}

// A pipe without a writer, a serial line: nothing waits in an open. Windows has neither.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * The bytes of a file that others may have put there: a pipe, a device, a folder or gigabytes are refused before they
 * are read. `alsoPipes`: the user has named it just now, and `<(command)` and `/dev/stdin` are read to their end.
 */
export async function readFileWithin(path: string, options: ReadOptions & { alsoPipes?: boolean }): Promise<Buffer> {
  const fd = await promisify(open)(path, flags);
  let stream: AsyncIterable<Buffer>;
  try {
    const stat = await promisify(fstat)(fd);
    if (!options.alsoPipes || stat.isDirectory()) checkPlain(path, stat, options);
    stream = streamOf(fd, stat, options.most);
  } catch (thrown) {
    await promisify(close)(fd);
    throw thrown;
  }
  return readStreamWithin(stream, path, options);
}

/** All bytes of a stream, which ends when it has more than it may. */
export async function readStreamWithin(
  stream: AsyncIterable<Buffer>,
  name: string,
  options: ReadOptions,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > options.most) throw tooLarge(name, options);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The same as `readFileWithin` in one go, for small files that are looked at often. */
export function readFileWithinSync(path: string, options: ReadOptions): Buffer {
  const fd = openSync(path, flags);
  try {
    const stat = fstatSync(fd);
    checkPlain(path, stat, options);
    const bytes = Buffer.alloc(stat.size);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      read = readSync(fd, bytes, size, bytes.length - size, null);
    }
    return bytes.subarray(0, size);
  } finally {
    closeSync(fd);
  }
}

/** It closes the descriptor. Pipes and terminals are waited for by the event loop: a thread that waits would outlive the end. */
function streamOf(fd: number, stat: Stats, most: number): AsyncIterable<Buffer> {
  if (isatty(fd)) return new ReadStream(fd);
  if (stat.isFIFO()) return new Socket({ fd, readable: true, writable: false });
  return createReadStream("", { fd, end: most });
}

function checkPlain(path: string, stat: Stats, { most, code, hint }: ReadOptions): void {
  if (!stat.isFile()) {
    throw new CoordinatorError(code, `Cannot use ${printable(path)}: it is ${sortOf(stat)}, not a file`, { hint });
  }
  if (stat.size > most) throw tooLarge(path, { most, code, hint });
}

function sortOf(stat: Stats): string {
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a named pipe";
  return stat.isSocket() ? "a socket" : "a device";
}

function tooLarge(name: string, { most, code, hint }: ReadOptions): CoordinatorError {
  return new CoordinatorError(code, `Cannot use ${printable(name)}: it has more than ${most} bytes`, { hint });
}
