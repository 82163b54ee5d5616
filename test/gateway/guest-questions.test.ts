import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Connected, connect, createHome, server } from "./connect.ts";
import { serveHttp } from "./http-gateway.ts";

// Guests can have the user asked, by registry.add: only where the user has switched that on, one at a time, a few times.

const patience = { timeout: 20_000 };
const add = (name: string) => `registry.add("${name}", { command: "node", args: ["-e", "0"] })`;
const typescript = (call: string) => `import { registry } from "coordinator";\n${call}`;
const off =
  '"coordinator" has "registry" only with the toolset of that name (coordinator.toolsets, or serve --toolsets), which is off.';
const run = async (gateway: Pick<Connected, "call">, args: object) =>
  (await gateway.call("execute_code", { servers: [], ...args })).structuredContent as {
    status: string;
    result?: unknown;
    error?: { message: string };
  };

describe("without the toolset registry", () => {
  let gateway: Connected;
  beforeAll(async () => {
    gateway = await connect(createHome({}), { capabilities: { elicitation: {} } });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test.each([
    ["typescript", typescript(`await ${add("x")}`)],
    ["typescript", `import * as own from "coordinator";\nown.registry;`],
    ["python", 'from coordinator import registry\nregistry.add("x", command="node")'],
    ["python", 'import coordinator\ncoordinator.registry.add("x", command="node")'],
  ])("guests of %s cannot import it, and are told why: %s", async (language, code) => {
    const { status, error } = await run(gateway, { language, code });
    expect([status, error?.message]).toEqual(["check_failed", expect.stringContaining(off)]);
  });

  test("it is offered nowhere", async () => {
    const code =
      'const own: any = await import("coordinator"); [Object.keys(own).includes("memory"), own.registry ?? null]';
    expect(await run(gateway, { code })).toMatchObject({ result: [true, null] });
    const { contents } = await gateway.client.readResource({ uri: "coordinator://capabilities" });
    expect(JSON.stringify(contents)).not.toContain("registry.add");
  });
});

describe.each([
  ["before 2026-07-28", false],
  ["of 2026-07-28", true],
])("a client %s", (_name, modern) => {
  test("whose user does not answer keeps no other run waiting", async () => {
    const home = createHome({}, { toolsets: ["code", "registry"], sandbox: { limits: { parallelRuns: 3 } } });
    await using gateway = await serveHttp(home);
    let asked = 0;
    let answer = (_action: "accept" | "decline"): void => {};
    const decided = new Promise<"accept" | "decline">((resolve) => {
      answer = resolve;
    });
    const silent = await gateway.connect({
      modern,
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", async () => {
          asked++;
          return { action: await decided };
        }),
    });
    const waiting = ["a", "b", "c"].map((name) => run(silent, { code: typescript(`await ${add(name)}`), timeout: 5 }));
    await vi.waitFor(() => expect(asked).toBe(3), patience);
    expect(await run(silent, { code: "1 + 1", timeout: 5 })).toMatchObject({ status: "ok", result: 2 });
    await using other = await gateway.connect();
    expect(await run(other, { code: "1 + 1", timeout: 5 })).toMatchObject({ status: "ok", result: 2 });
    answer("decline");
    for (const ended of await Promise.all(waiting)) {
      expect([ended.status, ended.error?.message]).toEqual([
        "error",
        expect.stringContaining("the user did not agree"),
      ]);
    }
    await silent[Symbol.asyncDispose]();
  });

  test("is asked one question of a run at a time, and ten in all", async () => {
    const home = createHome({}, { toolsets: ["code", "registry"] });
    let asked = 0;
    let open = 0;
    let most = 0;
    await using gateway = await connect(home, {
      modern,
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", async () => {
          asked++;
          most = Math.max(most, ++open);
          await new Promise(setImmediate);
          open--;
          return { action: "decline" };
        }),
    });
    const wanted = modern ? 30 : 900;
    const code =
      typescript(`const all = Array.from({ length: ${wanted} }, (_, index) => ${add("x")}.catch((error) => error.message));
      const said = await Promise.all(all);
      [said.length, said.filter((text) => text.includes("the user did not agree")).length, said.at(-1)]`);
    const { result } = await run(gateway, { code });
    expect(result).toEqual([
      wanted,
      10,
      expect.stringContaining("this run has asked 10 times already, the most allowed"),
    ]);
    expect([asked, most]).toEqual([10, 1]);
  });
});

describe("while one run waits for an answer, with a single place for runs,", () => {
  const open = async () => {
    let answer = (): void => {};
    let asked = 0;
    const gate = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const asking = { ...server("asking-server", "legacy"), maxParallelCalls: 1 };
    const settings = { toolsets: ["code", "registry"], sandbox: { limits: { parallelRuns: 1 } } };
    const gateway = await connect(createHome({ asking }, settings), {
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", async () => {
          asked++;
          await gate;
          return { action: "decline" };
        }),
    });
    const waiting = () => vi.waitFor(() => expect(asked).toBe(1), patience);
    return { gateway, waiting, answer: () => answer() };
  };

  test("another run of its session waits for it, and both come to their end", async () => {
    const { gateway, waiting, answer } = await open();
    await using _gateway = gateway;
    const asking = run(gateway, {
      session: "s",
      code: typescript(`var kept = 1; await ${add("x")}.catch(() => kept)`),
    });
    await waiting();
    const behind = run(gateway, { session: "s", code: "kept + 1" });
    expect(await run(gateway, { code: "3" })).toMatchObject({ result: 3 });
    answer();
    expect(await Promise.all([asking, behind])).toMatchObject([{ result: 1 }, { result: 2 }]);
  });

  test("another run that waits for its server has the place, and both come to their end", async () => {
    const { gateway, waiting, answer } = await open();
    await using _gateway = gateway;
    const call = (tool: string) => `import * as asking from "mcp_tools/asking"; await asking.${tool}({ ms: 1 })`;
    const asking = run(gateway, { servers: ["asking"], code: call("form"), timeout: 20 });
    await waiting();
    const behind = run(gateway, { servers: ["asking"], code: call("wait"), timeout: 20 });
    answer();
    expect(await Promise.all([asking, behind])).toMatchObject([
      { result: { answer: { action: "decline" } } },
      { result: { waited: true } },
    ]);
  });
});
