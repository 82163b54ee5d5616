import type { Actor } from "../../actor.ts";
import type { UpstreamAct } from "../../door/act.ts";
import type { Gate, Verdict } from "../../door/gate.ts";
import { CoordinatorError } from "../../errors.ts";
import { fieldsOf } from "../../system/fields.ts";
import { definitionRefusal, serverRefusal } from "./pin-refusal.ts";
import type { Pins } from "./pins.ts";
import type { ServerStanding } from "./server-pins.ts";

interface PinsGateOptions {
  readonly pins: Pins;
  readonly file: string;
  /** Another text when another process has changed what was accepted. */
  readonly mark: () => string;
  onMarkChanged(): void;
  /** Whether what a server offers was held to its pins since it was connected; a promise when that has to be done first. */
  readonly isCurrent: (server: string, kind: "tool" | "prompt") => true | Promise<unknown>;
  /** Asks whoever is there whether the server may be started. */
  readonly askToAccept: (standing: ServerStanding, actor: Actor) => Promise<boolean>;
}

/** Between two looks whether somebody has changed what was accepted. */
const lookMs = 10;

/** Servers, and what they offer, as they were accepted. */
export function createPinsGate({ pins, file, mark, onMarkChanged, isCurrent, askToAccept }: PinsGateOptions): Gate {
  let seen = mark();
  let looked = performance.now();
  const look = (): void => {
    const time = performance.now();
    if (time - looked < lookMs) return;
    looked = time;
    const now = mark();
    if (now === seen) return;
    seen = now;
    onMarkChanged();
  };
  const judgeServer = async (standing: ServerStanding, actor: Actor): Promise<Verdict> => {
    const refusal = serverRefusal(standing, file);
    if (refusal === undefined) return undefined;
    if (!canBeAccepted(standing) || !(await askToAccept(standing, actor))) return { deny: refusal };
    await pins.servers.accept([standing], "the user, who was asked");
    await pins.servers.load();
    return undefined;
  };
  /** With what is not accepted in memory, at that very moment: what is unknown would pass. */
  const whenReady = (then: () => Verdict | Promise<Verdict>): Verdict | Promise<Verdict> => {
    const reading = pins.ready();
    return reading ? reading.then(() => whenReady(then)) : then();
  };
  const judgeDefinition = ({ kind, server, name, args }: UpstreamAct): Verdict => {
    const pinned = kind === "prompt" ? String(fieldsOf(args)["name"]) : name;
    const stop = kind === "tool" || kind === "prompt" ? pins.stop(server, kind, pinned) : undefined;
    return stop && { deny: definitionRefusal(server, stop) };
  };
  const judgeAccepted = (act: UpstreamAct): Verdict | Promise<Verdict> => {
    const { kind, server } = act;
    if (kind !== "tool" && kind !== "prompt") return undefined;
    const current = isCurrent(server, kind);
    const now = () => whenReady(() => judgeDefinition(act));
    return current instanceof Promise ? current.then(now) : now();
  };
  const judge = (act: UpstreamAct, actor: Actor): Verdict | Promise<Verdict> => {
    const standing = pins.servers.peek(act.server);
    if (standing?.state === "accepted") return judgeAccepted(act);
    return judgeOther(act, actor);
  };
  const judgeOther = async (act: UpstreamAct, actor: Actor): Promise<Verdict> => {
    const standing = (await pins.servers.load()).get(act.server);
    if (!standing)
      throw new CoordinatorError("server_unknown", `No server ${JSON.stringify(act.server)} is configured`);
    return (await judgeServer(standing, actor)) ?? judgeAccepted(act);
  };
  return {
    name: "pins",
    judge(act, actor) {
      if (act.kind === "own") return undefined;
      look();
      return whenReady(() => judge(act, actor));
    },
  };
}

function canBeAccepted({ state }: ServerStanding): boolean {
  return state === "unaccepted" || state === "changed";
}
