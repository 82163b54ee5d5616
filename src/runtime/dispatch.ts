import type { Actor, Run, ToolName } from "../actor.ts";
import { toolCall } from "../door/act.ts";
import type { ActResult, Door } from "../door/door.ts";
import type { GuestPorts } from "../sandbox/engine.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Libraries } from "./libraries/libraries.ts";
import type { Observations } from "./libraries/observations.ts";
import { errorInValue } from "./results/suspect-value.ts";
import { errorMessageOf, lengthOf, type Unwrapped, unwrap } from "./results/unwrap.ts";

interface ToolCall extends ToolName {
  readonly args: Record<string, unknown>;
}

/** What a call brought: the server's own result as it came, and its value. */
interface ToolAnswer {
  readonly result: unknown;
  readonly unwrapped: Unwrapped;
}

/**
 * Calls a tool by its exact name, through the door. Throws UpstreamError, which says whether the call was delivered, and has
 * the result of a tool that answered with an error.
 */
export type Dispatch = (call: ToolCall, actor: Actor) => Promise<ToolAnswer>;

export interface DispatchOptions {
  readonly door: Pick<Door, "pass">;
  readonly libraries: Pick<Libraries, "freshen">;
  readonly observations: Pick<Observations, "learn">;
}

export function createDispatch({ door, libraries, observations }: DispatchOptions): Dispatch {
  return (call, actor) => {
    const { server, tool, args } = call;
    const { run } = actor;
    const read = (result: unknown, { id }: Run): ActResult<ToolAnswer> => {
      const failure = errorMessageOf(result);
      if (failure !== undefined) {
        throw new UpstreamError("call_failed", failure, { server, tool, delivery: "failed", result });
      }
      const unwrapped = unwrap(result);
      observations.learn({ run: id, server, tool }, unwrapped);
      libraries.freshen(server);
      const suspect = run?.onSuspect && errorInValue(unwrapped);
      if (suspect !== undefined) run?.onSuspect?.(call, suspect);
      return { answer: { result, unwrapped }, bytes: lengthOf(unwrapped) };
    };
    run?.onCall?.(call);
    return door.pass(toolCall(server, tool, args), actor, read, asValue).then(
      (answer) => (run?.back ? run.back.then(() => answer) : answer),
      async (thrown: unknown) => {
        run?.onCallFailed?.();
        if (run?.back) await run.back;
        throw thrown;
      },
    );
  };
}

/** Who asks later for what a call of its own brought gets its value. */
const asValue = {
  later: ({ unwrapped }: ToolAnswer): unknown => ("value" in unwrapped ? JSON.parse(unwrapped.value) : unwrapped.text),
};

/** The calls of one guest: it gets the value, or with `raw` the server's own result. */
export function guestCalls(dispatch: Dispatch, actor: Actor): GuestPorts["call"] {
  let within: Actor = actor;
  return ({ server, tool, args, raw }, signal, aside) => {
    if (within.signal !== signal) within = { ...actor, signal, aside };
    return dispatch({ server, tool, args }, within).then(({ result, unwrapped }) =>
      raw ? JSON.stringify(result) : unwrapped,
    );
  };
}
