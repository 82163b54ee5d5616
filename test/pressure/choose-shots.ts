import type { Field } from "./fields.ts";
import { createRandom, type Recipe, recipes } from "./hostile-inputs.ts";

/** One input for one field. */
export interface Choice<Kind> {
  readonly name: string;
  readonly of: string;
  readonly field: Kind;
  readonly recipe: Recipe;
  readonly size: number;
}

type Aimable = Pick<Field, "path" | "isName" | "longest"> & { readonly operation: string };

/** Every field with every input in every size. */
export function everyShot<Kind extends Aimable>(fields: readonly Kind[], sizes: readonly number[]): Choice<Kind>[] {
  return fields.flatMap((field) =>
    fitting(field).flatMap((recipe) => sizesOf(field, recipe, sizes).map((size) => choice(field, recipe, size))),
  );
}

/** Every field with some inputs, the same ones for the same seed. Inputs take turns, so that few are left out. */
export function someShots<Kind extends Aimable>(
  fields: readonly Kind[],
  sizes: readonly number[],
  { seed, perField }: { readonly seed: number; readonly perField: number },
): Choice<Kind>[] {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  return fields.flatMap((field) =>
    Array.from({ length: perField }, () => {
      const recipe = pick(fitting(field));
      return choice(field, recipe, pick(sizesOf(field, recipe, sizes)));
    }),
  );
}

function choice<Kind extends Aimable>(field: Kind, recipe: Recipe, size: number): Choice<Kind> {
  const of = `${field.operation} ${field.path || "(whole)"}`;
  return { name: `${of} = ${recipe.name}${recipe.isFixed ? "" : ` of ${size}`}`, of, field, recipe, size };
}

/** A property's name is a text. */
function fitting({ isName }: Aimable): readonly Recipe[] {
  return isName ? recipes.filter(({ isJson, before }) => !isJson || before === '"') : recipes;
}

/** None above what the schema allows but one, which is refused. */
function sizesOf({ longest }: Aimable, { isFixed }: Recipe, sizes: readonly number[]): readonly number[] {
  if (isFixed) return sizes.slice(0, 1);
  if (longest === undefined) return sizes;
  return [...sizes.filter((size) => size < longest), longest, sizes.at(-1) ?? longest];
}
