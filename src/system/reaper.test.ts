import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { bundle, isAlive, survivors } from "../upstream/test-servers.fixture.ts";
import { guardProcessGroup } from "./reaper.ts";

/** Starts three processes that ignore SIGTERM, guards them, takes one of the guards back, and prints their pids. */
const program = bundle(
  `
  import { spawn } from "node:child_process";
  import { once } from "node:events";
  import { guardProcessGroup } from "./reaper.ts";
  const children = [1, 2, 3].map(() =>
    spawn("/bin/sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 1; done"], { detached: true, stdio: ["ignore", "pipe", "ignore"] }),
  );
  await Promise.all(children.map(({ stdout }) => once(stdout, "data")));
  const [, release] = children.map(({ pid }) => guardProcessGroup(pid));
  release();
  console.log(JSON.stringify(children.map(({ pid }) => pid)));
  setInterval(() => {}, 1000);
`,
  import.meta.url,
);

afterAll(() => rmSync(program));

/** Of that process only: other tests have reapers too. */
const reapersOf = (parent: number | undefined) =>
  execFileSync("ps", ["-eo", "ppid=,pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("mcp-coordinator-reaper"))
    .map((line) => line.trim().split(/ +/).map(Number))
    .flatMap(([owner, pid = 0]) => (owner === parent ? [pid] : []));

test.runIf(process.platform !== "win32")(
  "the groups that are guarded when we are killed end, and no other; the reaper outlives the signals of a terminal",
  async () => {
    const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const [first, released, third] = JSON.parse(line) as [number, number, number];
    const ours = reapersOf(child.pid);
    expect(ours).toHaveLength(1);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) for (const pid of ours) process.kill(pid, signal);
    child.kill("SIGKILL");
    expect(await survivors([first, third], 2000)).toEqual([]);
    expect(isAlive(released)).toBe(true);
    process.kill(-released, "SIGKILL");
    expect(await survivors(ours, 2000)).toEqual([]);
  },
);

test.each([0, 1, -1, 1.5, Number.NaN])("%d is not a group that may be signalled", (group) => {
  expect(() => guardProcessGroup(group)).toThrow(RangeError);
});
