import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createHome, processesUnder, server } from "./connect.ts";
import { serveHttp } from "./http-gateway.ts";

// bench/clients.mjs does the same with 50 clients and 20 runs each, and with times.

test("sixteen clients at once: every run is answered, to the one who asked for it, and nothing piles up", async () => {
  await using gateway = await serveHttp(createHome({ data: server("data-server") }, limits(4)));
  const clients = await Promise.all(
    Array.from({ length: 16 }, (_, index) => gateway.connect({ modern: index % 3 === 0, name: `client ${index}` })),
  );
  let most = 0;
  let isOver = false;
  const watched = (async () => {
    while (!isOver) {
      most = Math.max(most, processesUnder(gateway.child.pid as number).length);
      await delay(250);
    }
  })();
  const answers = await Promise.all(
    clients.map(async (connected, index) => {
      const results: unknown[] = [];
      for (let turn = 0; turn < 2; turn++) {
        const code = `import { customers } from "mcp_tools/data"; const all = await customers(); [${index}, ${turn}, all.customers.length]`;
        results.push((await connected.call("execute_code", { code })).structuredContent["result"]);
      }
      return results;
    }),
  );
  isOver = true;
  await watched;
  expect(answers).toEqual(clients.map((_, index) => [0, 1].map((turn) => [index, turn, 100])));
  // Four runs and what waits for the next; each has a process of its own, and one for its sandbox.
  expect(most).toBeLessThan(50);
  await Promise.all(clients.map((connected) => connected[Symbol.asyncDispose]()));
});

test("a client that asks for very much does not keep another from its turn", async () => {
  await using gateway = await serveHttp(createHome({}, limits(1)));
  await using eager = await gateway.connect();
  await using modest = await gateway.connect({ modern: true });
  await eager.call("execute_code", { code: "1" });
  const ended: string[] = [];
  const run = async (connected: typeof eager, name: string) => {
    const { structuredContent } = await connected.call("execute_code", { code: `"${name}"` });
    expect(structuredContent).toMatchObject({ status: "ok", result: name });
    ended.push(name);
  };
  const many = Array.from({ length: 20 }, (_, index) => run(eager, `eager ${index}`));
  while (ended.length === 0) await delay(5);
  await run(modest, "modest");
  // Its turn comes after the run that is under way, and at most one more that was about to begin.
  const before = ended.indexOf("modest");
  expect(before).toBeLessThan(10);
  expect(before).toBeGreaterThan(0);
  await Promise.all(many);
});

function limits(parallelRuns: number) {
  return { sandbox: { limits: { parallelRuns } } };
}
