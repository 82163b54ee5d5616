import type { GuestMessage } from "../../messages.ts";
import { createGatheredOutput } from "./gathered-output.ts";
import { createOverflow } from "./overflow.ts";

type Stream = "stdout" | "stderr";

/** A long text is printed in pieces of this length. */
const pieceLength = 1 << 16;

/** What a program prints, up to what may be kept; of more only the end. */
export interface Printing {
  /** A program begins, of whose output so much may be kept. */
  begin(room: number): void;
  print(stream: Stream, text: string): void;
  /** Sends what was printed and has not been sent. */
  tell(): void;
}

export function createPrinting(send: (message: GuestMessage) => void): Printing {
  const gathered = createGatheredOutput((stream, text) => send({ type: "print", stream, text }), queueMicrotask);
  const overflow = createOverflow(send);
  let room = 0;
  const print: Printing["print"] = (stream, text) => {
    if (text.length > pieceLength) {
      for (let at = 0; at < text.length; at += pieceLength) print(stream, text.slice(at, at + pieceLength));
    } else if (room > 0) {
      room -= text.length;
      gathered.add(stream, text);
    } else {
      gathered.flush();
      overflow.add(stream, text);
    }
  };
  return {
    begin(bytes) {
      gathered.reset();
      room = bytes;
    },
    print,
    tell() {
      gathered.flush();
      overflow.tell();
    },
  };
}
