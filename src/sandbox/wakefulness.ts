/** Longer than the gap between a guest's call and what follows it, short enough not to matter for the machine. */
const awakeMs = 0.5;

/**
 * Keeps this process from falling asleep for a moment after `stir`: an idle core takes about as long to wake up as a
 * whole tool call takes, and a guest that calls one tool after another would pay that several times a call.
 */
export function createWakefulness(): { stir(): void } {
  let until = 0;
  let isWatching = false;
  const watch = (): void => {
    if (performance.now() < until) setImmediate(watch);
    else isWatching = false;
  };
  return {
    stir() {
      until = performance.now() + awakeMs;
      if (isWatching) return;
      isWatching = true;
      setImmediate(watch);
    },
  };
}
