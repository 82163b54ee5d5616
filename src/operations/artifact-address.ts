import type { Actor } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import { artifactAddress, parseAddress } from "../runtime/results/artifact-name.ts";
import type { Artifacts } from "../runtime/results/artifacts.ts";

const mostNamed = 10;
const mostListed = 100;
/** What stands beside what a run saved: nobody asks for it by its bare name. */
const explaining = /^(code\.(ts|py)|output\.txt)$/;

/** The address that is meant: a bare name is the newest of this run, then of its session. */
export async function addressOf(
  given: string,
  { run, earlierRuns = [] }: Pick<Actor, "run" | "earlierRuns">,
  artifacts: Pick<Artifacts, "find" | "list">,
): Promise<string> {
  if (!run || given.includes("://") || !parseAddress(artifactAddress(run.id, given))) return given;
  const runs = [run.id, ...earlierRuns];
  for (const each of runs) {
    const address = artifactAddress(each, given);
    if (await isThere(address, artifacts)) return address;
  }
  const where = earlierRuns.length > 0 ? "in this run or the earlier ones of its session" : "in this run";
  throw new CoordinatorError("artifact_unknown", `There is no artifact "${given}" ${where}`, {
    hint: (await elsewhere(given, artifacts)) ?? (await hintOf(runs, artifacts)),
  });
}

/** One of that name of another run: it may be the one that is meant, or another client's. */
async function elsewhere(name: string, artifacts: Pick<Artifacts, "list">): Promise<string | undefined> {
  const newest = (await artifacts.list({ limit: mostListed })).find((saved) => saved.name === name);
  return newest && `The newest of that name is ${newest.uri}, of another run: pass the whole address.`;
}

async function isThere(address: string, artifacts: Pick<Artifacts, "find">): Promise<boolean> {
  try {
    await artifacts.find(address);
    return true;
  } catch (thrown) {
    if (thrown instanceof CoordinatorError && thrown.code === "artifact_unknown") return false;
    throw thrown;
  }
}

async function hintOf(runs: readonly string[], artifacts: Pick<Artifacts, "list">): Promise<string> {
  const names = new Set<string>();
  for (const run of runs) {
    const saved = await artifacts.list({ run, limit: mostListed });
    for (const { name } of saved) if (!explaining.test(name)) names.add(name);
    if (names.size > mostNamed) break;
  }
  const others = "For one of another run pass its whole address; artifacts.list() has them.";
  if (names.size === 0) return `Nothing has been saved there. ${others}`;
  const more = names.size > mostNamed ? ", …" : "";
  return `There are: ${[...names].slice(0, mostNamed).join(", ")}${more}. ${others}`;
}
