import { pathText } from "../config/invalid-config.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import { createPolicy, type Policy } from "../policy/policy.ts";
import type { Layer } from "../policy/rule.ts";

/** Where rules come from. */
export interface PolicySource {
  readonly layers: readonly PolicyLayer[];
  /** Whether they may say something else by now. */
  hasChanged(): boolean;
  /** Throws what is wrong with them. */
  read(): Promise<readonly PolicyLayer[]>;
}

/** Rules, and where they stand in their file. */
export interface PolicyLayer extends Layer {
  readonly path: readonly (string | number)[];
}

/** The rules that count now. They follow their files; while those cannot be used, the last that could be stay in force. */
export interface PolicyInForce {
  readonly policy: Policy;
  readonly layers: readonly PolicyLayer[];
  /** Why the files as they are now cannot be used. */
  readonly problem: string | undefined;
  /** The rules as they are now: a promise only when the files have changed. */
  now(): Policy | Promise<Policy>;
  /** Calls back when other rules count, or when the files cannot be used any more. Returns what ends that. */
  onChange(listener: () => void): () => void;
}

/** Between two looks at the files: many calls come in that time, and no person can have changed one and made another. */
const lookMs = 10;

/** Throws config_invalid when the rules are wrong: without them nothing may be done. */
export async function openPolicyInForce(source: PolicySource): Promise<PolicyInForce> {
  const listeners = new Set<() => void>();
  let layers = source.layers;
  let policy = await policyOf(layers);
  let problem: string | undefined;
  let looked = performance.now();
  let reading: Promise<Policy> | undefined;

  const read = async (): Promise<Policy> => {
    const before = [policy.hash, problem];
    try {
      const fresh = await source.read();
      policy = await policyOf(fresh);
      layers = fresh;
      problem = undefined;
    } catch (thrown) {
      problem = messageOf(thrown);
    }
    if (before[0] !== policy.hash || before[1] !== problem) for (const listener of listeners) listener();
    return policy;
  };
  return {
    get policy() {
      return policy;
    },
    get layers() {
      return layers;
    },
    get problem() {
      return problem;
    },
    now() {
      if (reading) return reading;
      const time = performance.now();
      if (time - looked < lookMs) return policy;
      looked = time;
      if (!source.hasChanged()) return policy;
      reading = read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Throws config_invalid with every problem. */
export async function policyOf(layers: readonly PolicyLayer[]): Promise<Policy> {
  const hasConditions = layers.some(({ rules }) => rules.some(({ match }) => match.when !== undefined));
  // The language of conditions is loaded by those who use it.
  const compile = hasConditions
    ? (await import("../policy/condition.ts")).compileCondition
    : () => ({ problem: "cannot be read" });
  const made = createPolicy(layers, compile);
  if ("policy" in made) return made.policy;
  const lines = made.problems.map(({ layer, path, message }) => {
    const at = layers.find((one) => one === layer)?.path ?? [];
    return `Cannot use ${layer.file}: ${at.length === 0 ? "" : `${pathText(at)}.`}${path}: ${message}`;
  });
  throw new CoordinatorError("config_invalid", lines.join("\n"), { hint: "Correct the rule." });
}
