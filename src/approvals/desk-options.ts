import type { Caller } from "../actor.ts";
import type { UpstreamAct } from "../door/act.ts";
import type { ApprovalStore } from "./approval-store.ts";
import type { Asker } from "./asker.ts";

/** What an act is about: an approval of it is worth nothing for a server that is started otherwise, or a tool that says something else. */
interface Subject {
  readonly identity: string;
  readonly definition: string;
}

interface DeskSettings {
  readonly channels: readonly Asker["channel"][];
  readonly waitSeconds: number;
  /** 0: a run ends with the request that waited for it, because the program does. */
  readonly parkMinutes: number;
  readonly expireHours: number;
}

export interface DeskOptions {
  readonly store: ApprovalStore;
  readonly settings: DeskSettings;
  readonly subjectOf: (act: UpstreamAct) => Subject;
  /** The ways to a person that a client is. */
  readonly askersOf: (caller: Caller) => readonly Asker[];
  /** Those that are there for every run: a terminal. */
  readonly askers: readonly Asker[];
  /** How many acts of a run have been done, or may have been. */
  readonly doneIn: (run: string) => Promise<number>;
  /** The rules: what waits is judged again when they change. */
  readonly rules: { now(): unknown; onChange(listener: () => void): void };
}
