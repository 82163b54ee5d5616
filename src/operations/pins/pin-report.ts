import * as z from "zod";
import { visibleText } from "../../approvals/visible-text.ts";
import { compareDefinitions } from "../../catalog/compare-definitions.ts";
import { sortedJson } from "../../catalog/sorted-json.ts";
import type { Tool } from "../../catalog/tool.ts";
import { CoordinatorError } from "../../errors.ts";
import { type Definition, hashOf } from "../../policy/pins/definition.ts";
import { isFlapping, type Pin, type PinMode } from "../../policy/pins/pin.ts";
import { writtenDifferences, writtenLines } from "../../policy/pins/written-server.ts";
import { pinText } from "../../servers/pins/pin-refusal.ts";
import type { ServerStanding, ServerState } from "../../servers/pins/server-pins.ts";
import { nearest } from "../../system/nearest.ts";
import { plural } from "../../system/plural.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";

/** How a server and what it offers stand to what was accepted. */
export interface ServerReport {
  readonly server: string;
  readonly state: ServerState;
  readonly pins: PinMode;
  readonly decidedAt?: number;
  readonly decidedBy?: string;
  /** How many definitions are accepted as they are. */
  readonly accepted: number;
  /** What is not: it cannot be used, unless changes are only noted. */
  readonly review: readonly DefinitionReport[];
}

interface DefinitionReport {
  readonly kind: Pin["kind"];
  readonly name: string;
  readonly state: Pin["state"];
  readonly why: readonly string[];
  readonly flapping?: true;
}

export function listPins(services: Services) {
  return defineOperation({
    name: "list_pins",
    description: "Servers and definitions as they were accepted, and what is not so any more",
    readOnly: true,
    input: () => z.strictObject({ server: z.string().optional() }),
    async run({ server }): Promise<{ file: string; servers: readonly ServerReport[] }> {
      const all = await services.pins.servers.load();
      const chosen = server === undefined ? [...all.values()] : [findStanding(all, server)];
      return { file: services.servers.file, servers: await Promise.all(chosen.map((one) => reportOf(one, services))) };
    },
    present: ({ servers }) => ({ text: servers.map(showReport).join("\n") || "No servers are configured." }),
  });
}

/** Something that a person may want to accept: what it was, and what it is. */
export interface PinDiff {
  readonly server: string;
  readonly state: ServerState;
  /** How it is started or reached, and what of that is not as it was accepted. */
  readonly written: readonly string[];
  readonly differences: readonly string[];
  readonly definitions: readonly (DefinitionReport & { readonly diff: string })[];
  /** Of all that is shown: only what was seen is accepted. */
  readonly shown: string;
}

export function diffPins(services: Services) {
  return defineOperation({
    name: "diff_pins",
    description: "What of a server is not as it was accepted, whole",
    readOnly: true,
    input: () => z.strictObject({ server: z.string(), names: z.array(z.string()).default([]) }),
    async run({ server, names }) {
      const { standing, pins } = await chosenPins(services, server, names);
      return diffOf(standing, pins);
    },
    present: (diff) => ({ text: showDiff(diff) }),
  });
}

/** A server, and those of its pins that are not accepted as they are, or the ones of these names. */
export async function chosenPins(services: Services, server: string, names: readonly string[]) {
  const standing = findStanding(await services.pins.servers.load(), server);
  const open = await services.pins.open(standing.name);
  if (names.length === 0) return { standing, pins: open };
  const all = await services.pins.all(standing.name);
  const pins = names.map((name) => {
    const found = all.filter((pin) => pin.name === name);
    const [pin] = [...found.filter(({ kind }) => kind === "tool"), ...found];
    if (pin) return pin;
    const close = nearest(
      name,
      all.map((one) => one.name),
    );
    throw new CoordinatorError(
      "tool_unknown",
      `Nothing of "${standing.name}" is pinned as ${visibleText(JSON.stringify(name))}`,
      {
        hint:
          close === undefined ? "`mcp-coordinator pins list` shows what is." : `Did you mean ${visibleText(close)}?`,
      },
    );
  });
  return { standing, pins };
}

