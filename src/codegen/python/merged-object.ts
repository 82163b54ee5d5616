import { foldEager } from "../eager-cycles.ts";
import { type Field, type Shape, union } from "../shape.ts";

/** One object that stands for all that unions and intersections of objects allow: Python cannot join types by `&`. */
export interface MergedObject {
  readonly fields: readonly Field[];
  readonly index?: Shape;
  readonly closed: boolean;
  /** The objects that it is made of. */
  readonly leaves: ReadonlySet<Shape>;
}

interface Parts {
  readonly leaves: ReadonlySet<Shape>;
  readonly fields: ReadonlyMap<string, FieldParts>;
  readonly indexes: ReadonlySet<Shape>;
  readonly closed: boolean;
}

interface FieldParts {
  readonly required: boolean;
  readonly shapes: ReadonlySet<Shape>;
  readonly about: Field["about"];
}

/**
 * What a shape's objects have in common as one object: of alternatives, a property is required if all require it. Undefined when the
 * shape is not an object; an alternative that is not one makes it undefined too, unless `onlyObjects` says that only objects will come.
 */
export function mergeObjects(shape: Shape, options: { onlyObjects?: boolean } = {}): MergedObject | undefined {
  const parts = foldEager<Parts | undefined>(shape, {
    leaf: partsOfObject,
    union: (members) => {
      const objects = members.filter((member) => member !== undefined);
      return options.onlyObjects || objects.length === members.length ? join(objects, "union") : undefined;
    },
    intersection: (members) =>
      join(
        members.filter((member) => member !== undefined),
        "intersection",
      ),
  });
  if (parts === undefined) return undefined;
  const { leaves, fields, indexes, closed } = parts;
  return {
    leaves,
    fields: [...fields].map(([name, { required, shapes, about }]) => ({
      name,
      required,
      shape: joined(shapes),
      about,
    })),
    ...(indexes.size > 0 && { index: joined(indexes) }),
    closed,
  };
}

function partsOfObject(shape: Shape): Parts | undefined {
  if (shape.kind !== "object") return undefined;
  const fields = new Map(
    shape.fields.map(({ name, required, shape: own, about }) => [name, { required, shapes: new Set([own]), about }]),
  );
  const { index, closed } = shape;
  return { leaves: new Set([shape]), fields, indexes: new Set(index ? [index] : []), closed };
}

function join(parts: readonly Parts[], by: "union" | "intersection"): Parts | undefined {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return first;
  const names = new Set(parts.flatMap(({ fields }) => [...fields.keys()]));
  const fields = [...names].map((name): [string, FieldParts] => {
    const found = parts.flatMap((part) => part.fields.get(name) ?? []);
    const isRequired = (field: FieldParts) => field.required;
    const required = by === "union" ? found.length === parts.length && found.every(isRequired) : found.some(isRequired);
    const shapes = new Set(found.flatMap((field) => [...field.shapes]));
    if (by === "intersection" && shapes.size > 1)
      for (const one of shapes) if (one.kind === "unknown") shapes.delete(one);
    return [name, { required, shapes, about: found.find(({ about }) => about.length > 0)?.about ?? [] }];
  });
  return {
    leaves: new Set(parts.flatMap(({ leaves }) => [...leaves])),
    fields: new Map(fields),
    indexes: new Set(parts.flatMap(({ indexes }) => [...indexes])),
    closed: parts.every(({ closed }) => closed),
  };
}

/** What several say of one property is taken for alternatives, which refuses nothing that they allow together. */
function joined(shapes: ReadonlySet<Shape>): Shape {
  return union([...shapes]);
}
