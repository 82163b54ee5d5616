import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { reasonOf, requestFailed } from "./network-error.ts";

export const maxBodyBytes = 10 * 1024 * 1024;
const maxCodings = 3;
const tooLong = `the answer is longer than ${maxBodyBytes / 1024 / 1024} MB`;

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const unzip: Decode = promisify(gunzip);
const unbrotli: Decode = promisify(brotliDecompress);
const unzlib: Decode = promisify(inflate);
const unraw: Decode = promisify(inflateRaw);

const decoders = new Map<string, Decode>([
  ["gzip", unzip],
  ["x-gzip", unzip],
  ["br", unbrotli],
  // Servers disagree about "deflate"; the first byte tells which of the two it is.
  ["deflate", (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? unzlib : unraw)(bytes, options)],
]);

/** What the server may compress with. */
export const acceptedEncodings = "gzip, br, deflate";

/** How a body is compressed, outermost last; nothing when a name is not known, as then it stays as it is. */
export function codingsOf(header = ""): readonly string[] {
  const codings = header
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  return codings.every((coding) => decoders.has(coding)) ? codings : [];
}

/** A body to its end, decompressed; at most 10 MB of it before and after that. */
export async function readBody(response: IncomingMessage, codings: readonly string[], host: string): Promise<Buffer> {
  const bytes = await readWithin(response, maxBodyBytes);
  if (!bytes) throw requestFailed(host, tooLong);
  return decompress(bytes, codings, host);
}

/** A body to its end as it comes; undefined when it is longer than that. */
export async function readWithin(response: AsyncIterable<Buffer>, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

async function decompress(bytes: Buffer, codings: readonly string[], host: string): Promise<Buffer> {
  if (codings.length > maxCodings) throw requestFailed(host, "the answer is compressed over and over");
  let plain = bytes;
  for (const coding of codings.toReversed()) {
    if (plain.length === 0) return plain;
    const decode = decoders.get(coding) as Decode;
    plain = await decode(plain, { maxOutputLength: maxBodyBytes }).catch((thrown) => {
      const reason = reasonOf(thrown);
      throw requestFailed(host, reason === "ERR_BUFFER_TOO_LARGE" ? tooLong : `the answer is damaged (${reason})`);
    });
  }
  return plain;
}
