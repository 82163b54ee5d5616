import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "./store.ts";

afterEach(() => vi.useRealTimers());

const info = { name: "files", version: "1.0" };
const tools = [{ name: "read" }, { name: "write\0\ud800'; --", description: "__proto__" }];

test("summaries do not parse the tools", async () => {
  const { catalogs, path } = open();
  await catalogs.write("a", { tools, info });
  const database = new Libsql(path);
  database.exec("UPDATE catalogs SET tools = 'not JSON'");
  database.close();
  expect((await catalogs.summaries(["a"])).get("a")?.toolCount).toBe(2);
  await expect(catalogs.read(["a"])).rejects.toThrow(SyntaxError);
});

test("an entry that is touched or written again is not pruned; touching does not change when it was fetched", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
  const { catalogs, prune } = open();
  for (const identity of ["touched", "written", "unused"]) await catalogs.write(identity, { tools, info });
  vi.setSystemTime(days(60));
  await catalogs.touch(["touched", "unknown"]);
  await catalogs.write("written", { tools: [], info });
  vi.setSystemTime(days(91));
  expect(await prune()).toEqual({ runs: 0, catalogs: 1 });
  expect(await catalogs.summaries(["touched", "written", "unused"])).toEqual(
    new Map([
      ["touched", { toolCount: 2, info, fetchedAt: 0 }],
      ["written", { toolCount: 0, info, fetchedAt: days(60) }],
    ]),
  );
});

function days(count: number): number {
  return count * 24 * 60 * 60 * 1000;
}

function open() {
  const home = mkdtempSync(join(tmpdir(), "catalogs-"));
  const store = openStore(home);
  onTestFinished(() => {
    store.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { ...store, path: join(home, "coordinator.db") };
}
