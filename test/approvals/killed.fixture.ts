import { appendFileSync } from "node:fs";
import { Coordinator } from "../../src/app/coordinator.ts";
import { createRunId } from "../../src/door/run-id.ts";
import type { Language } from "../../src/sandbox/engine.ts";
import { SqliteJournal } from "../../src/store/sqlite/journal.ts";
import { openStore } from "../../src/store/sqlite/store.ts";

// A coordinator that kills itself at one point of an asked call's way; or what goes on with its approvals after that. Given by
// the environment: WHAT is run or claim.

const { WHAT, POINT, NTH, CONFIG, LANGUAGE, CODE, DATA = "", CLAIMS = "" } = process.env;

let passed = 0;
/** Ends without a last word when it is called for the n-th time. */
function pass(point: string): void {
  if (point === POINT && ++passed === Number(NTH)) process.kill(process.pid, "SIGKILL");
}

async function run(): Promise<void> {
  const { prototype } = SqliteJournal;
  const { intend, settle } = prototype;
  prototype.intend = function (row) {
    const call = intend.call(this, row);
    if (row.approvals) pass("intent");
    return call;
  };
  prototype.settle = function (call, end) {
    settle.call(this, call, end);
    pass("settled");
  };
  const judged = new Set<unknown>();
  const coordinator = await Coordinator.open({
    config: CONFIG ?? "",
    waitSeconds: 60,
    gates: [
      {
        name: "before the ask, and again when a person has decided",
        judge({ kind, args }) {
          if (kind !== "tool") return undefined;
          const text = JSON.stringify(args);
          pass(judged.has(text) ? "approved" : "before the ask");
          judged.add(text);
          return undefined;
        },
      },
    ],
    askers: [
      {
        channel: "cli",
        who: "nobody",
        canShow: () => true,
        ask(asked, signal) {
          // All that come together are one question: it is the first of them, or the last.
          for (const _one of asked) pass("asked");
          return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        },
      },
    ],
  });
  await coordinator.execute({ code: CODE ?? "", language: LANGUAGE as Language });
  await coordinator.close();
}

/** What a run that goes on would do with each approval: write its intent, which uses it up, then send. */
async function claim(): Promise<void> {
  const began = performance.now();
  using store = openStore(DATA);
  const opened = performance.now() - began;
  const run = createRunId();
  await store.journal.startRun({ id: run, language: "none", engine: "none", code: "" });
  for (const { id, server, tool, args, argsHash } of await store.approvals.list({ states: ["approved", "consumed"] })) {
    try {
      store.journal.intend({ run, server, tool, args, argsHash, approvals: process.env["WITHOUT_CLAIM"] ? [] : [id] });
    } catch {
      continue; // it is used up
    }
    appendFileSync(CLAIMS, `${args}\n`);
  }
  process.stdout.write(String(opened));
}

await (WHAT === "run" ? run() : claim());
