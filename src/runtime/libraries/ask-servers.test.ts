import { expect, test } from "vitest";
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
