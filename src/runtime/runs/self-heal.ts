import type { Actor } from "../../actor.ts";
import { messageWithHint } from "../../errors.ts";
import type { Engine, Language } from "../../sandbox/engine.ts";
import { installNames } from "../modules/missing-packages.ts";
import type { RunError, RunStatus } from "../results/run-result.ts";

/** Puts packages where guests of a language find them; tells what is there now. Throws when it changed nothing. */
export type InstallMissing = (request: {
  readonly language: Language;
  /** What the run was executed by. */
  readonly engine: Pick<Engine, "name" | "takesPackages">;
  /** The environment of the run; the usual one when absent. */
  readonly environment?: string | undefined;
  readonly packages: readonly string[];
  readonly actor: Actor;
}) => Promise<readonly string[]>;

/** A run that ended, and what it had done by then. */
export interface EndedRun {
  readonly language: Language;
  readonly engine: Pick<Engine, "name" | "takesPackages">;
  readonly environment?: string | undefined;
  readonly session?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly actor: Actor;
  readonly status: RunStatus;
  readonly error?: RunError | undefined;
  readonly toolCalls: number;
  /** Our operations that change something, or reach the network. */
  readonly otherActs: number;
}

/** What was installed; and the error to give, unless the code may run again. */
export interface Healed {
  readonly installed: readonly string[];
  readonly error?: RunError;
}

/** Installs the packages that a run ended for. What has acted is never to run again by itself. */
export async function installMissing(run: EndedRun, install: InstallMissing): Promise<Healed | undefined> {
  const { error, language, engine, environment, actor } = run;
  if (!error?.packages || run.dryRun) return undefined;
  const packages = installNames(error.packages);
  try {
    actor.onProgress?.(`installing ${packages.join(", ")}`);
    const installed = await install({ language, engine, environment, packages, actor });
    const obstacle = whyNotAgain(run);
    if (obstacle === undefined) return { installed };
    const hint = `Installed now: ${installed.join(", ")}. ${obstacle}`;
    return { installed, error: { ...error, hint } };
  } catch (thrown) {
    const hint = `${packages.join(", ")} could not be installed, and the code was not run again: ${messageWithHint(thrown)}`;
    return { installed: [], error: { ...error, hint } };
  }
}

function whyNotAgain({ status, session, language, toolCalls, otherActs }: EndedRun): string | undefined {
  if (session !== undefined && language === "python") {
    return `The process of the session "${session}" was started before that and does not see it: end the session, then run again.`;
  }
  if (status === "check_failed") return undefined;
  if (session !== undefined) {
    return `The code was not run again by itself: a part of it has run in the session "${session}", which keeps what that did.`;
  }
  if (toolCalls + otherActs === 0) return undefined;
  const acts = [
    toolCalls > 0 ? `${toolCalls} tool ${toolCalls === 1 ? "call" : "calls"}` : "",
    otherActs > 0 ? `${otherActs} ${otherActs === 1 ? "act" : "acts"} of fetching or writing` : "",
  ].filter(Boolean);
  return `The code was not run again by itself: it had made ${acts.join(" and ")}. Look at what they did before you run it again.`;
}
