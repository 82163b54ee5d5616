import { sortedJson } from "../../catalog/sorted-json.ts";
import { comparePinned } from "./compare-pinned.ts";
import { type Definition, hashOf } from "./definition.ts";
import { isFlapping, type Pin, type PinMode } from "./pin.ts";

export interface ReviewOptions {
  readonly mode: PinMode;
  /** Parts of a definition that may change by themselves. */
  readonly ignored: (name: string) => readonly string[];
  readonly now: number;
}

/** What came of holding a list to what was accepted. */
export interface Review {
  /** Those that are others than before. */
  readonly changed: readonly Pin[];
  /** Those of them that a person should hear of: what it says has not been seen before. */
  readonly news: readonly Pin[];
  /** What became narrower and counts from now on. */
  readonly noted: readonly Pin[];
  /** Every pin of the list as it is now, in its order. */
  readonly pins: readonly Pin[];
}

const mostRecent = 8;

/** The first list of a server: all of it is accepted as it is. */
export function acceptList(listed: readonly Definition[], now: number): readonly Pin[] {
  return listed.map((definition) => acceptedPin(definition, now, "the first list"));
}

export function acceptedPin(accepted: Definition, decidedAt: number, decidedBy: string): Pin {
  const { kind, name } = accepted;
  return { kind, name, state: "accepted", accepted, why: [], recent: [], decidedAt, decidedBy };
}

/** Holds a list to the pins. What is not in the list any more keeps its pin: it may come back. */
export function reviewList(
  before: ReadonlyMap<string, Pin>,
  listed: readonly Definition[],
  options: ReviewOptions,
): Review {
  const names = new Set(listed.map(({ name }) => name));
  const gone = [...before.values()].filter(({ name, accepted }) => accepted && !names.has(name));
  const formerNames = new Map(gone.map(({ name, accepted }) => [contentOf(accepted), name]));
  const review = { changed: [] as Pin[], news: [] as Pin[], noted: [] as Pin[], pins: [] as Pin[] };
  for (const definition of listed) {
    const pin = before.get(definition.name);
    const now = reviewOne(pin, definition, formerNames, options);
    review.pins.push(now);
    if (now === pin) continue;
    review.changed.push(now);
    if (now.state === "accepted") {
      if (now.accepted !== pin?.accepted) review.noted.push(now);
    } else if (isNews(pin, now, options.now)) review.news.push(now);
  }
  return review;
}

function reviewOne(
  pin: Pin | undefined,
  seen: Definition,
  formerNames: ReadonlyMap<string, string>,
  { mode, ignored, now }: ReviewOptions,
): Pin {
  const { kind, name } = seen;
  const recent = recentOf(pin, seen, now);
  if (pin === undefined) {
    const former = formerNames.get(contentOf(seen));
    const why = [former === undefined ? "new" : `new: says what ${JSON.stringify(former)} said, which is gone`];
    return { kind, name, state: "new", seen, why, recent, decidedAt: now, decidedBy: "" };
  }
  if (pin.state === "unreadable") return pin;
  if (pin.accepted === undefined) return isSame(pin.seen, seen) ? pin : { ...pin, seen, recent };
  const drift = comparePinned(pin.accepted, seen, ignored(name));
  const isBlocked = pin.state === "blocked";
  if (drift === undefined)
    return pin.seen ? { ...pin, state: isBlocked ? "blocked" : "accepted", seen: undefined, why: [], recent } : pin;
  if (isSame(pin.seen, seen)) return pin;
  if (drift.isNarrower && mode === "review" && !isBlocked)
    return {
      ...pin,
      accepted: keepingIgnored(pin.accepted, seen, ignored(name)),
      seen: undefined,
      why: drift.narrower,
      recent,
      decidedAt: now,
      decidedBy: "narrower",
    };
  const why = [...drift.wider, ...drift.narrower];
  return { ...pin, state: isBlocked ? "blocked" : "changed", seen, why, recent };
}

/** Parts that may change by themselves stay as they were accepted: nobody has looked at what they say now. */
function keepingIgnored(accepted: Definition, seen: Definition, ignored: readonly string[]): Definition {
  const parts: Record<string, unknown> = { ...seen.parts };
  for (const part of ignored) {
    if (Object.hasOwn(accepted.parts, part)) parts[part] = accepted.parts[part];
    else delete parts[part];
  }
  return { ...seen, parts };
}

function isNews(before: Pin | undefined, { seen, recent }: Pin, now: number): boolean {
  if (seen === undefined) return false;
  const known = before?.recent.some(({ hash }) => hash === hashOf(seen)) ?? false;
  // Of what changes all the time a person is told once that it does.
  return !known && !(before && isFlapping(before, now) && isFlapping({ recent }, now));
}

function recentOf(pin: Pin | undefined, seen: Definition, now: number): Pin["recent"] {
  const hash = hashOf(seen);
  const before = pin?.recent ?? [];
  return before.at(-1)?.hash === hash ? before : [...before, { hash, at: now }].slice(-mostRecent);
}

function isSame(one: Definition | undefined, other: Definition): boolean {
  return one !== undefined && hashOf(one) === hashOf(other);
}

/** What it says, under whatever name. */
function contentOf(definition: Definition | undefined): string {
  return sortedJson(definition?.parts);
}
