// The fields that a JSON Schema lets somebody fill, found by walking it, each with a whole value around it in which
// everything else is plausible. Nobody has to remember a new field.

type Schema = Readonly<Record<string, unknown>>;

export interface Field {
  /** Such as `packages[]`, `arguments.*` (a value under any name) or `arguments.(name)` (the name itself). */
  readonly path: string;
  /** Only a text can stand there: the name of a property. */
  readonly isName: boolean;
  /** The longest text that the schema allows. */
  readonly longest: number | undefined;
  /** The whole value with this JSON text in the field. */
  fill(json: string): string;
}

/** Values for required fields, by their names, so that what is wrong is the one field that is meant. */
export type Plausible = Readonly<Record<string, unknown>>;

const hole = "@@hole@@";
const quotedHole = JSON.stringify(hole);

/** Every field of a schema, the whole value included. `always` names fields that are given although they are optional. */
export function fieldsOf(schema: Schema, plausible: Plausible = {}, always: readonly string[] = []): Field[] {
  const fields: Field[] = [];
  const add = (path: string, value: unknown, options: { isName?: boolean; longest?: unknown } = {}): void => {
    const [before, after] = JSON.stringify(value).split(quotedHole) as [string, string];
    const longest = typeof options.longest === "number" ? options.longest : undefined;
    fields.push({ path, isName: options.isName ?? false, longest, fill: (json) => before + json + after });
  };
  const resolve = (node: Schema): Schema => {
    const reference = node["$ref"];
    if (typeof reference !== "string") return node;
    const steps = reference.split("/").slice(1);
    return steps.reduce<Schema>((found, step) => (found[step] ?? {}) as Schema, schema);
  };

  const walk = (unresolved: Schema, path: string, wrap: (inner: unknown) => unknown, depth: number): void => {
    const node = resolve(unresolved);
    const branches = branchesOf(node);
    if (branches.length > 0) {
      for (const [index, branch] of branches.entries()) walk(branch, `${path}|${index}`, wrap, depth);
      return;
    }
    add(path, wrap(hole), { longest: node["maxLength"] });
    if (depth > 6) return;
    if (node["type"] === "array")
      walk((node["items"] ?? {}) as Schema, `${path}[]`, (inner) => wrap([inner]), depth + 1);
    else if (node["type"] === "object") walkObject(node, path, wrap, depth);
    else if (node["type"] === undefined && node["const"] === undefined && node["enum"] === undefined) {
      add(`${path}.base64`, wrap({ base64: hole }));
      add(`${path}[0]`, wrap([hole]));
      add(`${path}.(name)`, wrap({ [hole]: 1 }), { isName: true });
    }
  };
  const walkObject = (node: Schema, path: string, wrap: (inner: unknown) => unknown, depth: number): void => {
    const properties = (node["properties"] ?? {}) as Record<string, Schema>;
    const others = requiredOf(node);
    for (const [name, property] of Object.entries(properties)) {
      const at = path === "" ? name : `${path}.${name}`;
      walk(property, at, (inner) => wrap({ ...others, [name]: inner }), depth + 1);
    }
    const open = node["additionalProperties"] ?? {};
    add(`${path}.(name)`, wrap({ ...others, [hole]: open === false ? 1 : benign(open as Schema, "") }), {
      isName: true,
    });
    if (open !== false) walk(open as Schema, `${path}.*`, (inner) => wrap({ ...others, a: inner }), depth + 2);
  };
  const requiredOf = (node: Schema): Record<string, unknown> => {
    const properties = (node["properties"] ?? {}) as Record<string, Schema>;
    const given = always.filter((name) => Object.hasOwn(properties, name));
    const names = [...((node["required"] ?? []) as string[]), ...given];
    return Object.fromEntries(names.map((name) => [name, benign(properties[name] ?? {}, name)]));
  };
  const benign = (unresolved: Schema, name: string): unknown => {
    if (Object.hasOwn(plausible, name)) return plausible[name];
    const node = resolve(unresolved);
    const [branch] = branchesOf(node);
    if (branch) return benign(branch, "");
    if (node["const"] !== undefined) return node["const"];
    if (Array.isArray(node["enum"])) return node["enum"][0];
    if (node["type"] === "object") return requiredOf(node);
    if (node["type"] === "array") return [benign((node["items"] ?? {}) as Schema, "")];
    if (node["type"] === "boolean") return false;
    return node["type"] === "number" || node["type"] === "integer" ? 1 : "x";
  };

  walk(schema, "", (inner) => inner, 0);
  return fields;
}

function branchesOf(node: Schema): readonly Schema[] {
  return (node["anyOf"] ?? node["oneOf"] ?? []) as readonly Schema[];
}
