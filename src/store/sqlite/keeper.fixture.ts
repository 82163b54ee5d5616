import { once } from "node:events";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { CoordinatorError } from "../../errors.ts";
import { createArtifacts } from "../files/artifacts.ts";
import { openStore } from "./store.ts";

/** A coordinator for tests that keeps things, as a process of its own: `node keeper.fixture.mjs <job> <home>`. */
const [, , job, home = ""] = process.argv;

const jobs: Record<string, () => Promise<void>> = {
  /** Adds 1 to a counter, 100 times, beside others that do the same; begins at a signal. */
  async count() {
    using store = openStore(home);
    writeSync(1, "ready\n");
    await once(process.stdin, "data");
    const key = { namespace: "default", key: "counter" };
    for (let done = 0; done < 100; ) {
      const { json = "0", revision: ifRevision = 0 } = (await store.memory.get(key)) ?? {};
      try {
        await store.memory.set({ ...key, value: Number(json) + 1, ifRevision });
        done++;
      } catch (thrown) {
        if (!(thrown instanceof CoordinatorError && thrown.code === "memory_conflict")) throw thrown;
      }
    }
    store.close();
    process.exit();
  },

  /** Writes one entry after the other until it is killed; says the number of each once it is written. */
  async remember() {
    const { memory } = openStore(home);
    for (let number = 1; ; number++) {
      await memory.set({ namespace: "default", key: "last", value: { number, text: "x".repeat(number % 5000) } });
      writeSync(1, `${number}\n`);
    }
  },

  /** Rejects what is pending, one approval for each line of stdin; says of each when it began. */
  async decide() {
    using store = openStore(home);
    writeSync(1, "ready\n");
    for await (const id of createInterface(process.stdin)) {
      const began = Date.now();
      await store.approvals.decide(id, { state: "rejected", by: "keeper", channel: "cli" });
      writeSync(1, `${began}\n`);
    }
    store.close();
    process.exit();
  },

  /** Watches decisions, and has nothing else to do. */
  async watch() {
    const { approvals } = openStore(home);
    approvals.watch(() => {});
  },

  /** Saves one file after the other until it is killed, each with a last letter of its own; says the name of each. */
  async save() {
    const artifacts = createArtifacts({ home, maxMb: 1000, isUnderWay: async () => false });
    for (let number = 1; ; number++) {
      const { name } = await artifacts.save("r1", `${number}.txt`, `${"x".repeat(100_000)}.`);
      writeSync(1, `${name}\n`);
    }
  },
};

await jobs[job ?? ""]?.();
