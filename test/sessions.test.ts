import { beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { openCoordinator, ownServer } from "./open-coordinator.ts";

let coordinator: Coordinator;

beforeAll(async () => {
  coordinator = await openCoordinator({ mcpServers: { data: ownServer("data-server") } });
});

const languages = {
  typescript: {
    define: `import { customers } from "mcp_tools/data";
      interface Person { id: number }
      const { customers: people } = await customers();
      let seen = 0;
      function look(): number { return ++seen }
      class Box { constructor(readonly value: number) {} }
      people.length`,
    use: `const again: Person = { id: 1 }; look(); look();
      [(await customers()).customers.length, people.length, seen, new Box(3).value, again.id]`,
    wrongCall: "await customers({ colour: 1 }); slow()",
    foreign: "people",
    slow: 'import { slow } from "mcp_tools/data"; await slow({ ms: 5000 })',
    forever: "for (;;);",
  },
  python: {
    define: `from mcp_tools.data import customers
people = customers()["customers"]
seen = 0
def look():
    global seen
    seen += 1
    return seen
class Box:
    def __init__(self, value):
        self.value = value
len(people)`,
    use: `look(); look()
[len(customers()["customers"]), len(people), seen, Box(3).value, 1]`,
    wrongCall: "customers(colour=1)",
    foreign: "people",
    slow: "from mcp_tools.data import slow\nslow(ms=5000)",
    forever: "while True: pass",
  },
} as const;

describe.each(["typescript", "python"] as const)("a session in %s", (language) => {
  const code = languages[language];
  const run = (source: string, session: string | undefined, timeoutSeconds?: number) =>
    coordinator.execute({ language, code: source, session, timeoutSeconds });

  test("keeps variables, imports and definitions between runs", async () => {
    expect(await run(code.define, "kept")).toMatchObject({ status: "ok", result: 100 });
    expect(await run(code.use, "kept")).toMatchObject({ status: "ok", result: [100, 100, 2, 3, 1] });
    expect(await run(code.use, "kept")).toMatchObject({ status: "ok", result: [100, 100, 4, 3, 1] });
  });

  test("checks calls of what an earlier run imported", async () => {
    await run(code.define, "checked");
    const { status, error } = await run(code.wrongCall, "checked");
    expect(status).toBe("check_failed");
    expect(error?.message).toContain("colour");
  });

  test("sees nothing of another one, nor of none", async () => {
    await run(code.define, "mine");
    expect(await run(code.foreign, "yours")).toMatchObject({ status: "check_failed" });
    expect(await run(code.foreign, undefined)).toMatchObject({ status: "check_failed" });
    const unchecked = await coordinator.execute({ language, code: code.foreign, session: "yours", check: false });
    expect(unchecked).toMatchObject({ status: "error" });
  });

  test("that is lost says so, and starts again", async () => {
    await run(code.define, "lost");
    const { status, error } = await run(code.forever, "lost", 1);
    expect(status).toBe("timeout");
    expect(error?.hint).toContain('The session "lost" ended with this run; all that it held is gone.');
    expect(await run(code.foreign, "lost")).toMatchObject({ status: "check_failed" });
    expect(await run(code.define, "lost")).toMatchObject({ status: "ok" });
  });

  test("ends on request", async () => {
    await run(code.define, "asked");
    expect(await coordinator.run("list_sessions", {})).toContainEqual({ name: "asked", language });
    expect(await coordinator.run("end_session", { name: "asked", language })).toEqual({
      name: "asked",
      ended: [language],
    });
    expect(await run(code.foreign, "asked")).toMatchObject({ status: "check_failed" });
    await expect(coordinator.run("end_session", { name: "nobody" })).rejects.toMatchObject({ code: "session_lost" });
  });

  test("is neither listed nor ended by another client", async () => {
    await run(code.define, "private");
    const other = { caller: { id: "other", capabilities: {}, ask: () => Promise.reject(new Error("nobody")) } };
    expect(await coordinator.run("list_sessions", {}, other)).toEqual([]);
    await expect(coordinator.run("end_session", { name: "private" }, other)).rejects.toMatchObject({
      code: "session_lost",
      hint: "There are no sessions.",
    });
    expect(await run(code.foreign, "private")).toMatchObject({ status: "ok" });
  });

  test("can be ended from inside, and only itself", async () => {
    await run(code.define, "other");
    await run(code.define, "inside");
    const leave =
      language === "python"
        ? "from coordinator import session\nsession.end()"
        : 'import { session } from "coordinator"; await session.end({})';
    expect(await run(leave, "inside")).toMatchObject({ status: "ok", result: { ended: true } });
    expect(await run(code.foreign, "inside")).toMatchObject({ status: "check_failed" });
    expect(await run(code.foreign, "other")).toMatchObject({ status: "ok" });
  });

  test("outlives a run that failed", async () => {
    await run(code.define, "tough");
    expect(await run(language === "python" ? "raise ValueError(1)" : "throw new Error('1')", "tough")).toMatchObject({
      status: "error",
    });
    expect(await run(code.use, "tough")).toMatchObject({ status: "ok" });
  });
});
