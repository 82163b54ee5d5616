import { describe, expect, test } from "vitest";
import { showRun } from "../src/runtime/results/run-result.ts";
import { openCoordinator } from "./open-coordinator.ts";

const coordinator = await openCoordinator({ coordinator: { sandbox: { limits: { outputBytes: 5_000_000 } } } });

const programs = {
  typescript: {
    prints: (megabytes: number) =>
      `var kept = 1; for (let i = 0; i < ${megabytes} * 10_000; i++) console.log(String(i).padStart(99, "."));`,
    goesOn: "kept + 1",
    rows: (count: number) => `Array.from({ length: ${count} }, (_, id) => ({ id, name: "someone" }))`,
    lines: (uri: string) =>
      `import { artifacts } from "coordinator"; (await artifacts.lines(${JSON.stringify(uri)}, { from: 30_000 })).lines`,
    row: (uri: string) =>
      `import { artifacts } from "coordinator"; await artifacts.json(${JSON.stringify(uri)}, { offset: 99_999 })`,
  },
  python: {
    prints: (megabytes: number) => `kept = 1\nfor i in range(${megabytes} * 10_000): print(str(i).rjust(99, "."))`,
    goesOn: "kept + 1",
    rows: (count: number) => `[{"id": id, "name": "someone"} for id in range(${count})]`,
    lines: (uri: string) =>
      `from coordinator import artifacts\nartifacts.lines(${JSON.stringify(uri)}, from_=30_000)["lines"]`,
    row: (uri: string) => `from coordinator import artifacts\nartifacts.json(${JSON.stringify(uri)}, offset=99_999)`,
  },
};

describe.each(["typescript", "python"] as const)("in %s", (language) => {
  const { prints, goesOn, rows, lines, row } = programs[language];
  const execute = (code: string, session?: string) =>
    coordinator.execute({ language, code, ...(session && { session }) });

  test("what is printed beyond the budget is whole in an artifact, and the session goes on", async () => {
    const run = await execute(prints(3), "long");
    expect(run.status).toBe("ok");
    const uri = `artifact://${run.run}/stdout.txt`;
    expect(run.truncated).toEqual([
      { of: "stdout", shown: expect.any(Number), total: 3_000_000, unit: "characters", artifact: uri },
    ]);
    expect(run.stdout).toMatch(/^\.+0\n/);
    expect(run.stdout).toMatch(/\.29999\n$/);
    expect(showRun(run)).toContain(
      `of 3000000 characters shown; whole in ${uri}, read it with artifacts.lines(uri, { from, limit }), in Python lines(uri, from_=1, limit=100), or artifacts.read(uri) from "coordinator"]`,
    );
    expect((await execute(goesOn, "long")).result).toBe(2);
    expect((await execute(lines(uri))).result).toEqual([{ number: 30_000, text: "29999".padStart(99, ".") }]);
  });

  test.each([undefined, "beyond"])(
    "what is beyond outputBytes is dropped, counted and told, and the run goes on (session %s)",
    async (session) => {
      const run = await execute(`${prints(9)}\n${goesOn}`, session);
      expect([run.status, run.result]).toEqual(["ok", 2]);
      const setting = "coordinator.sandbox.limits.outputBytes";
      expect(run.truncated).toMatchObject([
        { total: 9_000_000, dropped: { count: 4_000_000, unit: "bytes", setting } },
      ]);
      expect(run.stdout).toMatch(/\.89999\n$/);
      const text = showRun(run);
      expect(text).toContain(`all but the last 4000000 bytes in artifact://${run.run}/stdout.txt, read it with`);
      expect(text).toContain("; the last 4000000 bytes were dropped (coordinator.sandbox.limits.outputBytes)]");
      expect(text).not.toContain("whole in");
      if (session) expect(await execute(prints(1), session)).toMatchObject({ truncated: [{ total: 1_000_000 }] });
    },
  );

  test("both streams share what may be kept, and each has its own end", async () => {
    const complains = {
      typescript: `${prints(6)}\nfor (let i = 0; i < 3; i++) console.error("é", i);`,
      python: `import sys\n${prints(6)}\nfor i in range(3): print("é", i, file=sys.stderr)`,
    };
    const run = await execute(complains[language]);
    expect(run.stderr).toBe("é 0\né 1\né 2\n");
    expect(run.stdout).toMatch(/\.59999\n$/);
    expect(run.truncated).toMatchObject([{ of: "stdout", total: 6_000_000, dropped: { count: 1_000_000 } }]);
  });

  test("a long result is whole in an artifact, and its start in the answer", async () => {
    const run = await execute(rows(100_000), "rows");
    expect(run.status).toBe("ok");
    const uri = `artifact://${run.run}/result.json`;
    expect(run.truncated).toEqual([
      { of: "result", shown: (run.result as unknown[]).length, total: 100_000, unit: "items", artifact: uri },
    ]);
    expect((run.result as unknown[])[1]).toEqual({ id: 1, name: "someone" });
    expect((await execute(row(uri), "rows")).result).toEqual([{ id: 99_999, name: "someone" }]);
  });

  test("of a result beyond outputBytes the leading items are kept, and the answer says how many are not", async () => {
    const run = await execute(rows(400_000));
    expect(run.status).toBe("ok");
    const [{ artifact = "", dropped } = {}] = run.truncated ?? [];
    const kept = 400_000 - (dropped?.count ?? 0);
    expect([dropped?.unit, kept > 100_000 && kept < 400_000]).toEqual(["items", true]);
    const last = `offset${language === "python" ? "=" : ": "}${kept - 1}`;
    const again = row(artifact).replace(/offset[=:] ?99_999/, last);
    expect((await execute(again)).result).toEqual([{ id: kept - 1, name: "someone" }]);
    expect(showRun(run)).toContain(
      `all but the last ${dropped?.count} items in ${artifact}, read it with artifacts.json`,
    );
  });
});

test("errors keep what was printed before them", async () => {
  const run = await coordinator.execute({ code: `${programs.typescript.prints(3)}\nthrow new Error("late");` });
  expect([run.status, run.error?.message, run.truncated?.[0]?.artifact]).toEqual([
    "error",
    "late",
    `artifact://${run.run}/stdout.txt`,
  ]);
});
