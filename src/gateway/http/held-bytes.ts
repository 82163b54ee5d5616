/** Bytes that one client has us hold. */
export interface Hold {
  /** Counts more bytes, or fewer. */
  add(bytes: number): void;
  /** Nothing is held from now on. */
  release(): void;
}

export interface HeldBytes {
  /** Begins with nothing; `giveUp` is called when others need the room. */
  hold(giveUp: () => void): Hold;
  readonly total: number;
}

interface Limits {
  /** What all may hold together; beyond it, the one that has stood still for longest has to go. */
  readonly most: number;
  /** Whoever holds no more than this never has to go; a thousand connections hold 64 MB of it. */
  readonly small?: number;
}

/** What clients make us hold, together: a client that stands still gives way to those that move. */
export function createHeldBytes({ most, small = 64 * 1024 }: Limits): HeldBytes {
  /** Those that hold something; the one that moved last is last. */
  const held = new Map<Hold, { bytes: number; giveUp(): void }>();
  let total = 0;

  const makeRoom = (mover: Hold): void => {
    for (const [hold, { bytes, giveUp }] of held) {
      if (total <= most) return;
      if (hold === mover || bytes <= small) continue;
      hold.release();
      giveUp();
    }
  };
  return {
    hold(giveUp) {
      const own = { bytes: 0, giveUp };
      let isOver = false;
      const hold: Hold = {
        add(bytes) {
          if (isOver) return;
          own.bytes += bytes;
          total += bytes;
          held.delete(hold);
          if (own.bytes > 0) held.set(hold, own);
          makeRoom(hold);
        },
        release() {
          isOver = true;
          total -= own.bytes;
          own.bytes = 0;
          held.delete(hold);
        },
      };
      return hold;
    },
    get total() {
      return total;
    },
  };
}
