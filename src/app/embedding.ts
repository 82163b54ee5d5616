import type { Accepter } from "../approvals/acceptance.ts";
import type { Asker } from "../approvals/asker.ts";
import type { Gate } from "../door/gate.ts";
import type { Lock } from "../policy/pins/lock-schema.ts";

/** What the program that embeds us brings. */
export interface Embedding {
  /** They judge after ours. */
  readonly gates?: readonly Gate[] | undefined;
  /** Its own ways to ask a person, for every run. */
  readonly askers?: readonly Asker[] | undefined;
  /** Its own ways to ask whether a server may be started. */
  readonly accepters?: readonly Accepter[] | undefined;
  /** What servers have to be like, whatever was accepted. */
  readonly lock?: Lock | undefined;
  /** Where people are told of what the start brought; clients are not. */
  readonly tell?: ((message: string) => void) | undefined;
  /** How long a run waits for a person before it is answered; as configured when absent. */
  readonly waitSeconds?: number | undefined;
  /** How long it keeps its process after that; as configured when absent. */
  readonly parkMinutes?: number | undefined;
}
