/**
 * The wire between host and guest: a 4-byte big-endian length, then that many bytes of JSON.
 * The reader refuses an oversized frame by its header, before a byte of it is kept.
 */
export interface FrameReader {
  push(chunk: Uint8Array): void;
}

export function createFrameReader(
  maxBytes: number,
  onFrame: (bytes: Uint8Array) => void,
  onOversize: (bytes: number) => void,
): FrameReader {
  const header = new Uint8Array(4);
  let headerFilled = 0;
  let body: Uint8Array | undefined;
  let bodyFilled = 0;
  let broken = false;

  return {
    push(chunk) {
      let offset = 0;
      while (offset < chunk.length && !broken) {
        if (!body) {
          const taken = Math.min(4 - headerFilled, chunk.length - offset);
          header.set(chunk.subarray(offset, offset + taken), headerFilled);
          headerFilled += taken;
          offset += taken;
          if (headerFilled < 4) return;
          const size = new DataView(header.buffer).getUint32(0);
          if (size > maxBytes) {
            broken = true;
            onOversize(size);
            return;
          }
          headerFilled = 0;
          // A frame that lies whole in this chunk needs no copy.
          if (chunk.length - offset >= size) {
            onFrame(chunk.subarray(offset, offset + size));
            offset += size;
            continue;
          }
          body = new Uint8Array(size);
          bodyFilled = 0;
        }
        const taken = Math.min(body.length - bodyFilled, chunk.length - offset);
        body.set(chunk.subarray(offset, offset + taken), bodyFilled);
        bodyFilled += taken;
        offset += taken;
        if (bodyFilled === body.length) {
          const whole = body;
          body = undefined;
          onFrame(whole);
        }
      }
    },
  };
}

const encoder = new TextEncoder();

/** A frame's bytes for a JSON text. */
export function encodeFrame(text: string): Uint8Array {
  const body = encoder.encode(text);
  const frame = new Uint8Array(4 + body.length);
  frame.set(encodeHeader(body.length));
  frame.set(body, 4);
  return frame;
}

/** The beginning of a frame whose body is so long. */
export function encodeHeader(length: number): Uint8Array {
  const header = new Uint8Array(4);
  new DataView(header.buffer).setUint32(0, length);
  return header;
}
