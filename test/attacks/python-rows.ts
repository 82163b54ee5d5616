import { exhaustionRows } from "./python-exhaustion.ts";
import { formattingRows } from "./python-formatting-and-frames.ts";
import { harnessRows } from "./python-harness.ts";
import { kernelRows } from "./python-kernel.ts";
import { moduleRows } from "./python-modules-and-natives.ts";
import { objectGraphRows } from "./python-object-graph.ts";
import { pyodideRows } from "./python-pyodide.ts";
import type { Row } from "./row.ts";

/** Every Python row. */
export const pythonRows: readonly Row[] = [
  ...objectGraphRows,
  ...formattingRows,
  ...moduleRows,
  ...kernelRows,
  ...pyodideRows,
  ...harnessRows,
  ...exhaustionRows,
];
