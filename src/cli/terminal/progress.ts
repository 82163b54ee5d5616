import type { OnProgress } from "../../actor.ts";
import { plainLine } from "../../catalog/plain-text.ts";

/** Where progress is shown: a terminal gets a bar that redraws itself, anything else a line each time. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const barWidth = 24;
const clearLine = "\r\u001b[2K";

/** Shows how far the work is, and leaves nothing of it on a terminal. Silent where only data is wanted. */
export async function withProgress<Result>(
  { json, stream = process.stderr }: { readonly json?: boolean | undefined; readonly stream?: ProgressStream },
  work: (onProgress: OnProgress) => Promise<Result>,
): Promise<Result> {
  if (json) return work(() => {});
  if (!stream.isTTY) return work((message, count) => stream.write(`${counted(count)}${plainLine(message, 200)}\n`));
  const draw: OnProgress = (message, count) => {
    const line = `${count ? `${bar(count)} ` : ""}${counted(count)}${plainLine(message, 200)}`;
    stream.write(`${clearLine}${line.slice(0, (stream.columns || 80) - 1)}`);
  };
  try {
    return await work(draw);
  } finally {
    stream.write(clearLine);
  }
}

type Count = Parameters<OnProgress>[1];

function counted(count: Count): string {
  return count ? `${count.done}/${count.total} ` : "";
}

function bar({ done, total }: NonNullable<Count>): string {
  const filled = total === 0 ? barWidth : Math.round((barWidth * done) / total);
  return `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}]`;
}
