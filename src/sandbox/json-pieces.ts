/** JSON text in pieces, which are made while it is sent: the whole of it is never held. To be gone through once. */
export class JsonPieces {
  /** Of all pieces together, in bytes. */
  readonly length: number;
  readonly pieces: Iterable<Uint8Array>;

  constructor(length: number, pieces: Iterable<Uint8Array>) {
    this.length = length;
    this.pieces = pieces;
  }
}

/** JSON text that is there already, whole: it is passed on as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
