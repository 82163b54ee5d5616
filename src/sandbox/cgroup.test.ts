import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openGuestGroups } from "./cgroup.ts";

// For real where this system lets us; elsewhere there is nothing to test but that it says so.

const limits = {
  memoryMb: 16,
  cpuSeconds: 20,
  processes: 8,
  openFiles: 64,
  scratchMb: 8,
  outputBytes: 100_000,
  toolCalls: 100,
  parallelToolCalls: 4,
};
const groups = await openGuestGroups(limits);

afterAll(() => groups?.remove());

/** Runs a shell script inside the groups of a guest. */
function runInside(name: string, script: string) {
  const joined = (groups?.folders ?? []).map((folder) => join(folder, name, "cgroup.procs"));
  const enter = 'while [ "$1" != -- ]; do echo 0 > "$1"; shift; done; shift; eval "$1"';
  return spawnSync("/bin/sh", ["-c", enter, "inside", ...joined, "--", script], { encoding: "utf8", timeout: 20_000 });
}

test.runIf(groups === undefined)("a guest has control groups where the system lets us make them", ({ skip }) =>
  skip("control groups: this system lets us make none"),
);

describe.runIf(groups)("control groups", () => {
  if (!groups) return;

  test("end what takes more memory than a guest may, and say so", () => {
    groups.open("big");
    expect(groups.ranOutOfMemory("big")).toBe(false);
    const { signal } = runInside("big", `exec /usr/bin/python3 -c "x = b'x' * 200_000_000"`);
    expect(signal).toBe("SIGKILL");
    expect(groups.ranOutOfMemory("big")).toBe(true);
    groups.close("big");
  });

  test("refuse more processes than a guest may have", () => {
    groups.open("many");
    const { stdout, stderr } = runInside(
      "many",
      'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 0.2 & done; wait; echo "not refused"',
    );
    expect(stdout).not.toContain("not refused");
    expect(stderr.toLowerCase()).toContain("fork");
    groups.close("many");
  });

  test("of guests that have ended are removed", () => {
    groups.open("short");
    const places = groups.folders.map((folder) => join(folder, "short"));
    expect(places.every((place) => existsSync(place))).toBe(true);
    runInside("short", "true");
    groups.close("short");
    expect(places.filter((place) => existsSync(place))).toEqual([]);
  });

  test("of coordinators that are gone are removed at the next start", async () => {
    const dead = spawnSync("/bin/true").pid;
    const stale = groups.folders.map((folder) => join(dirname(folder), `mcp-coordinator-${dead}-1`));
    for (const folder of stale) mkdirSync(join(folder, "1-0"), { recursive: true });
    await (await openGuestGroups(limits))?.remove();
    expect(stale.filter((folder) => existsSync(folder))).toEqual([]);
    expect(groups.folders.every((folder) => existsSync(folder))).toBe(true);
  });

  test("leave nothing behind", async () => {
    groups.open("left");
    await groups.remove();
    expect(groups.folders.filter((folder) => existsSync(folder))).toEqual([]);
  });
});
