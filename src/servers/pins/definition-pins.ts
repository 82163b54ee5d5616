import { hash } from "node:crypto";
import { matchesGlob } from "../../catalog/glob.ts";
import { type Definition, type DefinitionKind, hashOf } from "../../policy/pins/definition.ts";
import { lockedHash } from "../../policy/pins/lock.ts";
import type { Lock } from "../../policy/pins/lock-schema.ts";
import type { Pin, PinMode } from "../../policy/pins/pin.ts";
import { acceptList, type Review, reviewList } from "../../policy/pins/review-list.ts";
import type { PinStore } from "./pin-store.ts";

/** A list of one server, to be held to what was accepted. */
export interface ListedDefinitions {
  readonly server: string;
  /** Under which its definitions are pinned. */
  readonly key: string;
  readonly kind: DefinitionKind;
  readonly definitions: readonly Definition[];
  /** What was known of the list before it was pinned: the first list, where there is none. */
  before?(): Promise<readonly Definition[] | undefined>;
}

interface ReviewSettings {
  readonly mode: PinMode;
  /** Parts of a definition that may change by themselves, by globs of names. */
  readonly ignore: Readonly<Record<string, readonly string[]>>;
}

/** Holds the list to its pins, and keeps what came of it. Pins are in the order of the list. */
export async function reviewListed(
  store: PinStore,
  listed: ListedDefinitions,
  { mode, ignore }: ReviewSettings,
): Promise<Review> {
  const { key, kind, definitions } = listed;
  const fingerprint = hash("sha256", JSON.stringify([mode, ignore, definitions]));
  const now = Date.now();
  const ignored = (name: string) =>
    Object.keys(ignore).flatMap((glob) => (matchesGlob(name, glob) ? (ignore[glob] ?? []) : []));
  const kept = await store.list(key, kind);
  if (kept?.listed === fingerprint) {
    const pins = definitions.flatMap(({ name }) => kept.pins.get(name) ?? []);
    if (pins.length === definitions.length) return { changed: [], news: [], noted: [], pins };
  }
  let pins = kept?.pins;
  if (kept?.listed === undefined) {
    pins = firstPins((kept ? undefined : await listed.before?.()) ?? definitions, kept?.pins, now);
    await store.keep(key, kind, [...pins.values()], "");
  }
  const review = reviewList(pins ?? new Map(), definitions, { mode, ignored, now });
  await store.keep(key, kind, review.changed, fingerprint);
  return review;
}

/** A first list is accepted as it is, but for what a person has blocked. */
function firstPins(
  first: readonly Definition[],
  before: ReadonlyMap<string, Pin> | undefined,
  now: number,
): ReadonlyMap<string, Pin> {
  const blocked = [...(before?.values() ?? [])].filter(({ state }) => state === "blocked");
  return byName([...acceptList(first, now), ...blocked]);
}

/** Holds the list to a lock. What the server says otherwise nobody has accepted, whatever was accepted here. */
export function reviewLocked(lock: Lock, { server, kind, definitions }: ListedDefinitions): readonly Pin[] {
  return definitions.map((definition) => {
    const { name } = definition;
    const base = { kind, name, recent: [], decidedAt: 0, decidedBy: "the lock" };
    const wanted = lockedHash(lock, server, kind, name);
    if (wanted === hashOf(definition)) return { ...base, state: "accepted", accepted: definition, why: [] };
    const why = [wanted === undefined ? "is not in the lock" : "is not as the lock has it"];
    return { ...base, state: wanted === undefined ? "new" : "changed", seen: definition, why };
  });
}

export function byName(pins: readonly Pin[]): ReadonlyMap<string, Pin> {
  return new Map(pins.map((pin) => [pin.name, pin]));
}
