import { setTimeout as delay } from "node:timers/promises";
import type { GatewayUnderPressure, Memory } from "./gateway-under-pressure.ts";
import { type Pinger, startPinging } from "./ping.ts";

/** One hostile input in one field of one operation. */
export interface Shot {
  readonly name: string;
  /** The field: when it has failed a few times, its other inputs are left out. */
  readonly of: string;
}

export interface Battery<Kind extends Shot> {
  readonly name: string;
  /** A gateway that these can be fired at. */
  open(shots: readonly Kind[]): Promise<GatewayUnderPressure>;
  /** Each volley needs a gateway of its own. */
  readonly needsFresh?: true;
  /** Does what a first use starts, so that it is not taken for an effect of the pressure. */
  warmUp(gateway: GatewayUnderPressure): Promise<void>;
  /** Fires all of them at once; resolves when every one is answered. */
  fire(gateway: GatewayUnderPressure, shots: readonly Kind[]): Promise<void>;
  /** The longest that an answer may take. */
  readonly answerMs: number;
}

export interface Report {
  readonly name: string;
  readonly shots: number;
  pings: number;
  slowestIdleMs: number;
  slowestMs: number;
  grownMb: number;
  /** What went wrong, and went wrong again when it was done alone. */
  readonly failures: string[];
}

export interface PressOptions {
  /** How many are fired at once. */
  readonly together: number;
  /** For so long a ping may wait; three times as long as with an idle gateway, where that is longer. */
  readonly waitMs: number;
  /** A gateway that answers no ping for this long is ended. */
  readonly hangMs: number;
  /** After so many failures of one field it is left alone. */
  readonly failuresPerField: number;
  /** After so many failures everything is given up. */
  readonly mostFailures: number;
  readonly onFailure?: (failure: string) => void;
}

const idleMs = 700;
/** What is in use, and the same with what was freed and is kept for the next time. */
const mostGrowthMb = { held: 64, resident: 512 };

interface Aim {
  readonly gateway: GatewayUnderPressure;
  readonly pinger: Pinger;
  readonly start: Memory;
  readonly allowedMs: number;
}

/**
 * Fires volley after volley while somebody pings. A volley that makes a ping wait is taken apart: what it does alone, or
 * does again together, counts; what a busy machine does once does not.
 */
export async function press<Kind extends Shot>(
  battery: Battery<Kind>,
  shots: readonly Kind[],
  options: PressOptions,
): Promise<Report> {
  const report: Report = {
    name: battery.name,
    shots: shots.length,
    pings: 0,
    slowestIdleMs: 0,
    slowestMs: 0,
    grownMb: 0,
    failures: [],
  };
  let aim: Aim | undefined;
  const failed = new Map<string, number>();
  const fail = (failure: string, { of }: Partial<Shot> = {}): void => {
    report.failures.push(failure);
    if (of !== undefined) failed.set(of, (failed.get(of) ?? 0) + 1);
    options.onFailure?.(failure);
  };
  const isTold = ({ of }: Shot) => (failed.get(of) ?? 0) >= options.failuresPerField;
  const close = async (isDead: boolean): Promise<void> => {
    if (!aim) return;
    const { gateway, pinger, start } = aim;
    aim = undefined;
    pinger.stop();
    report.pings += pinger.count;
    if (!isDead) {
      const end = await gateway.memory();
      const grown = end.residentMb - start.residentMb;
      const held = end.heldMb - start.heldMb;
      report.grownMb = Math.max(report.grownMb, grown);
      if (held > mostGrowthMb.held || grown > mostGrowthMb.resident) {
        fail(
          `${battery.name}: the gateway has grown by ${Math.round(grown)} MB, and holds ${Math.round(held)} MB more`,
        );
      }
    }
    if (isDead) await gateway.kill();
    for (const { canary, detail } of gateway.moved()) fail(`${battery.name}: ${canary} ${detail}`);
    await gateway[Symbol.asyncDispose]();
  };
  /** What is wrong with a volley, if anything. */
  const volley = async (list: readonly Kind[]): Promise<string | undefined> => {
    if (battery.needsFresh) await close(false);
    aim ??= await open(battery, list, report, options);
    const { gateway, pinger, allowedMs } = aim;
    pinger.takeSlowest();
    const end = await Promise.race([
      battery.fire(gateway, list).then(() => "answered" as const),
      delay(battery.answerMs, "late" as const),
      pinger.hung(),
    ]);
    const isAlive = end !== "hung" && (await Promise.race([pinger.answered(), pinger.hung()])) === "answered";
    const slowest = pinger.takeSlowest();
    report.slowestMs = Math.max(report.slowestMs, slowest);
    if (!isAlive || end === "late") await close(!isAlive);
    if (!isAlive) return `no ping is answered for ${options.hangMs} ms`;
    if (end === "late") return `there is no answer within ${battery.answerMs} ms`;
    return slowest > allowedMs ? `a ping waits ${Math.round(slowest)} ms` : undefined;
  };
  const twice = async (list: readonly Kind[]): Promise<string | undefined> =>
    (await volley(list)) === undefined ? undefined : volley(list);

  if (battery.needsFresh) {
    aim = await open(battery, [], report, options);
    await close(false);
  }
  for (let next = 0; next < shots.length && report.failures.length < options.mostFailures; next += options.together) {
    const list = shots.slice(next, next + options.together).filter((shot) => !isTold(shot));
    if (list.length === 0 || (await volley(list)) === undefined) continue;
    const before = report.failures.length;
    for (const shot of list) {
      if (isTold(shot) || report.failures.length >= options.mostFailures) continue;
      const wrong = await twice([shot]);
      if (wrong !== undefined) fail(`${battery.name}: ${shot.name}: ${wrong}`, shot);
    }
    if (report.failures.length > before || list.length === 1) continue;
    const wrong = await twice(list);
    if (wrong !== undefined) fail(`${battery.name}: at once, ${list.map(({ name }) => name).join(", ")}: ${wrong}`);
  }
  await close(false);
  return report;
}

async function open<Kind extends Shot>(
  battery: Battery<Kind>,
  list: readonly Kind[],
  report: Report,
  { hangMs, waitMs }: PressOptions,
): Promise<Aim> {
  const gateway = await battery.open(list);
  await battery.warmUp(gateway);
  const start = await gateway.memory();
  const pinger = startPinging({ ...gateway, hangMs });
  // Hostile servers are no part of an idle gateway.
  if (!battery.needsFresh || list.length === 0) {
    await delay(idleMs);
    report.slowestIdleMs = Math.max(report.slowestIdleMs, pinger.takeSlowest());
  }
  return { gateway, pinger, start, allowedMs: Math.max(waitMs, 3 * report.slowestIdleMs) };
}
