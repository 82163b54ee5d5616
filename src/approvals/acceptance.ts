import type { Actor, Caller } from "../actor.ts";
import { fieldsOf } from "../system/fields.ts";
import { canAnswer } from "../upstream/caller.ts";
import { visibleText } from "./visible-text.ts";

/** Something that is asked about once and then stands: a server that nobody has accepted. */
export interface Proposal {
  /** The same for the same thing: who has said no to it is not asked again. */
  readonly id: string;
  /** What is to be accepted, whole, a line each. */
  readonly lines: readonly string[];
}

/** A person at hand who can accept a proposal. */
export interface Accepter {
  /** Rejects when the signal is aborted, or nobody can be asked any more. */
  accept(proposal: Proposal, signal: AbortSignal): Promise<boolean>;
}

interface AcceptanceOptions {
  /** Whether clients may be asked at all. */
  readonly asksClients: boolean;
  readonly waitSeconds: number;
  /** Those that are there for every act: a terminal. */
  readonly accepters: readonly Accepter[];
}

const mostRemembered = 1000;

/** Asks whoever is there, once. Answers no when nobody is, or nobody answers in time. */
export function createAcceptance({ asksClients, waitSeconds, accepters }: AcceptanceOptions) {
  const refused = new Set<string>();
  const asking = new Map<string, Promise<boolean>>();
  const ask = async (proposal: Proposal, { caller, signal: ended }: Actor): Promise<boolean> => {
    const present = [...accepters, ...(caller && asksClients ? clientAccepter(caller) : [])];
    if (present.length === 0) return false;
    const over = new AbortController();
    const signals = [over.signal, AbortSignal.timeout(waitSeconds * 1000), ...(ended ? [ended] : [])];
    const signal = AbortSignal.any(signals);
    try {
      return await Promise.any(
        present.map(async (one) => {
          if (!(await one.accept(proposal, signal))) throw new Error("Not accepted.");
          return true;
        }),
      );
    } catch {
      return false;
    } finally {
      over.abort();
    }
  };
  return async (proposal: Proposal, actor: Actor): Promise<boolean> => {
    const id = `${actor.caller?.id ?? ""} ${proposal.id}`;
    if (refused.has(id)) return false;
    const under = asking.get(id) ?? ask(proposal, actor).finally(() => asking.delete(id));
    asking.set(id, under);
    await actor.run?.patience?.during(under);
    if (await under) return true;
    if (refused.size > mostRemembered) refused.clear();
    refused.add(id);
    return false;
  };
}

const answers = ["accept", "not now"] as const;

/** The user of a client, by a form without a default: an empty one, which some clients accept by themselves, accepts nothing. */
function clientAccepter(caller: Caller): readonly Accepter[] {
  if (!canAnswer(caller.capabilities, "elicitation/create", { mode: "form" })) return [];
  const requestedSchema = {
    type: "object",
    properties: { decision: { type: "string", title: "Accept it?", enum: [...answers] } },
    required: ["decision"],
  };
  return [
    {
      async accept({ lines }, signal) {
        const params = { mode: "form", message: lines.map(visibleText).join("\n"), requestedSchema };
        const { action, content } = fieldsOf(await caller.ask("elicitation/create", params, { signal }));
        const given = fieldsOf(content);
        return action === "accept" && Object.hasOwn(given, "decision") && given["decision"] === "accept";
      },
    },
  ];
}
