import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Coordinator } from "../../src/app/coordinator.ts";
import { operationsOf } from "../../src/app/services-of.ts";
import type { AnyOperation } from "../../src/operations/operation.ts";
import { everyShot, someShots } from "./choose-shots.ts";
import { type ClientField, clientBattery, clientFields } from "./client-shots.ts";
import { openGateway, type Transport, toolsets } from "./gateway-under-pressure.ts";
import { guestBattery, guestFields } from "./guest-shots.ts";
import { createRandom, recipes } from "./hostile-inputs.ts";
import { hostileServer } from "./hostile-server.ts";
import { type PressOptions, press, type Report } from "./press.ts";
import { serverFields } from "./server-fields.ts";
import { type ServerShot, serverBattery } from "./server-shots.ts";

export const sides = ["client", "guest", "server"] as const;
export type Side = (typeof sides)[number];

export interface Form {
  /** How many inputs each field gets; every one, in every size, when absent. */
  readonly perField?: number;
  readonly seed: number;
  /** Only fields whose operation and path contain this. */
  readonly only?: string;
  /** Only inputs whose name contains this. */
  readonly input?: string;
  /** Every second field, the first or the second one: the other transport has the rest. */
  readonly half?: 0 | 1;
  /** For so long a ping may wait; 250 ms when absent. */
  readonly waitMs?: number;
  readonly onFailure?: (failure: string) => void;
}

/** What `npm test` tries must hold on a machine that is half as fast. */
export const shortForm = { perField: 1, seed: 1, waitMs: 500 } as const satisfies Form;

export interface SideReport extends Report {
  readonly operations: number;
  readonly fields: number;
}

/**
 * A body of HTTP may have 4 MiB, a frame of a guest 16 MB. A line of stdio may have 10 MiB, but there a ping stands behind
 * what was sent before it, by the same client: several large ones at once delay nobody else.
 */
const largest = { stdio: 1_000_000, http: 4_100_000 };
const largestFrame = 8_000_000;
const serverSizes = [60, 3000, 100_000];

const bounds = { hangMs: 5000, failuresPerField: 2 };

/** Presses from one side, over one transport. */
export async function pressSide(side: Side, transport: Transport, form: Form): Promise<SideReport> {
  const options = (together: number): PressOptions => ({
    ...bounds,
    together,
    waitMs: form.waitMs ?? 250,
    mostFailures: form.perField === undefined ? 200 : 5,
    ...(form.onFailure && { onFailure: form.onFailure }),
  });
  if (side === "server") {
    const shots = serverShots(form);
    const fields = serverFields().flatMap((group) => group.fields);
    const report = await press(serverBattery(transport), shots, options(8));
    return { ...report, operations: new Set(fields.map(({ type }) => type)).size, fields: fields.length };
  }
  if (side === "guest") {
    const fields = chosen(guestFields(await allOperations()), form);
    const shots = shotsOf(fields, [60, 3000, 100_000, largestFrame], form);
    return { ...(await press(guestBattery(transport), shots, options(12))), ...counts(fields) };
  }
  const fields = chosen(await listedClientFields(), form);
  const shots = shotsOf(fields, [60, 3000, 100_000, largest[transport]], form);
  return { ...(await press(clientBattery(transport), shots, options(6))), ...counts(fields) };
}

function chosen<Kind extends { operation: string; path: string }>(
  fields: readonly Kind[],
  { only, half }: Form,
): Kind[] {
  return fields
    .filter((_, index) => half === undefined || index % 2 === half)
    .filter(({ operation, path }) => only === undefined || `${operation} ${path}`.includes(only));
}

function shotsOf<Kind extends { operation: string; path: string; isName: boolean; longest: number | undefined }>(
  fields: readonly Kind[],
  sizes: readonly number[],
  { seed, perField, input = "" }: Form,
) {
  const shots = perField === undefined ? everyShot(fields, sizes) : someShots(fields, sizes, { seed, perField });
  return shots.filter(({ recipe }) => recipe.name.includes(input));
}

const counts = (fields: readonly { readonly operation: string }[]) => ({
  operations: new Set(fields.map(({ operation }) => operation)).size,
  fields: fields.length,
});

function serverShots({ perField, seed, only, input = "" }: Form): ServerShot[] {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const shot = (group: { of: string; fields: ServerShot["fields"] }, recipe: ServerShot["recipe"], size: number) => ({
    ...group,
    name: `${group.of} = ${recipe.name}${recipe.isFixed ? "" : ` of ${size}`}`,
    recipe,
    size,
  });
  const groups = serverFields().filter(({ of }) => only === undefined || of.includes(only));
  const some = (group: (typeof groups)[number]) =>
    Array.from({ length: perField ?? 0 }, () => shot(group, pick(recipes), pick(serverSizes)));
  const every = (group: (typeof groups)[number]) =>
    recipes.flatMap((recipe) => (recipe.isFixed ? [60] : serverSizes).map((size) => shot(group, recipe, size)));
  const shots = groups.flatMap(perField === undefined ? every : some);
  return shots.filter(({ recipe }) => recipe.name.includes(input));
}

async function listedClientFields(): Promise<ClientField[]> {
  await using gateway = await openGateway({ transport: "stdio", mcpServers: { quiet: hostileServer() } });
  return await clientFields(gateway.wire);
}

/** All operations, as a coordinator with every toolset has them. */
async function allOperations(): Promise<readonly AnyOperation[]> {
  const folder = mkdtempSync(join(tmpdir(), "pressure-operations-"));
  const config = join(folder, "mcp_servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers: {}, coordinator: { toolsets } }));
  try {
    await using coordinator = await Coordinator.open({
      config,
      env: { PATH: process.env["PATH"] ?? "", MCP_COORDINATOR_HOME: folder },
    });
    return operationsOf(coordinator);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
