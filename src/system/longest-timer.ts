/** Milliseconds. Node's timers hold no more; a longer one fires at once. */
export const longestTimerMs = 2 ** 31 - 1;
