import { writeFileSync } from "node:fs";
import { openTerminalAsker } from "../../src/cli/terminal/terminal-asker.ts";

/** Asks at the terminal, all questions at once: `node asker.mjs <file> <questions> <ms>`; the file gets what came of each. */
const [, , file = "", questions = "[]", withdrawnAfter = ""] = process.argv;

const asker = openTerminalAsker();
const controller = new AbortController();
if (withdrawnAfter !== "") setTimeout(() => controller.abort(), Number(withdrawnAfter));
const outcomes = asker
  ? await Promise.all(
      JSON.parse(questions).map((asked: Parameters<typeof asker.ask>[0]) =>
        asker.ask(asked, controller.signal).then(
          (answers) => [...answers],
          (thrown: Error) => thrown.name,
        ),
      ),
    )
  : "nobody to ask";
writeFileSync(file, JSON.stringify({ outcomes, channel: asker?.channel }));
