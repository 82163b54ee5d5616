import { type Definition, intersection, type Shape, union, unknownShape } from "./shape.ts";

/**
 * TypeScript resolves a reference that stands alone, in a union or in an intersection at once, and refuses an alias that leads back
 * to itself that way; inside an object, array or tuple it may recur. Such a reference says nothing about a value: it becomes unknown.
 */
export function cutEagerCycles(definitions: Iterable<Definition>): void {
  const done = new Set<Definition>();
  for (const definition of definitions) cut(definition, new Set(), done);
}

function cut(definition: Definition, path: Set<Definition>, done: Set<Definition>): void {
  if (done.has(definition)) return;
  path.add(definition);
  definition.shape = withoutCycle(definition.shape, path, done);
  path.delete(definition);
  done.add(definition);
}

function withoutCycle(shape: Shape, path: Set<Definition>, done: Set<Definition>): Shape {
  switch (shape.kind) {
    case "reference":
      if (path.has(shape.target)) return unknownShape;
      cut(shape.target, path, done);
      return shape;
    case "union":
      return union(shape.members.map((member) => withoutCycle(member, path, done)));
    case "intersection":
      return intersection(shape.members.map((member) => withoutCycle(member, path, done)));
    default:
      return shape;
  }
}

/** A value computed over the unions, intersections and references at the top of a shape; each definition is visited once. */
export function foldEager<Value>(
  shape: Shape,
  fold: { leaf(shape: Shape): Value; union(members: Value[]): Value; intersection(members: Value[]): Value },
): Value {
  const known = new Map<Definition, { readonly value: Value }>();
  const visit = (part: Shape): Value => {
    if (part.kind === "union") return fold.union(part.members.map(visit));
    if (part.kind === "intersection") return fold.intersection(part.members.map(visit));
    if (part.kind !== "reference") return fold.leaf(part);
    const found = known.get(part.target) ?? { value: visit(part.target.shape) };
    known.set(part.target, found);
    return found.value;
  };
  return visit(shape);
}
