import { appendFileSync, copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { canonicalJson } from "../../door/canonical-json.ts";
import { isAlive } from "../../system/owner.ts";
import { type CallLogEntry, createCallLog, type LoggedIntent, type LoggedOutcome, recoverCalls } from "./call-log.ts";

const call: LoggedIntent = [1, "files", "read", 1000, canonicalJson({ path: "\ud800\0" }), "00ff"];
const end: LoggedOutcome = [1, "failed", 2.5, null, "no\nway"];
const intent: CallLogEntry = { intent: call };
const outcome: CallLogEntry = { outcome: end };

/** No process has this pid: Linux stops below it. */
const deadLog = "calls-4194999-1-00ff.log";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "call-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function recovered(folder: string): CallLogEntry[] {
  const found: CallLogEntry[] = [];
  recoverCalls(
    folder,
    (owner) => isAlive(owner) ?? true,
    (entries) => found.push(...entries),
  );
  return found;
}

test("what a dead process logged is handed over once, and its file goes", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, deadLog), `${JSON.stringify(intent)}\n${JSON.stringify(outcome)}\n`);
  expect(recovered(folder)).toEqual([intent, outcome]);
  expect(readdirSync(folder)).toEqual([]);
});

test("arguments come back in the form that they had", () => {
  const folder = temporaryFolder();
  const log = createCallLog(folder);
  const args = canonicalJson({ b: [1, "\ud800\0"], a: "x".repeat(100_000) });
  log.append([1, "files", "read", 1000, args, "abc"]);
  const [own = ""] = readdirSync(folder);
  copyFileSync(join(folder, own), join(folder, deadLog));
  expect(recovered(folder)).toEqual([{ intent: [1, "files", "read", 1000, args, "abc"] }]);
  log.close();
});

/** What would be found if the process of this log died now. */
function foundIn(folder: string): CallLogEntry[] {
  const [own = ""] = readdirSync(folder);
  copyFileSync(join(folder, own), join(folder, deadLog));
  return recovered(folder);
}

test("an outcome is on the disk with the next intent, or a moment later", async () => {
  const folder = temporaryFolder();
  const log = createCallLog(folder);
  const second: LoggedIntent = [2, "files", "read", 2000, "{}", "abc"];
  log.append(call);
  log.note(end);
  log.append(second);
  expect(foundIn(folder)).toEqual([intent, outcome, { intent: second }]);
  log.note([2, "ok", 1, 5, null]);
  await expect.poll(() => foundIn(folder)).toContainEqual({ outcome: [2, "ok", 1, 5, null] });
  log.close();
});

test("a line that was not written whole is left out", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, deadLog), `${JSON.stringify(intent)}\n`);
  appendFileSync(join(folder, deadLog), JSON.stringify(outcome).slice(0, 10));
  expect(recovered(folder)).toEqual([intent]);
});

test("the log of a living process and other files are left alone", () => {
  const folder = temporaryFolder();
  const log = createCallLog(folder);
  log.append(call);
  writeFileSync(join(folder, "calls-notes.log"), "mine");
  expect(recovered(folder)).toEqual([]);
  expect(readdirSync(folder)).toHaveLength(2);
  log.close();
  expect(readdirSync(folder)).toEqual(["calls-notes.log"]);
});

test("a folder that is gone refuses the intent, so that the call is not sent", () => {
  const folder = temporaryFolder();
  const log = createCallLog(join(folder, "gone"));
  expect(() => log.append(call)).toThrow(expect.objectContaining({ code: "storage_unavailable" }));
});
