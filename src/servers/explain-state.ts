import { plainLine } from "../catalog/plain-text.ts";
import { signInCommand } from "../upstream/oauth/sign-in-error.ts";
import type { UpstreamState } from "../upstream/upstream-view.ts";

const shown = 300;

/** What somebody should know of a server's state, and what to do; undefined when all is as usual. */
export function explainState(name: string, state: UpstreamState): { note: string; fix?: string } | undefined {
  const { lastError = "no reason is known" } = state;
  const why = plainLine(lastError, shown);
  if (state.lastCode === "sign_in_needed") {
    return { note: "it wants you to sign in", fix: `Run: ${signInCommand(name)}` };
  }
  if (state.state === "resting") {
    const seconds = Math.ceil(((state.retryAt ?? 0) - Date.now()) / 1000);
    const note = `calls are refused for ${Math.max(1, seconds)} s, since it failed again and again: ${why}`;
    return { note, fix: "Correct what the last failure names. After the pause one call tries it." };
  }
  if (state.state === "failed") {
    return {
      note: `it is not running: ${why}`,
      fix: "The next call starts it again. If that fails, correct its entry.",
    };
  }
  if (state.waiting > 0) {
    const fix = 'Make fewer calls at once, or raise "maxParallelCalls" of its entry.';
    return { note: `${state.waiting} calls wait for their turn`, fix };
  }
  return explainHabits(state);
}

/** What it does though it works. */
export function explainHabits(state: UpstreamState): { note: string; fix?: string } | undefined {
  const { skippedLines, strayAnswers, asks } = state;
  if (skippedLines > 0) {
    return { note: `it wrote ${skippedLines} lines to stdout that are not messages`, fix: "Make it log to stderr." };
  }
  if (strayAnswers > 0) {
    const note = `it sent ${strayAnswers} answers that nobody was waiting for`;
    return { note, fix: 'If its calls take long, raise "timeoutSeconds" of its entry.' };
  }
  return asks ? { note: "it asks the user during calls, and so serves one client at a time" } : undefined;
}
