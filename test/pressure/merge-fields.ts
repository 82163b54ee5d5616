import type { Field } from "./fields.ts";

type Fillable = Pick<Field, "fill">;

/** What stands in a template where the input will be. */
const hole = "@@hole@@";
export const quotedHole = JSON.stringify(hole);

/** Fields that fit into one answer: a server has only one handshake. */
export function compatible<Kind extends Fillable>(fields: readonly Kind[]): Kind[][] {
  const found: Kind[][] = [];
  for (const field of fields) {
    const place = found.find((others) => merged([...others, field]) !== undefined);
    if (place) place.push(field);
    else found.push([field]);
  }
  return found;
}

/** All of them in one value; undefined when one stands where another has its parts. */
export function merged(fields: readonly Fillable[]): unknown {
  return fields
    .map(({ fill }) => JSON.parse(fill(quotedHole)) as unknown)
    .reduce((all, one) => (all === undefined ? undefined : merge(all, one)));
}

function merge(known: unknown, value: unknown): unknown {
  if (!isHostile(value)) return isPlain(known) && isPlain(value) ? { ...value, ...known } : known;
  if (!isHostile(known)) return isPlain(known) && isPlain(value) ? { ...known, ...value } : value;
  if (!isPlain(known) || !isPlain(value)) return undefined;
  const whole = { ...known };
  for (const [key, part] of Object.entries(value)) {
    const together = Object.hasOwn(known, key) ? merge(known[key], part) : part;
    if (together === undefined || (key === hole && Object.hasOwn(known, key))) return undefined;
    whole[key] = together;
  }
  return whole;
}

const isHostile = (value: unknown) => JSON.stringify(value).includes(quotedHole);

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
