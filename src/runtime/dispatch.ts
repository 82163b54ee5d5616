import type { Actor, ToolName } from "../actor.ts";
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
  return async (call, actor) => {
    const { server, tool, args } = call;
    const { run, caller } = actor;
    const read = async (result: unknown, { id }: { readonly id: string }): Promise<ActResult<ToolAnswer>> => {
      const failure = errorMessageOf(result);
      if (failure !== undefined) {
        throw new UpstreamError("call_failed", failure, { server, tool, delivery: "failed", result });
      }
      const unwrapping = unwrap(result, caller?.id ?? id);
      const unwrapped = unwrapping instanceof Promise ? await unwrapping : unwrapping;
      observations.learn({ run: id, server, tool }, unwrapped.value);
      libraries.freshen(server);
      return { answer: { result, ...unwrapped }, bytes: unwrapped.value.length };
    };
    run?.onCall?.(call);
    try {
      return await door.pass(toolCall(server, tool, args), actor, read);
    } catch (thrown) {
      run?.onCallFailed?.();
      throw thrown;
    } finally {
      if (run?.back) await run.back;
    }
  };
}

/** The calls of one guest: it gets the value, or with `raw` the server's own result. */
export function guestCalls(dispatch: Dispatch, actor: Actor): GuestPorts["call"] {
  return async ({ server, tool, args, raw }, signal) => {
    const answer = await dispatch({ server, tool, args }, { ...actor, signal });
    return raw ? JSON.stringify(answer.result) : answer;
  };
}
