import { type Caller, perRun } from "../actor.ts";
import type { Approve, JudgedAct } from "../door/judge.ts";
import { CoordinatorError } from "../errors.ts";
import type { DeskOptions } from "./desk-options.ts";
import { actName } from "./show-approval.ts";
import { WaitingRun } from "./waiting-run.ts";

/** Where acts wait for a person. */
export interface Desk {
  readonly approve: Approve;
  /** A client asks for a run that waits: it can be asked, until the signal is aborted. False when no such run waits here. */
  join(run: string, caller: Caller | undefined, signal: AbortSignal): boolean;
  /** What a run that waits here is waiting for, and where that is decided. */
  explain(run: string): Promise<CoordinatorError | undefined>;
  /** Ends what waits, undecided; what was asked can still be decided, as long as it is not past its time. */
  close(): void;
}

/** Acts that are no part of a guest's run wait at once, and the arguments of all that wait, in characters. */
const mostAlone = 64;
const mostCharacters = 64 * 1024 * 1024;

/** Between two looks at the rules while something waits: nothing else may happen meanwhile that would notice a change. */
const lookMs = 1000;

export function createDesk(options: DeskOptions): Desk {
  const { store, rules } = options;
  const waiting = new Map<string, WaitingRun>();
  let looking: { readonly timer: NodeJS.Timeout; readonly unwatch: () => void } | undefined;
  let isClosed = false;

  const look = (): void => {
    void Promise.resolve(rules.now()).catch(() => {}); // whoever reads them tells what is wrong
  };
  /** Another process may decide, and a person may change the rules. */
  const begin = (id: string, run: WaitingRun): void => {
    waiting.set(id, run);
    looking ??= {
      timer: setInterval(look, lookMs).unref(),
      unwatch: store.watch(() => {
        for (const one of waiting.values()) one.readDecisions();
      }),
    };
  };
  const end = (id: string): void => {
    waiting.delete(id);
    if (waiting.size > 0) return;
    clearInterval(looking?.timer);
    looking?.unwatch();
    looking = undefined;
  };
  rules.onChange(() => {
    for (const run of waiting.values()) run.judgeAgain();
  });
  const runOf = perRun((run): WaitingRun => {
    const made = new WaitingRun(run, {
      ...options,
      onWaiting: () => begin(run.id, made),
      onIdle: () => end(run.id),
    });
    return made;
  });
  return {
    approve(asking, judged) {
      if (isClosed)
        throw new CoordinatorError("needs_approval", "Nobody can be asked any more: this program is ending");
      const runs = [...waiting.values()];
      const characters = runs.reduce((sum, one) => sum + one.characters, judged.argsText.length);
      const isAlone = judged.run.language === "none";
      if (characters > mostCharacters || (isAlone && runs.filter((one) => one.isAlone).length >= mostAlone))
        throw tooMany(judged);
      return runOf(judged.run).hold(asking, judged);
    },
    join(run, caller, signal) {
      const found = waiting.get(run);
      found?.join(caller, signal);
      return found !== undefined;
    },
    explain: async (run) => waiting.get(run)?.explain(),
    close() {
      isClosed = true;
      for (const run of [...waiting.values()]) run.close();
    },
  };
}

/** Those of guests are bounded by the runs that may wait. */
function tooMany({ act }: JudgedAct): CoordinatorError {
  const message = `${actName({ server: act.server, tool: act.name })} needs approval, and so much waits for the user already that they are not asked about more`;
  return new CoordinatorError("runs_busy", message, {
    hint: "Nothing was sent. Call it again when some of what waits is decided.",
  });
}
