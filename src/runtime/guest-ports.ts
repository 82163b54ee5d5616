import type { Actor } from "../actor.ts";
import type { GuestOperation, GuestPorts } from "../sandbox/engine.ts";
import { JsonPieces, JsonText } from "../sandbox/json-pieces.ts";
import { type Dispatch, guestCalls } from "./dispatch.ts";
import { operationTurn } from "./operation-turns.ts";
import type { GuestRun } from "./runs/guest-run.ts";
import { dataSize } from "./runs/stored-data.ts";

/** Who a run is to one of our operations. */
interface GuestActor extends Actor {
  readonly run: GuestRun;
  /** Counts what is about to be written, where that is more than what was given; throws when it is too much. */
  willStore(bytes: number): void;
}

/** Our operations that a guest may call by name. */
export interface GuestOperations {
  readonly offered: readonly GuestOperation[];
  /** Whether it changes nothing and reaches nothing outside. */
  isReadOnly(name: string): boolean;
  /** Whether what it is given stays on the disk. */
  isStoring(name: string): boolean;
  /** Whether its answer may be large. */
  isHeavy(name: string): boolean;
  call(name: string, args: unknown, actor: GuestActor): Promise<unknown>;
}

/** What a guest reaches outside its sandbox: tools, our operations, and what it prints. */
export function createGuestPorts(
  actor: Actor & { readonly run: GuestRun },
  { dispatch, operations }: { readonly dispatch: Dispatch; readonly operations: GuestOperations },
): GuestPorts {
  const { run } = actor;
  return {
    call: guestCalls(dispatch, actor),
    async operation(name, args, signal, aside) {
      await operationTurn(run.id, signal);
      if (!operations.isReadOnly(name)) run.onOtherAct();
      const sent = operations.isStoring(name) ? dataSize(args) : 0;
      run.store(sent);
      const willStore = (bytes: number): void => run.store(Math.max(0, bytes - sent));
      try {
        const output = await operations.call(name, args, { ...actor, signal, aside, willStore });
        if (output instanceof JsonPieces) return output;
        return output instanceof JsonText ? output.text : JSON.stringify(output ?? null);
      } finally {
        if (run.back) await run.back;
      }
    },
    isHeavy: (name) => operations.isHeavy(name),
    print: run.printout.print,
    addResult: run.printout.addResult,
  };
}
