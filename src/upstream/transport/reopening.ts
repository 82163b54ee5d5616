const quickMs = 5000;
const firstMs = 1000;
const longestAskedMs = 60 * 60_000;

/** When to open an event stream again that has ended. */
export interface Reopening {
  /** The stream is being opened. */
  onOpen(): void;
  /** Milliseconds to wait, where the server asks for so many. */
  delay(askedMs: number): number;
}

/**
 * The server says how long to wait, and is believed once. While its streams end within seconds, the wait is a second at
 * least and twice as long each time, up to `longestMs`.
 */
export function createReopening(longestMs: number): Reopening {
  let openedAt = performance.now();
  let quickEnds = 0;
  return {
    onOpen() {
      openedAt = performance.now();
    },
    delay(askedMs) {
      quickEnds = performance.now() - openedAt < quickMs ? quickEnds + 1 : 0;
      const least = quickEnds < 2 ? 0 : Math.min(longestMs, firstMs * 2 ** (quickEnds - 2));
      return Math.max(least, Math.min(askedMs, longestAskedMs));
    },
  };
}
