import type { OpenOptions } from "../../app/coordinator.ts";
import type { NewApproval } from "../../approvals/approval.ts";
import type { Answer, Asker } from "../../approvals/asker.ts";
import { showApproval, stateOf } from "../../approvals/show-approval.ts";
import { type ControllingTerminal, openControllingTerminal } from "./controlling-terminal.ts";
import { inItsTurn } from "./in-its-turn.ts";
import { terminalAccepter } from "./terminal-accepter.ts";
import { userName } from "./user-name.ts";

/** The person at the controlling terminal of a command; undefined when it has none. */
export function openTerminalAsker(): Asker | undefined {
  if (!isThere()) return undefined;
  return {
    channel: "cli",
    who: userName(),
    canShow: () => true,
    ask: (asked, signal) => inItsTurn(() => askAll(asked, signal)),
    tooLate(decided) {
      using terminal = openControllingTerminal();
      terminal?.write(`Your answer to ${decided.id} came too late and changed nothing: ${stateOf(decided)}`);
    },
  };
}

/** A person who is asked at a terminal may take their time: nobody waits for the command but they. */
const patience = 24 * 3600;

/** What a command opens the coordinator with whose calls a person may have to decide. */
export function askingHere(): Pick<OpenOptions, "askers" | "accepters" | "waitSeconds" | "parkMinutes"> {
  const asker = openTerminalAsker();
  // The command ends with its answer, and with it what waits.
  const here = asker && { askers: [asker], accepters: [terminalAccepter], waitSeconds: patience };
  return { parkMinutes: 0, ...here };
}

function isThere(): boolean {
  using terminal = openControllingTerminal();
  return terminal !== undefined;
}

const question = "Allow it? yes: once, run: in this run, no: deny; anything else: not now. ";

const meant = new Map<string | undefined, Answer>([
  ["yes", "allow once"],
  ["run", "allow in this run"],
  ["no", "deny"],
]);

async function askAll(asked: readonly NewApproval[], signal: AbortSignal): Promise<ReadonlyMap<string, Answer>> {
  signal.throwIfAborted();
  using terminal = openControllingTerminal();
  const answers = new Map<string, Answer>();
  if (!terminal) return answers; // it has gone away, or is another program's now: nobody would ever answer
  for (const [index, approval] of asked.entries()) {
    const place = asked.length === 1 ? "" : ` (${index + 1} of ${asked.length})`;
    terminal.write(`\nA call waits for you${place}.\n${showApproval(approval)}`);
    answers.set(approval.id, await answerOf(terminal, signal));
  }
  return answers;
}

async function answerOf(terminal: ControllingTerminal, signal: AbortSignal): Promise<Answer> {
  try {
    return meant.get(await terminal.ask(question, signal)) ?? "not now";
  } catch (thrown) {
    if (!signal.aborted) return "not now"; // it went away meanwhile
    terminal.write("Nobody has to answer it any more: it is decided, or nothing waits for it.");
    throw thrown;
  }
}
