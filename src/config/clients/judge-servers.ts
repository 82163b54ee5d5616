import { isDeepStrictEqual } from "node:util";
import { fieldsOf } from "../../system/fields.ts";
import { entryFaults } from "../check-entry.ts";
import type { RawEntry } from "../entry.ts";
import type { Variables } from "../expand.ts";
import { startsOurselves } from "../ourselves.ts";
import { riskyVariables } from "../risky-variables.ts";
import type { FoundServer } from "./scan-clients.ts";

export type ImportState =
  /** Not known here. */
  | "new"
  /** Configured here, under this or another name. */
  | "here"
  /** Another server has its name, here or in a client that comes first. */
  | "differs"
  /** The same server as one of a client that comes first. */
  | "duplicate"
  /** Switched off in the client. */
  | "disabled"
  /** mcp-coordinator. */
  | "ourselves"
  | "unusable";

export interface JudgedServer extends FoundServer {
  readonly state: ImportState;
  /** Of what state it is the explanation: a name, a reason. */
  readonly because?: string;
}

/** What is to be done with each server that clients have; `ours` are the entries of our own file. */
export function judgeServers(
  found: readonly FoundServer[],
  ours: Readonly<Record<string, RawEntry>>,
  variables: Variables,
): readonly JudgedServer[] {
  const earlier: JudgedServer[] = [];
  for (const server of found) {
    const judged = { ...server, ...judge(server, ours, earlier, variables) };
    earlier.push({ ...judged, notes: [...judged.notes, ...warnings(server)] });
  }
  return earlier;
}

function judge(
  server: FoundServer,
  ours: Readonly<Record<string, RawEntry>>,
  earlier: readonly JudgedServer[],
  variables: Variables,
): Pick<JudgedServer, "state" | "because"> {
  const { entry, problem, name } = server;
  if (entry === undefined) return { state: "unusable", because: problem ?? "it cannot be read" };
  if (startsOurselves(entry)) return { state: "ourselves" };
  const same = Object.entries(ours).find(([, own]) => isSame(own, entry));
  if (same) return { state: "here", ...(same[0] !== name && { because: `as ${same[0]}` }) };
  if (entry["disabled"] === true) return { state: "disabled" };
  const faults = entryFaults(name, entry, variables);
  if (faults.length > 0) return { state: "unusable", because: faults.join("; ") };
  if (Object.hasOwn(ours, name)) return { state: "differs", because: "from the one here" };
  const usable = earlier.filter(({ state }) => state === "new");
  const twin = usable.find((other) => other.entry !== undefined && isSame(other.entry, entry));
  if (twin) return { state: "duplicate", because: `of ${twin.client.name}'s ${twin.name}` };
  const namesake = usable.find((other) => other.name === name);
  return namesake ? { state: "differs", because: `from ${namesake.client.name}'s` } : { state: "new" };
}

/** Whether two entries reach the same server in the same way; with what environment is not asked. */
function isSame(left: RawEntry, right: RawEntry): boolean {
  return isDeepStrictEqual(reachOf(left), reachOf(right));
}

function reachOf(entry: RawEntry): unknown {
  const url = entry["url"] ?? entry["serverUrl"] ?? entry["httpUrl"];
  return typeof url === "string" ? { url } : { command: entry["command"], args: entry["args"] ?? [] };
}

function warnings({ entry }: FoundServer): readonly string[] {
  const risky = riskyVariables(Object.keys(fieldsOf(entry?.["env"])));
  return risky.length === 0 ? [] : [`sets ${risky.join(", ")}, which can change what code runs or whom it trusts`];
}
