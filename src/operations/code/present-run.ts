import type { Config } from "../../config/load.ts";
import { dataOf, noticesOf, type RunResult } from "../../runtime/results/run-result.ts";
import type { Presented } from "../operation.ts";

/** A run as every operation that makes one presents it; its text is its data where the configuration says so. */
export function presentRun(run: RunResult, text: string, format?: Config["output"]["format"]): Presented {
  const data = dataOf(run);
  return {
    data,
    text: format === "json" ? JSON.stringify(data) : text,
    artifacts: run.artifacts,
    attached: run.attached,
    notices: noticesOf(run),
    failed: run.status !== "ok",
  };
}