export function diffOf({ name, state, written, pin, key }: ServerStanding, pins: readonly Pin[]): PinDiff {
  const isChanged = state === "changed" && pin?.written !== undefined;
  return {
    server: name,
    state,
    written: writtenLines(written),
    differences: isChanged ? writtenDifferences(pin.written ?? {}, written) : [],
    definitions: pins.map((one) => ({ ...definitionReport(one), diff: patchOf(one) })),
    shown: fingerprint(key, pins),
  };
}

/** Of what a person saw: the server as its file has it, and what each definition says now. */
function fingerprint(key: string, pins: readonly Pin[]): string {
  return sortedJson([key, pins.map(({ kind, name, state, seen }) => [kind, name, state, seen ? hashOf(seen) : ""])]);
}

function findStanding(all: ReadonlyMap<string, ServerStanding>, server: string): ServerStanding {
  const found = all.get(server);
  if (found) return found;
  const close = nearest(server, all.keys());
  throw new CoordinatorError("server_unknown", `No server ${visibleText(JSON.stringify(server))} is configured`, {
    hint: close === undefined ? `Configured: ${[...all.keys()].join(", ") || "none"}.` : `Did you mean "${close}"?`,
  });
}

async function reportOf({ name, state, pin }: ServerStanding, { pins }: Services): Promise<ServerReport> {
  const all = await pins.all(name);
  const open = all.filter((one) => one.state !== "accepted");
  return {
    server: name,
    state,
    pins: pins.mode(name),
    ...(pin && { decidedAt: pin.decidedAt, decidedBy: pin.decidedBy }),
    accepted: all.length - open.length,
    review: open.map(definitionReport),
  };
}

function definitionReport(pin: Pin): DefinitionReport {
  const { kind, name, state, why } = pin;
  return { kind, name, state, why, ...(isFlapping(pin, Date.now()) && { flapping: true as const }) };
}

function showReport({ server, state, pins, decidedAt, decidedBy, accepted, review }: ServerReport): string {
  const by = decidedAt === undefined ? "" : `, ${day(decidedAt)} by ${decidedBy}`;
  const counted = accepted > 0 ? `, ${plural(accepted, "definition")} accepted` : "";
  const lines = review.map(({ kind, name, flapping, ...pin }) => {
    const often = flapping
      ? `; it says something else all the time: "ignore" in the entry's "pins" lets that pass`
      : "";
    return `  ${kind === "tool" ? "" : `${kind} `}${visibleText(name)} ${visibleText(pinText(pin))}${often}`;
  });
  return [`${server}: ${state}${by}; pins: ${pins}${counted}`, ...lines].join("\n");
}

export function showDiff({ server, state, written, differences, definitions }: PinDiff): string {
  const first =
    differences.length > 0
      ? [`${server} is not started as it was accepted:`, ...differences.map((line) => `  ${visibleText(line)}`)]
      : [`${server} (${state})`, ...written.map((line) => `  ${visibleText(line)}`)];
  const parts = definitions.map(({ kind, name, diff, ...pin }) => {
    const lines = diff
      .trimEnd()
      .split("\n")
      .map((line) => `  ${visibleText(line)}`);
    return [`${kind === "tool" ? "" : `${kind} `}${visibleText(name)} ${visibleText(pinText(pin))}`, ...lines].join(
      "\n",
    );
  });
  const none = definitions.length === 0 && state === "accepted" ? ["Everything is as it was accepted."] : [];
  return [first.join("\n"), ...parts, ...none].join("\n\n");
}

function patchOf({ accepted, seen }: Pin): string {
  const [before, after] = [accepted, seen ?? accepted].map((one) => (one ? [asTool(one)] : []));
  return compareDefinitions(before ?? [], after ?? [])[0]?.diff ?? "";
}

/** What is compared as tools are: their texts and schemas. */
function asTool({ kind, name, parts }: Definition): Tool {
  if (kind === "tool") return { description: "", inputSchema: {}, ...parts, name, identifier: name } as Tool;
  const { title, description, text, ...others } = parts;
  return {
    ...(typeof title === "string" && { title }),
    ...{ name, identifier: name, description: String(description ?? text ?? ""), inputSchema: others },
  };
}

function day(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
