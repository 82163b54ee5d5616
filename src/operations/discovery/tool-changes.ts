import * as z from "zod";
import type { ToolChange } from "../../catalog/compare-definitions.ts";
import { plainLine, plainText } from "../../catalog/plain-text.ts";
import { CoordinatorError } from "../../errors.ts";
import type { NoticedChange } from "../../runtime/libraries/definition-changes.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";

interface ToolChanges {
  /** Newest first. */
  readonly definitions: readonly NoticedChange[];
  readonly results: readonly { readonly tool: string; readonly at: number; readonly drift: string }[];
}

/** What has changed about the tools of a server, as far as it was noticed. */
export function toolChanges(services: Services) {
  return defineOperation({
    name: "tool_changes",
    description: "How the tools of one server have changed: definitions, with a diff, and the shape of results",
    readOnly: true,
    input: () => z.strictObject({ server_name: z.string() }),
    run: async ({ server_name }): Promise<ToolChanges> =>
      changesOf(services, services.libraries.server(server_name).name),
    present: (changes) => ({ text: showChanges(changes) }),
  });
}

export async function changesOf(services: Services, server: string): Promise<ToolChanges> {
  const { libraries, observations, observed, definitionChanges } = services;
  await observations.flush();
  const identity = libraries.identity(server);
  const results = [...(await observed.of(identity))].flatMap(([tool, { drift }]) =>
    drift ? [{ tool, at: drift.at, drift: drift.text }] : [],
  );
  const definitions = await definitionChanges.of(identity);
  return { definitions, results: results.sort((left, right) => right.at - left.at) };
}

const mostSummed = 6;

/** `create_issue changed (input), list_tags added, 3 more`. */
export function sumUp(changes: readonly ToolChange[]): string {
  const told = changes.slice(0, mostSummed).map(({ tool, kind, parts }) => {
    return `${plainLine(tool, 80)} ${kind}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`;
  });
  return [...told, ...(changes.length > mostSummed ? [`${changes.length - mostSummed} more`] : [])].join(", ");
}

function showChanges({ definitions, results }: ToolChanges): string {
  const day = (at: number) => new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const lines = [
    ...definitions.map(
      (change) => `${day(change.at)}  ${sumUp([change])}\n${plainText(change.diff, 10_000).trimEnd()}\n`,
    ),
    ...results.map(({ tool, at, drift }) => `${day(at)}  results of ${plainLine(tool, 80)}: ${drift}`),
  ];
  return lines.join("\n") || "No change was noticed.";
}

/** What search tells of changes that nobody was told of yet; empty nearly always. They count as told once it has answered. */
export function createTellChanges({
  libraries,
  definitionChanges,
}: Pick<Services, "libraries" | "definitionChanges">): () => Promise<string> {
  const told = new Set<number>();
  return async () => {
    const servers = new Map(libraries.modules.map(({ name }) => [libraries.identity(name), name]));
    const untold = [...(await definitionChanges.untold(servers.keys()))].flatMap(([identity, all]) => {
      const changes = all.filter(({ number }) => !told.has(number));
      return changes.length > 0 ? [{ server: servers.get(identity), changes }] : [];
    });
    if (untold.length === 0) return "";
    const changes = untold.flatMap((one) => one.changes);
    for (const { number } of changes) told.add(number);
    setImmediate(() => void tolerate(definitionChanges.markTold(changes)));
    const lines = untold.map((one) => `${one.server}: ${sumUp(one.changes)}`);
    return `Changed since these servers were last asked:\n${lines.join("\n")}`;
  };
}

/** On a full disk the next process tells them again. */
async function tolerate(marking: Promise<void>): Promise<void> {
  await marking.catch((thrown) => {
    if (!(thrown instanceof CoordinatorError)) throw thrown;
  });
}
