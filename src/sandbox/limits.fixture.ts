import type { Limits } from "./engine.ts";

/** Limits that tests of engines can reach quickly. */
export const testLimits: Limits = {
  memoryMb: 128,
  cpuSeconds: 20,
  processes: 32,
  openFiles: 128,
  scratchMb: 8,
  outputBytes: 100_000,
  toolCalls: 100,
  parallelToolCalls: 4,
};
