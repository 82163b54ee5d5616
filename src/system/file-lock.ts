import { createHash, randomBytes } from "node:crypto";
import { linkSync, lstatSync, mkdirSync, readdirSync, rmSync, type Stats, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import { CoordinatorError, messageOf, systemCode } from "../errors.ts";
import { isAlive, thisProcess } from "./owner.ts";
import { readFileWithinSync } from "./read-file.ts";

const longestPauseMs = 16;

/** A lock appears whole: one that cannot be read is no longer being made after this. */
const momentMs = 1000;
const mostBytes = 1000;
/** How often a holder touches its lock, and how long those of another node believe it. */
const beatMs = 10_000;
const leaseMs = 60_000;

/** What a lock says. The id becomes a part of a name. */
const lockText = z.strictObject({
  node: z.string().regex(/^[0-9a-f]{12}$/),
  epoch: z.string().regex(/^[1-9]\d*\.\d*$/),
  id: z.string().regex(/^[0-9a-f]{16}$/),
});

interface Holder {
  /** Of this one lock, and of none after it; fit for a name. */
  readonly id: string;
  readonly isGone: boolean;
}

interface LockOptions {
  /** How long to wait for another process. */
  readonly patienceMs: number;
  /** What to throw after that. */
  readonly busy: () => Error;
  readonly signal?: AbortSignal | undefined;
  /** Called once when somebody else holds it. */
  readonly onWait?: (() => void) | undefined;
}

/** Runs `work` while nobody else, in any process of this user, holds the lock of that name. */
type WithLock = <Result>(name: string, options: LockOptions, work: () => Promise<Result>) => Promise<Result>;

/** Locks are files in `folder` that name their holder; one whose process is gone is taken over. */
export function createFileLock(folder: string): WithLock {
  const last = new Map<string, Promise<unknown>>();
  let isSwept = false;
  const hold: WithLock = async (name, options, work) => {
    options.signal?.throwIfAborted();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isSwept) sweepDrafts(folder);
    isSwept = true;
    const path = join(folder, createHash("sha256").update(name).digest("hex").slice(0, 32));
    await acquire(path, Date.now() + options.patienceMs, options);
    // Those of another node can only see that it is touched.
    const beat = setInterval(() => touch(path), beatMs).unref();
    try {
      return await work();
    } finally {
      clearInterval(beat);
      rmSync(path, { force: true });
    }
  };
  // In one process they stand in line: only the first of them has to ask the disk again and again.
  return (name, options, work) => {
    const before = last.get(name);
    if (before) options.onWait?.();
    const rest = before ? { ...options, onWait: undefined } : options;
    const turn = (before ?? Promise.resolve()).then(() => hold(name, rest, work));
    const settled: Promise<unknown> = turn.catch(() => {}).then(() => last.get(name) === settled && last.delete(name));
    last.set(name, settled);
    return turn;
  };
}

async function acquire(path: string, deadline: number, options: LockOptions): Promise<void> {
  let isWaiting = false;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    if (take(path)) return;
    const holder = holderOf(path);
    if (holder?.isGone) {
      await breakLock(path, holder, deadline, options);
      continue;
    }
    if (Date.now() > deadline) throw options.busy();
    if (!isWaiting) options.onWait?.();
    isWaiting = true;
    await delay(pauseMs * (0.5 + Math.random()), undefined, options.signal && { signal: options.signal });
  }
}

/** The lock appears with its holder's name in it, or not at all. */
function take(path: string): boolean {
  const id = randomBytes(8).toString("hex");
  const { node, epoch } = thisProcess();
  const draft = `${path}.${node}.${epoch}.${id}`;
  writeFileSync(draft, JSON.stringify({ node, epoch, id } satisfies z.output<typeof lockText>), { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST") return false;
    throw thrown;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Of all who find the same dead holder, one at a time may remove its lock, and only while it is still that one's. */
async function breakLock(path: string, dead: Holder, deadline: number, options: LockOptions): Promise<void> {
  const breaking = `${path}-${dead.id}`;
  await acquire(breaking, deadline, options);
  try {
    if (holderOf(path)?.id === dead.id) rmSync(path, { force: true });
  } finally {
    rmSync(breaking, { force: true });
  }
}

/** What processes left that were killed while they made a lock. */
function sweepDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, node = "", pid, mark] = name.split(".");
    if (pid !== undefined && isAlive({ node, epoch: `${pid}.${mark}` }) === false)
      rmSync(join(folder, name), { force: true });
  }
}

/** Undefined when there is no lock any more. */
function holderOf(path: string): Holder | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const hint = "Remove it: mcp-coordinator did not make it.";
  if (!stat.isFile())
    throw new CoordinatorError("storage_unavailable", `Cannot use the lock ${path}: it is not a plain file`, { hint });
  let text: string;
  try {
    text = readFileWithinSync(path, { most: mostBytes, code: "storage_unavailable", hint }).toString();
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return undefined; // it was released
    if (thrown instanceof CoordinatorError) throw thrown;
    throw new CoordinatorError("storage_unavailable", `Cannot read the lock ${path}: ${messageOf(thrown)}`, {
      hint: "Remove it when no mcp-coordinator is running.",
    });
  }
  const said = lockText.safeParse(parsed(text)).data;
  return said ? { id: said.id, isGone: !(isAlive(said) ?? isTouched(stat)) } : unreadable(stat);
}

function isTouched({ mtimeMs }: Stats): boolean {
  return Math.abs(Date.now() - mtimeMs) < leaseMs;
}

function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // It is gone, or the disk is not to be written to: the one who waits finds out.
  }
}

/** What a power cut leaves of a lock, or somebody else has put there. */
function unreadable({ ino, mtimeMs }: Stats): Holder {
  const isGone = Math.abs(Date.now() - mtimeMs) > momentMs; // a clock may have been set back
  return { id: `unreadable-${ino}-${Math.trunc(mtimeMs)}`, isGone };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // nothing that we have written
  }
}
