import { CoordinatorError } from "../../errors.ts";
import { openControllingTerminal } from "./controlling-terminal.ts";

/**
 * Shows what is about to be allowed to the person at the controlling terminal; only when they type exactly `yes` and Enter it
 * is. Neither stdin, a flag nor a variable can answer.
 */
export async function consentOf(shown: string): Promise<boolean> {
  using terminal = openControllingTerminal();
  if (!terminal) {
    throw new CoordinatorError(
      "terminal_needed",
      "What loosens something is allowed at a terminal only, and there is none here",
      {
        hint: "Nothing was changed. A person runs this command in a terminal of their own and types yes.",
      },
    );
  }
  terminal.write(shown);
  return (await terminal.ask("Allow this? Only yes allows it: ")) === "yes";
}
