import { randomBytes } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../door/canonical-json.ts";
import type { CallIntent } from "../../door/journal-recorder.ts";
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
  /** Nothing nearly always. */
  said?: SaidOfCall | undefined,
];

/** What a call is where it is not one of a tool, and what rules have said to it. */
export type SaidOfCall = Pick<CallIntent, "kind" | "decided">;

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
  /** On the disk when it returns, with the outcomes that were noted before. */
  append(intent: LoggedIntent): void;
  /** On the disk with the next intent, at the latest after 20 ms: a write for each would take as long as the call's own. */
  note(outcome: LoggedOutcome): void;
  /** The database has them now. */
  clear(): void;
  close(): void;
}

/** Milliseconds that an outcome may wait. */
const longestNoted = 20;

export function createCallLog(home: string): CallLog {
  const { node, epoch } = thisProcess();
  const path = join(home, `calls-${node}-${epoch}-${randomBytes(4).toString("hex")}.log`);
  let file: number | undefined;
  let noted = "";
  let timer: NodeJS.Timeout | undefined;
  let isTorn = false;

  const write = (text: string): void => {
    try {
      file ??= openSync(path, "a", 0o600);
      // What follows half of a line must not become a part of it.
      const bytes = Buffer.from(isTorn ? `\n${text}` : text);
      isTorn = true;
      if (writeSync(file, bytes) !== bytes.length) throw new Error("the disk is full");
      isTorn = false;
    } catch (thrown) {
      throw new CoordinatorError("storage_unavailable", `Cannot write ${path}: ${messageOf(thrown)}`, {
        hint: accessHint,
        cause: thrown,
      });
    }
  };
  const writeNoted = (): void => {
    timer = undefined;
    if (noted === "") return;
    try {
      write(noted);
      noted = "";
    } catch {
      // A call that is over must not fail for this. Its outcome waits for the next intent, which tells, and for the database.
    }
  };
  return {
    append(intent) {
      write(noted + lineOf(intent));
      noted = "";
    },
    note(outcome) {
      noted += `${JSON.stringify({ outcome })}\n`;
      timer ??= setTimeout(writeNoted, longestNoted).unref();
    },
    clear() {
      noted = "";
      if (file !== undefined) ftruncateSync(file, 0);
    },
    close() {
      clearTimeout(timer);
      if (file === undefined) return;
      closeSync(file);
      file = undefined;
      rmSync(path, { force: true });
    },
  };
}

/** Arguments stand in it as the JSON that they are: as a text in JSON, long ones would be written twice over. */
function lineOf([id, server, tool, startedAt, args, hash, said]: LoggedIntent): string {
  const more = said === undefined ? "" : `,${JSON.stringify(said)}`;
  return `{"intent":[${id},${JSON.stringify(server)},${JSON.stringify(tool)},${startedAt},${args},${JSON.stringify(hash)}${more}]}\n`;
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
  const [id, server, tool, startedAt, args, ...rest] = entry.intent;
  return { intent: [id, server, tool, startedAt, canonicalJson(args), ...rest] };
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
