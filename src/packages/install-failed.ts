import type { PackageSettings } from "../config/schema.ts";
import { CoordinatorError } from "../errors.ts";
import { type ConfinedEnd, usualEntries } from "../sandbox/confined/run-confined.ts";

const shownLines = 6;

/** What an installer's end means, in words; the environment is as it was. */
export function installFailed(
  requirements: readonly string[],
  end: ConfinedEnd,
  { timeoutSeconds, maxMb }: Pick<PackageSettings, "timeoutSeconds" | "maxMb">,
): CoordinatorError {
  const what = `Could not install ${requirements.join(", ")}`;
  const [why, hint] = explain(end, timeoutSeconds, maxMb);
  return new CoordinatorError("install_failed", `${what}: ${why}`, {
    hint: ["The environment is as it was.", hint].filter(Boolean).join(" "),
  });
}

function explain(end: ConfinedEnd, timeoutSeconds: number, maxMb: number): [why: string, hint?: string] {
  switch (end.stopped) {
    case "timeout":
      return [`it took longer than ${timeoutSeconds} seconds`, "coordinator.packages.timeoutSeconds sets the time."];
    case "size":
      return [`it needs more than ${maxMb} MB`, "coordinator.packages.maxMb sets the size of an environment."];
    case "entries":
      return [`it makes more than ${usualEntries} files`];
    case "memory":
      return ["the installer ran out of memory"];
    case "cancelled":
      return ["it was cancelled"];
  }
  const words = lastWords(end.output);
  if (end.refused.length > 0) {
    const hosts = end.refused.join(", ");
    return [words, `It wanted to reach ${hosts}; coordinator.packages.hosts names hosts beside the index that it may.`];
  }
  if (end.unreachable.length > 0) return [words, `The index could not be reached: ${end.unreachable.join("; ")}.`];
  return [words];
}

/** What an installer says last; its errors alone where it marks them. */
function lastWords(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const errors = lines.filter((line) => /^(npm )?(ERROR|error|ERR!|×)/.test(line));
  return (errors.length > 0 ? errors : lines).slice(-shownLines).join("\n") || "the installer said nothing";
}
