import { createInterface } from "node:readline/promises";
import type { Caller } from "../../actor.ts";
import { CoordinatorError } from "../../errors.ts";
import { talk } from "./print.ts";

/** The user at the terminal, who is asked before something is changed. */
export function askTerminal({ yes }: { readonly yes?: boolean | undefined }): Caller {
  return {
    id: "terminal",
    capabilities: { elicitation: {} },
    async ask(_method, params, { signal }) {
      talk(String(params?.["message"] ?? ""));
      if (yes) return { action: "accept", content: {} };
      if (!process.stdin.isTTY || !process.stderr.isTTY) {
        const hint = "Nothing was changed. --yes agrees to what is shown above.";
        throw new CoordinatorError("consent_missing", "There is no terminal to ask on", { hint });
      }
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        const answer = await lines.question("Yes or no? [y/N] ", { signal });
        return /^y(es)?$/i.test(answer.trim()) ? { action: "accept", content: {} } : { action: "decline" };
      } finally {
        lines.close();
      }
    },
  };
}
