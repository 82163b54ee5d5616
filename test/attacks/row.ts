import type { Language } from "../../src/sandbox/engine.ts";

/**
 * How a case may end, besides that no canary moves and that it ends at all. N: in any way, but it has run. E: with a
 * clear error. T: by the host's time limit. M: by the memory limit. L: by some limit. R: refused before it ran.
 * ok: well.
 */
export type Expectation = "N" | "E" | "T" | "M" | "L" | "R" | "ok";

/** One call of execute_code. In `code`, %NAME% stands for a target of the attack, as a literal: see Targets. */
export interface Step {
  readonly code: string;
  readonly session?: string;
  /** The servers that the run may use; ["attack"] when absent. */
  readonly servers?: readonly string[];
  /** Seconds. */
  readonly timeout?: number;
}

/** What may differ between the cases of a row, or between engines. */
interface Judgement {
  readonly expect?: Expectation | readonly Expectation[];
  /** What the last step returns, exactly. */
  readonly returns?: unknown;
  /** What the message of its error says. */
  readonly says?: RegExp;
  /** Left to `npm run attacks`: it takes more than a second. */
  readonly slow?: true;
}

/** Source text, or steps that run one after the other: the last is judged by `expect`, canaries watch them all. */
type Attack = string | readonly Step[] | ({ readonly steps: string | readonly Step[] } & Judgement);

export interface Row extends Judgement {
  readonly id: string;
  readonly language: Language;
  /** The attack, in one line. */
  readonly title: string;
  readonly expect: Expectation | readonly Expectation[];
  /** One attack, or several by name. */
  readonly code: string | Readonly<Record<string, Attack>>;
  /** For every step that does not say otherwise. */
  readonly timeout?: number;
  readonly session?: string;
  readonly servers?: readonly string[];
  /** How many of it run at the same time. */
  readonly copies?: number;
  /** Where an engine differs: another end, or the reason why it has no such attack. */
  readonly on?: Readonly<Record<string, Judgement & { readonly skip?: string; readonly timeout?: number }>>;
}

export interface Case {
  readonly id: string;
  readonly name: string;
  readonly steps: readonly Step[];
  readonly expect: readonly Expectation[];
  readonly returns?: unknown;
  readonly says?: RegExp;
  readonly isFast: boolean;
  readonly copies: number;
}

/** The cases of a row as an engine has to pass them. */
export function casesOf(row: Row, engine: string): readonly Case[] {
  const attacks: Readonly<Record<string, Attack>> = typeof row.code === "string" ? { "": row.code } : row.code;
  return Object.entries(attacks).map(([name, attack]) => {
    const own = typeof attack === "object" && "steps" in attack ? attack : undefined;
    const steps = own ? own.steps : (attack as string | readonly Step[]);
    const judgement = { ...row, ...own, ...row.on?.[engine] };
    const { expect = "N", returns, says, slow, timeout, session, servers, copies = 1 } = judgement;
    const expectations = typeof expect === "string" ? [expect] : expect;
    const shared = {
      ...(timeout !== undefined && { timeout }),
      ...(session !== undefined && { session }),
      ...(servers !== undefined && { servers }),
    };
    return {
      id: row.id,
      name,
      steps: (typeof steps === "string" ? [{ code: steps }] : steps).map((step) => ({ ...shared, ...step })),
      expect: expectations,
      copies,
      isFast: !slow && !expectations.includes("T"),
      ...(returns !== undefined && { returns }),
      ...(says !== undefined && { says }),
    };
  });
}
