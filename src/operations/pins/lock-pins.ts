import * as z from "zod";
import { local } from "../../actor.ts";
import { allowed } from "../../catalog/glob.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { type Definition, hashOf, instructionsDefinition, toolDefinition } from "../../policy/pins/definition.ts";
import { lockText } from "../../policy/pins/lock.ts";
import type { Lock } from "../../policy/pins/lock-schema.ts";
import type { Pin } from "../../policy/pins/pin.ts";
import { pinText } from "../../servers/pins/pin-refusal.ts";
import type { ServerStanding } from "../../servers/pins/server-pins.ts";
import { definitionOfItem } from "../../servers/pins/show-listed.ts";
import { plural } from "../../system/plural.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";

export function exportPins(services: Services) {
  return defineOperation({
    name: "export_pins",
    description: "Everything that is accepted, as a lock: hashes of the servers and of all that they offer now",
    input: () => z.strictObject({}),
    async run(): Promise<Lock> {
      const standings = [...(await services.pins.servers.load()).values()].filter(({ state }) => state !== "blocked");
      const servers: Lock["servers"] = {};
      for (const standing of standings) {
        const offered = await offeredBy(standing, services);
        const [open] = (await services.pins.open(standing.name)).filter(({ state }) => state !== "blocked");
        if (open && services.pins.mode(standing.name) !== "note")
          throw unreviewed(standing.name, `${open.name} ${pinText(open)}`);
        const entry: Lock["servers"][string] = emptyEntry(standing.key);
        for (const definition of offered) entry[definition.kind][definition.name] = hashOf(definition);
        servers[standing.name] = entry;
      }
      return { lockVersion: 1, servers };
    },
    present: (lock) => ({ text: lockText(lock).trimEnd() }),
  });
}

interface Verified {
  /** What is not as the lock has it, a line each. */
  readonly differences: readonly string[];
  readonly servers: number;
}

/** For a coordinator that holds everything to a lock: whatever it stops differs from that. */
export function verifyPins(services: Services) {
  return defineOperation({
    name: "verify_pins",
    description: "Ask every server, and tell what is not as the lock has it",
    input: () => z.strictObject({}),
    async run(): Promise<Verified> {
      const { lock } = services.pins;
      if (!lock) throw new CoordinatorError("input_invalid", "There is no lock to hold the servers to");
      const standings = await services.pins.servers.load();
      const differences: string[] = [];
      for (const standing of standings.values()) differences.push(...(await differencesOf(standing, lock, services)));
      for (const name of Object.keys(lock.servers)) {
        if (!standings.has(name)) differences.push(`${name}: is in the lock, and not configured`);
      }
      return { differences, servers: standings.size };
    },
    present: ({ differences, servers }) => ({
      text:
        differences.length === 0
          ? `${plural(servers, "server")} and all that is offered: as the lock has it.`
          : differences.join("\n"),
      failed: differences.length > 0,
    }),
  });
}

async function differencesOf(standing: ServerStanding, lock: Lock, services: Services): Promise<readonly string[]> {
  const { name, state } = standing;
  if (state !== "accepted")
    return [`${name}: ${state === "not in the lock" ? "is not started as the lock has it" : state}`];
  try {
    const offered = await offeredBy(standing, services);
    const { tools } = services.libraries.server(name);
    // What a person has blocked here is not in the lock, and is not missed.
    const isBlocked = (pin: Pin) => services.pins.stop(name, pin.kind, pin.name)?.state === "blocked";
    const open = (await services.pins.open(name)).filter((pin) => !isBlocked(pin));
    const stopped = open
      .filter((pin) => pin.kind !== "tool" || allowed(pin.name, tools))
      .map((pin) => `${name}.${pin.name || pin.kind} ${pin.why.join(", ")}`);
    const { server: _server, ...kinds } = lock.servers[name] ?? emptyEntry("");
    const gone = Object.entries(kinds).flatMap(([kind, hashes]) =>
      Object.keys(hashes).filter(
        (one) => !offered.some((definition) => definition.kind === kind && definition.name === one),
      ),
    );
    return [...stopped, ...gone.map((one) => `${name}.${one} is in the lock, and gone`)];
  } catch (thrown) {
    return [`${name}: ${messageOf(thrown)}`];
  }
}

function emptyEntry(server: string): Lock["servers"][string] {
  return { server, tool: {}, prompt: {}, template: {}, instructions: {} };
}

/** All that a server offers now, as it is shown. Starts it. */
async function offeredBy({ name }: ServerStanding, services: Services): Promise<readonly Definition[]> {
  const { libraries, door, upstreams, pins } = services;
  const actor = { ...local, via: "cli" } as const;
  const { tools } = await libraries.refresh(name);
  const prompts = await door.list(name, "prompts", actor);
  const templates = await door.list(name, "resourceTemplates", actor);
  const info = await pins.shownInfo(name, (await upstreams.describe(name)).info);
  return [
    ...[...tools.values()].map(toolDefinition),
    ...prompts.items.flatMap((item) => definitionOfItem("prompt", item) ?? []),
    ...templates.items.flatMap((item) => definitionOfItem("template", item) ?? []),
    instructionsDefinition((info as { instructions?: unknown } | undefined)?.instructions),
  ];
}

function unreviewed(server: string, what: string): CoordinatorError {
  return new CoordinatorError("tool_changed", `Cannot write a lock: of "${server}", ${what}`, {
    hint: `Review it first: mcp-coordinator pins diff ${server}`,
  });
}
