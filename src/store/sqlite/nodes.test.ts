import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../../test/bundle-program.ts";
import { openDatabase } from "./database.ts";
import { temporaryFolder } from "./start-keeper.fixture.ts";
import { openStore } from "./store.ts";

const folder = fileURLToPath(new URL(`../../../node_modules/.tmp/holder-${process.pid}`, import.meta.url));
const program = join(folder, "holder.mjs");
beforeAll(() => bundleProgram(new URL("./holder.fixture.ts", import.meta.url), program));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As in a container: its own ids of processes, and the same files. */
const apart = ["--pid", "--fork", "--kill-child", "--mount-proc"];
const canPartProcesses = spawnSync("unshare", [...apart, "true"]).status === 0;

test.skipIf(!canPartProcesses)("two containers on one data folder do not take each other for dead", async () => {
  const home = temporaryFolder();
  const held = await start("unshare", [...apart, process.execPath, program, home]);
  using store = openStore(home);
  expect(await store.journal.getRun("held")).toMatchObject({ status: "running" });
  expect(logs(home)).toHaveLength(1);
  expect(await store.journal.isUnderWay("held")).toBe(true);

  await kill(held);
  expect(await store.journal.getRun("held")).toMatchObject({ status: "running" });
  forgetAll(home);
  expect(await store.journal.getRun("held")).toMatchObject({ status: "lost" });
  using next = openStore(home);
  expect(logs(home)).toEqual([]);
  const { toolCalls } = (await next.journal.getRun("held")) ?? {};
  expect(toolCalls).toMatchObject([{ tool: "act", outcome: "unknown" }]);
});

test("on one machine a process that was killed is known to be dead at once", async () => {
  const home = temporaryFolder();
  const held = await start(process.execPath, [program, home]);
  using store = openStore(home);
  expect(await store.journal.getRun("held")).toMatchObject({ status: "running" });
  await kill(held);
  expect(await store.journal.getRun("held")).toMatchObject({ status: "lost" });
});

async function start(command: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** As if a minute had passed in which nobody was heard of. */
function forgetAll(home: string): void {
  const database = openDatabase(join(home, "coordinator.db"));
  database.execute("UPDATE nodes SET seen_at = seen_at - 60000");
  database.close();
}

function logs(home: string): string[] {
  return readdirSync(home).filter((name) => name.startsWith("calls-"));
}
