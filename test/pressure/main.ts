import { parseArgs } from "node:util";
import { transports } from "./gateway-under-pressure.ts";
import { recipes } from "./hostile-inputs.ts";
import { pressSide, type Side, sides } from "./press-side.ts";

/** The whole suite, or a part of it, as a table; the number of failures is the exit code's reason. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      side: { type: "string" },
      transport: { type: "string" },
      only: { type: "string" },
      input: { type: "string" },
      "per-field": { type: "string" },
      seed: { type: "string", default: "1" },
    },
  });
  const began = performance.now();
  let failures = 0;
  console.log(`${recipes.length} sorts of inputs, seed ${values.seed}`);
  for (const side of sides.filter((known) => values.side === undefined || known === (values.side as Side))) {
    for (const transport of transports.filter(
      (known) => values.transport === undefined || known === values.transport,
    )) {
      const report = await pressSide(side, transport, {
        seed: Number(values.seed),
        ...(values.only !== undefined && { only: values.only }),
        ...(values.input !== undefined && { input: values.input }),
        ...(values["per-field"] !== undefined && { perField: Number(values["per-field"]) }),
        onFailure: (failure) => console.log(`FAILED ${failure.slice(0, 500)}`),
      });
      failures += report.failures.length;
      const { name, operations, fields, shots, pings, slowestIdleMs, slowestMs, grownMb } = report;
      console.log(
        `${name}: ${operations} operations, ${fields} fields, ${shots} inputs, ${pings} pings; the slowest ping waited ` +
          `${Math.round(slowestIdleMs)} ms idle, ${Math.round(slowestMs)} ms under pressure; ` +
          `memory grew by ${Math.round(grownMb)} MB; ${report.failures.length} failures`,
      );
    }
  }
  console.log(`${failures} failures, ${Math.round((performance.now() - began) / 1000)} s`);
  return failures > 0 ? 1 : 0;
}
