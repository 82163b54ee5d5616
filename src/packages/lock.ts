import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CoordinatorError } from "../errors.ts";
import { isAlive, thisProcess } from "../store/owner.ts";

const pauseMs = 100;

export interface LockOptions {
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once when somebody else holds it. */
  readonly onWait?: (() => void) | undefined;
}

/**
 * Does work that nobody else does at the same time, in this process or another. The lock is a file with its owner in it;
 * one whose owner is gone counts for nothing.
 */
export async function withLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const mine = `${file}.${randomUUID()}`;
  await writeFile(mine, JSON.stringify({ ...thisProcess(), id: mine }), { mode: 0o600 });
  try {
    await acquire(file, mine, options);
    try {
      return await work();
    } finally {
      await rm(file, { force: true });
    }
  } finally {
    await rm(mine, { force: true });
  }
}

async function acquire(file: string, mine: string, { patienceMs, signal, onWait }: LockOptions): Promise<void> {
  const until = performance.now() + patienceMs;
  let isWaiting = false;
  // A link is made in one step or not at all, with the owner already in it.
  while (!(await isLinked(mine, file))) {
    if (await removeStale(file)) continue;
    if (performance.now() >= until) throw busy(patienceMs);
    if (!isWaiting) onWait?.();
    isWaiting = true;
    await delay(pauseMs, undefined, signal && { signal });
  }
}

async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  }
}

/** Removes a lock whose owner is gone; true when it is worth to try again at once. */
async function removeStale(file: string): Promise<boolean> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return true;
  if (isOwned(text)) return false;
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside); // of several who try, one succeeds
    // Meanwhile somebody else may have done the same and locked: that lock goes back.
    if ((await readFile(aside, "utf8")) !== text) await isLinked(aside, file);
    await rm(aside, { force: true });
  } catch {
    // Somebody was faster.
  }
  return true;
}

function isOwned(text: string): boolean {
  try {
    return isAlive(JSON.parse(text));
  } catch {
    return false; // half a file: its writer died
  }
}

function busy(patienceMs: number): CoordinatorError {
  return new CoordinatorError(
    "install_failed",
    `Another installation into this environment has gone on for ${Math.round(patienceMs / 1000)} seconds`,
    { hint: "Nothing was changed. Try again when it has ended." },
  );
}
