import { availableParallelism, loadavg } from "node:os";

/** So many milliseconds of an idle machine: more where others keep it busy, since their work is not an attack. */
export function patience(milliseconds: number): number {
  const [load = 0] = loadavg();
  return milliseconds * Math.max(1, load / availableParallelism());
}
