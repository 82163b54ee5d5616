import type { Accepter } from "../../approvals/acceptance.ts";
import { openControllingTerminal } from "./controlling-terminal.ts";
import { inItsTurn } from "./in-its-turn.ts";

/** Whoever sits at the controlling terminal of a command, asked whether a server may be started. */
export const terminalAccepter: Accepter = {
  accept: ({ lines }, signal) =>
    inItsTurn(async () => {
      signal.throwIfAborted();
      using terminal = openControllingTerminal();
      if (!terminal) return false;
      terminal.write(`\n${lines.join("\n  ")}`);
      return (await terminal.ask("Accept it? Only yes accepts it: ", signal)) === "yes";
    }),
};
