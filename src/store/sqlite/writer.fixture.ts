import { once } from "node:events";
import { writeSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { CoordinatorError } from "../../errors.ts";
import { openStore } from "./store.ts";

/** A coordinator for tests, as a process of its own: `node writer.fixture.mjs <job> <home> [name]`. */
const [, , job, home = "", name = ""] = process.argv;

const jobs: Record<string, () => void | Promise<void>> = {
  /** Waits for a signal to start, so that many begin at the same moment; writes 20 runs of 25 calls and a catalog. */
  async write() {
    writeSync(1, "ready\n");
    await once(process.stdin, "data");
    const store = openStore(home);
    for (let number = 0; number < 20; number++) {
      const run = `${name}-${String(number).padStart(2, "0")}`;
      await store.journal.startRun({ id: run, language: "typescript", engine: "deno", code: run });
      for (let call = 0; call < 25; call++) {
        const id = store.journal.intend({ run, server: name, tool: "tool", args: `${call}`, argsHash: "0" });
        store.journal.settle(id, { outcome: "ok", milliseconds: 1 });
      }
      await store.journal.finishRun(run, { status: "ok", calls: 25, resultBytes: 0, stdoutBytes: 0 });
    }
    await store.catalogs.write(name, { tools: [name], info: null });
    store.close();
    process.exit();
  },

  /** Calls one tool after the other until it is killed; says the id of each call once its intent is committed. */
  async callForever() {
    const { journal } = openStore(home);
    await journal.startRun({ id: name, language: "python", engine: "cpython", code: "" });
    for (;;) {
      const id = journal.intend({ run: name, server: "files", tool: "read", args: "{}", argsHash: "0" });
      writeSync(1, `${id}\n`);
      journal.settle(id, { outcome: "ok", milliseconds: 1 });
    }
  },

  /** Makes a file that passes for our database but is not in WAL mode, and holds its write lock for a moment. */
  writeOutsideWal() {
    const database = new Libsql(join(home, "coordinator.db"));
    database.exec("BEGIN IMMEDIATE; CREATE TABLE other (column1)");
    writeSync(1, "writing\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    database.exec("COMMIT");
  },

  /** Opens the store without the rights of root and says how that failed. */
  openUnprivileged() {
    if (process.getuid?.() === 0) process.setuid?.(65534);
    try {
      openStore(home);
    } catch (thrown) {
      if (!(thrown instanceof CoordinatorError)) throw thrown;
      writeSync(1, JSON.stringify({ code: thrown.code, message: thrown.message, hint: thrown.hint }));
    }
  },
};

await jobs[job ?? ""]?.();
