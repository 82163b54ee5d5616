import { randomBytes } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../door/canonical-json.ts";
import type { ActOutcome } from "../../door/recorder.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { type Owner, ownerHere, thisProcess } from "../../system/owner.ts";
import { accessHint } from "./database.ts";

/** A call that is about to be sent. */
export type LoggedIntent = readonly [
  id: number,
  server: string,
  tool: string,
  startedAt: number,
  args: string,
  /** Absent in what an older program has left. */
  argsHash?: string | undefined,
];

/** What became of it. */
export type LoggedOutcome = readonly [
  id: number,
  outcome: ActOutcome,
  milliseconds: number,
  resultBytes: number | null,
  error: string | null,
];

export type CallLogEntry = { readonly intent: LoggedIntent } | { readonly outcome: LoggedOutcome };

/**
 * Where calls are safe from our own death before the database has them: a file of this process alone, to which they are
 * appended. That takes 4 µs; a commit takes 100, and waits for other processes.
 */
export interface CallLog {
  append(entry: CallLogEntry): void;
  /** The database has them now. */
  clear(): void;
  close(): void;
}

export function createCallLog(home: string): CallLog {
  const { node, epoch } = thisProcess();
  const path = join(home, `calls-${node}-${epoch}-${randomBytes(4).toString("hex")}.log`);
  let file: number | undefined;
  return {
    append(entry) {
      try {
        file ??= openSync(path, "a", 0o600);
        const line = Buffer.from(`${lineOf(entry)}\n`);
        if (writeSync(file, line) !== line.length) throw new Error("the disk is full");
      } catch (thrown) {
        throw new CoordinatorError("storage_unavailable", `Cannot write ${path}: ${messageOf(thrown)}`, {
          hint: accessHint,
          cause: thrown,
        });
      }
    },
    clear() {
      if (file !== undefined) ftruncateSync(file, 0);
    },
    close() {
      if (file === undefined) return;
      closeSync(file);
      file = undefined;
      rmSync(path, { force: true });
    },
  };
}

/** Arguments stand in it as the JSON that they are: as a text in JSON, long ones would be written twice over. */
function lineOf(entry: CallLogEntry): string {
  if ("outcome" in entry) return JSON.stringify(entry);
  const [id, server, tool, startedAt, args, hash] = entry.intent;
  return `{"intent":[${id},${JSON.stringify(server)},${JSON.stringify(tool)},${startedAt},${args},${JSON.stringify(hash)}]}`;
}

/** Hands over what processes that are gone had still to bring to the database, and removes their files. */
export function recoverCalls(
  home: string,
  isAlive: (owner: Owner) => boolean,
  keep: (entries: readonly CallLogEntry[]) => void,
): void {
  for (const name of readdirSync(home)) {
    const owner = ownerOf(name);
    if (!owner || isAlive(owner)) continue;
    keep(readEntries(join(home, name)));
    rmSync(join(home, name), { force: true });
  }
}

function ownerOf(name: string): Owner | undefined {
  const [, node, epoch] = /^calls-([0-9a-f]{12})-(\d+\.\d*)-[0-9a-f]+\.log$/.exec(name) ?? [];
  if (node !== undefined && epoch !== undefined) return { node, epoch };
  const [, pid, mark = ""] = /^calls-(\d+)-(\d+|x)-[0-9a-f]+\.log$/.exec(name) ?? [];
  return pid === undefined ? undefined : ownerHere(pid, mark === "x" ? "" : mark);
}

/** An older program has left the arguments as a text. */
function entryOf(entry: CallLogEntry): CallLogEntry {
  if ("outcome" in entry || typeof entry.intent[4] === "string") return entry;
  const [id, server, tool, startedAt, args, hash] = entry.intent;
  return { intent: [id, server, tool, startedAt, canonicalJson(args), hash] };
}

function readEntries(path: string): CallLogEntry[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return []; // another process was faster
  }
  return text.split("\n").flatMap((line) => {
    try {
      return [entryOf(JSON.parse(line) as CallLogEntry)];
    } catch {
      return []; // the last line of a disk that was full; its call was not sent
    }
  });
}
