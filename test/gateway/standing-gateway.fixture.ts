import { pbkdf2Sync } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { Coordinator } from "../../src/app/coordinator.ts";
import { operationsOf, servicesOf } from "../../src/app/services-of.ts";
import { startWatchdog } from "../../src/cli/process/watchdog.ts";
import { onInterruption } from "../../src/cli/terminal/interruption.ts";
import { serveOnHttp } from "../../src/gateway/http/serve.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";

// A gateway over HTTP in which a search for some words stands still: `node <this> <configuration> <limits>`.

const [config = "", limits = ""] = process.argv.slice(2);
const coordinator = await Coordinator.open({ config });
const database = openDatabase(join(servicesOf(coordinator).config.home, "planted.db"));
database.execute("CREATE TABLE IF NOT EXISTS planted (name TEXT)");
const insert = (name: string) => database.run("INSERT INTO planted VALUES (?)", [name]);

const spin = (): never => {
  for (;;);
};
const ways: Readonly<Record<string, () => unknown>> = {
  "a loop": spin,
  "a loop after a wait": () => new Promise((resolve) => setTimeout(resolve, 50)).then(spin),
  "a pattern": () => /^(?:a+)+$/.test(`${"a".repeat(80)}b`),
  "native code": () => pbkdf2Sync("", "", 2_000_000_000, 64, "sha512"),
  "a transaction": () =>
    database.transaction(() => {
      insert("half");
      spin();
    }),
  "another transaction": () => database.transaction(() => insert("whole")),
};

for (const operation of operationsOf(coordinator).filter(({ name }) => name === "search_tools" || name === "search")) {
  operation.run = async ({ query }: { query: string }) => {
    await ways[query]?.();
    const rows = database.all<{ name: string }>("SELECT name FROM planted").map(({ name }) => name);
    return { data: { results: [], total: rows.length }, text: `rows: ${rows.join()}` };
  };
}

const stop = new AbortController();
onInterruption(() => stop.abort());
const gateway = await serveOnHttp(coordinator, { host: "127.0.0.1", port: 0, onError: () => {} });
startWatchdog(JSON.parse(limits));
process.stderr.write(`listening on ${gateway.url}\n`);
await once(stop.signal, "abort");
await Promise.all([gateway.close(), coordinator.close()]);
process.exit(0);
