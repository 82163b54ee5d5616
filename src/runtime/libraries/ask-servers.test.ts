import { expect, onTestFinished, test, vi } from "vitest";
import { askServers } from "./ask-servers.ts";
import type { KnownLibrary } from "./known-libraries.ts";

const listed = (server: string): KnownLibrary => ({
  library: { server, module: server, description: "", tools: [] },
  tools: new Map(),
  skipped: [],
});

test("four are asked at a time, answers come in the order asked, failures among them", async () => {
  let under = 0;
  let most = 0;
  const refresh = async (server: string) => {
    most = Math.max(most, ++under);
    // The later ones answer first.
    for (let turn = 0; turn < 20 - Number(server); turn++) await Promise.resolve();
    under--;
    if (server === "2") throw new Error("dead");
    return listed(server);
  };
  const names = Array.from({ length: 9 }, (_, index) => String(index));
  const told: string[] = [];
  const answers = await askServers({ refresh }, names, (message, count) =>
    told.push(`${count?.done}/${count?.total} ${message}`),
  );
  expect(most).toBe(4);
  expect(answers.map(({ server }) => server)).toEqual(names);
  expect(answers[2]).toMatchObject({ error: new Error("dead") });
  expect(answers[3]).toMatchObject({ listed: listed("3") });
  expect(told).toHaveLength(10);
  expect(told[0]).toBe("0/9 asking servers for their tools");
  expect(told).toContainEqual(expect.stringContaining("/9 2: failed"));
  expect(told.at(-1)).toMatch(/^9\/9 \d: 0 tools$/);
});

test("nobody to ask: nothing is told", async () => {
  const told: string[] = [];
  const answers = await askServers({ refresh: async (server) => listed(server) }, [], (message) => told.push(message));
  expect({ answers, told }).toEqual({ answers: [], told: [] });
});

test("those that do not answer hold up nobody for long, and no more than some are waited for", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: string[] = [];
  const answer = new Map<string, () => void>();
  const refresh = (server: string) => {
    asked.push(server);
    if (!server.startsWith("silent")) return Promise.resolve(listed(server));
    return new Promise<KnownLibrary>((resolve) => answer.set(server, () => resolve(listed(server))));
  };
  const silent = Array.from({ length: 50 }, (_, index) => `silent-${index}`);
  const asking = askServers({ refresh }, [...silent.slice(0, 8), "one", "two", ...silent.slice(8), "last"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toHaveLength(4);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toContain("two");
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(answer.size).toBe(32);
  expect(asked).not.toContain("last");
  while (!asked.includes("last")) {
    const [[server, resolve] = ["", () => {}]] = answer;
    answer.delete(server);
    resolve();
    await vi.advanceTimersByTimeAsync(4000);
  }
  for (const resolve of answer.values()) resolve();
  expect(await asking).toHaveLength(53);
});
