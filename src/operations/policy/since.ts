import { CoordinatorError } from "../../errors.ts";

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** The moment that is meant by `30m`, `12h`, `7d`, `2w` or a date; throws input_invalid. */
export function sinceOf(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (unit === "m" || unit === "h" || unit === "d" || unit === "w") return now - Number(count) * unitMs[unit];
  const moment = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return moment;
  throw new CoordinatorError("input_invalid", `${JSON.stringify(text)} is not a time in the past`, {
    hint: "Write 30m, 12h, 7d or 2w, or a date such as 2026-01-31.",
  });
}
