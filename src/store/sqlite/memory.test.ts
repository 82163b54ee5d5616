import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildKeeper, temporaryFolder } from "./start-keeper.fixture.ts";
import { openStore } from "./store.ts";

const valueIn = (entry: { readonly json: string } | undefined): unknown => entry && JSON.parse(entry.json);
/** How often a process is killed; more on a machine with time. */
const kills = Number(process.env["KILLS"] ?? 5);

describe("several processes", () => {
  let keeper: ReturnType<typeof buildKeeper>;
  beforeAll(() => {
    keeper = buildKeeper();
  });
  afterAll(() => keeper.remove());

  test("ten that add 1 to a counter, 100 times each, make it 1,000", async () => {
    const home = temporaryFolder();
    const children = Array.from({ length: 10 }, () => keeper.start("count", home));
    await Promise.all(children.map((child) => once(child.stdout, "data")));
    const exits = children.map((child) => once(child, "exit"));
    for (const child of children) child.stdin.write("go\n");
    expect(await Promise.all(exits)).toEqual(children.map(() => [0, null]));
    using store = openStore(home);
    expect(valueIn(await store.memory.get({ namespace: "default", key: "counter" }))).toBe(1000);
  });

  test(
    `of ${kills} that are killed while they write, every acknowledged value is there, and whole`,
    async () => {
      for (let kill = 0; kill < kills; kill++) {
        const home = temporaryFolder();
        const said = await keeper.killAfter("remember", home, Math.ceil(Math.random() * 400));
        const acknowledged = Number(said.at(-1));
        const started = performance.now();
        using store = openStore(home);
        expect(performance.now() - started).toBeLessThan(2000);
        const value = valueIn(await store.memory.get({ namespace: "default", key: "last" })) as {
          number: number;
          text: string;
        };
        expect([acknowledged, acknowledged + 1]).toContain(value.number);
        expect(value.text.length).toBe(value.number % 5000);
      }
    },
    60_000 + kills * 5000,
  );
});
