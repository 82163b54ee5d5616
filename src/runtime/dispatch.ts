import type { Actor, Run, ToolName } from "../actor.ts";
import { toolCall } from "../door/act.ts";
import type { ActResult, Door } from "../door/door.ts";
import type { GuestPorts } from "../sandbox/engine.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { Libraries } from "./libraries/libraries.ts";
import type { Observations } from "./libraries/observations.ts";
import { errorMessageOf, type Unwrapped, unwrap } from "./results/unwrap.ts";

interface ToolCall extends ToolName {
  readonly args: Record<string, unknown>;
}

/** What a call brought: the server's own result as it came, and what a guest gets of it. */
export interface ToolAnswer extends Unwrapped {
  readonly result: unknown;
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
    const { run, caller } = actor;
    const read = (result: unknown, { id }: Run): ActResult<ToolAnswer> | Promise<ActResult<ToolAnswer>> => {
      const failure = errorMessageOf(result);
      if (failure !== undefined) {
        throw new UpstreamError("call_failed", failure, { server, tool, delivery: "failed", result });
      }
      const answerWith = ({ value, rest }: Unwrapped): ActResult<ToolAnswer> => {
        observations.learn({ run: id, server, tool }, value);
        libraries.freshen(server);
        return { answer: { result, value, ...(rest !== undefined && { rest }) }, bytes: value.length };
      };
      const unwrapped = unwrap(result, caller?.id ?? id);
      return unwrapped instanceof Promise ? unwrapped.then(answerWith) : answerWith(unwrapped);
    };
    run?.onCall?.(call);
    return door.pass(toolCall(server, tool, args), actor, read).then(
      (answer) => (run?.back ? run.back.then(() => answer) : answer),
      async (thrown: unknown) => {
        run?.onCallFailed?.();
        if (run?.back) await run.back;
        throw thrown;
      },
    );
  };
}

/** The calls of one guest: it gets the value, or with `raw` the server's own result. */
export function guestCalls(dispatch: Dispatch, actor: Actor): GuestPorts["call"] {
  let within: Actor = actor;
  return ({ server, tool, args, raw }, signal) => {
    if (within.signal !== signal) within = { ...actor, signal };
    const answering = dispatch({ server, tool, args }, within);
    return raw ? answering.then(({ result }) => JSON.stringify(result)) : answering;
  };
}
