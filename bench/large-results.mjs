// Large results: rows as one JSON text into a guest, until it has them as values, against a client that receives the line and
// parses it and the text in it. With the host's peak memory.
import { fileURLToPath } from "node:url";
import { executeCode, install } from "./gateway.mjs";
import { median, rest, roundsOr, takeTurns, timedRested } from "./measure.mjs";
import { forgetPeak, peakMegabytes } from "./processes.mjs";
import { connectRaw } from "./raw-client.mjs";
import { contestRow, printWhenAlone } from "./report.mjs";
import { rowsIn } from "./rows.mjs";

const sizes = [1, 5, 20, 55];
const goals = { 20: 1.4 };
const languages = { typescript: "TypeScript", python: "Python" };
const rowsServer = {
  command: process.execPath,
  args: [fileURLToPath(new URL("rows-server.mjs", import.meta.url))],
};

const guests = (megabytes) => ({
  typescript: `
    import { rows } from "mcp_tools/rows";
    const started = performance.now();
    const table = await rows({ megabytes: ${megabytes} });
    [performance.now() - started, table.length];`,
  python: `
import time
from mcp_tools.rows import rows
started = time.perf_counter()
table = rows(megabytes=${megabytes})
[(time.perf_counter() - started) * 1000, len(table)]`,
});

export async function measure() {
  const rows = [];
  for (const megabytes of sizes) rows.push(...(await measureSize(megabytes)));
  return rows;
}

/** With a gateway of its own: its memory is what this size has made it. */
async function measureSize(megabytes) {
  const installation = await install(() => ({ rows: rowsServer }));
  const [gateway, raw] = await Promise.all([installation.start(), connectRaw(rowsServer)]);
  const peaks = { typescript: [], python: [] };
  const run = (language) => async () => {
    await rest();
    forgetPeak(gateway.pid);
    const [time, length] = await executeCode(gateway, guests(megabytes)[language], language);
    if (length !== rowsIn(megabytes)) throw new Error(`The guest has ${length} rows`);
    peaks[language].push(peakMegabytes(gateway.pid));
    return time;
  };
  try {
    const samples = await takeTurns(
      {
        raw: () => timedRested(async () => JSON.parse((await raw.callTool("rows", { megabytes })).content[0].text)),
        typescript: run("typescript"),
        python: run("python"),
      },
      roundsOr(5),
    );
    return Object.entries(languages).map(([language, name]) =>
      contestRow({
        what: `${megabytes} MB of rows into a guest, ${name}`,
        ours: samples[language],
        floor: samples.raw,
        floorName: "raw client",
        goal: goals[megabytes],
        notes: [`host's peak RSS ${median(peaks[language]).toFixed(0)} MB`],
      }),
    );
  } finally {
    await Promise.all([gateway.close(), raw.close()]);
    await installation.remove();
  }
}

await printWhenAlone(import.meta.url, measure);
