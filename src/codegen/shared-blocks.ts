/** A text in pieces, some of which may stand in it, or in other texts, again. */
export type Pieces = readonly (string | Block)[];

export interface Block {
  /** All of it. */
  readonly text: string;
  readonly pieces: Pieces;
  /** What it could be called. */
  readonly hint: string;
  /** Whether it is several, joined by a sign. */
  readonly isJoined: boolean;
  /** Whether it stands in brackets here, unless it is named. */
  readonly isBracketed?: boolean;
}

export function block(hint: string, pieces: Pieces, isJoined = false): Block {
  return { text: textOf(pieces), pieces, hint, isJoined };
}

export function textOf(pieces: Pieces): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
}

/** The texts with a name wherever a block stands that is long and stands there more than once; and what the names mean. */
export function shareBlocks(
  texts: readonly Pieces[],
  { least, nameFor }: { readonly least: number; nameFor(hint: string): string },
): { readonly texts: readonly string[]; readonly meanings: ReadonlyMap<string, string> } {
  const candidates = blocksIn(texts, least);
  for (;;) {
    const uses = countUses(texts, candidates);
    const once = [...candidates.keys()].filter((text) => (uses.get(text) ?? 0) < 2);
    if (once.length === 0) break;
    // What stands twice only because something around it does is written out there.
    for (const text of once) candidates.delete(text);
  }
  const names = new Map([...candidates].map(([text, { hint }]) => [text, nameFor(hint)]));
  const write = (pieces: Pieces): string => pieces.map(writeOne).join("");
  const writeOne = (piece: Pieces[number]): string => {
    if (typeof piece === "string") return piece;
    const name = names.get(piece.text);
    if (name !== undefined) return name;
    return piece.isBracketed ? `(${write(piece.pieces)})` : write(piece.pieces);
  };
  return {
    texts: texts.map(write),
    meanings: new Map([...candidates].map(([text, { pieces }]) => [names.get(text) ?? "", write(pieces)])),
  };
}

function blocksIn(texts: readonly Pieces[], least: number): Map<string, Block> {
  const found = new Map<string, Block>();
  const visit = (pieces: Pieces): void => {
    for (const piece of pieces) {
      if (typeof piece === "string" || piece.text.length < least) continue;
      found.set(piece.text, found.get(piece.text) ?? piece);
      visit(piece.pieces);
    }
  };
  for (const pieces of texts) visit(pieces);
  return found;
}

/** How often each would be named: in the texts, and in what the others mean. */
function countUses(texts: readonly Pieces[], candidates: ReadonlyMap<string, Block>): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const visit = (pieces: Pieces): void => {
    for (const piece of pieces) {
      if (typeof piece === "string") continue;
      if (candidates.has(piece.text)) uses.set(piece.text, (uses.get(piece.text) ?? 0) + 1);
      else visit(piece.pieces);
    }
  };
  for (const pieces of texts) visit(pieces);
  for (const { text, pieces } of candidates.values()) if (uses.has(text)) visit(pieces);
  return uses;
}
