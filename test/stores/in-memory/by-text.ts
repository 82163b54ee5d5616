/** Sorts by a text, as a store does: by its characters, not by a language's rules. */
export function byText<Name extends string>(name: Name) {
  return (left: Readonly<Record<Name, string>>, right: Readonly<Record<Name, string>>): number =>
    left[name] < right[name] ? -1 : Number(left[name] > right[name]);
}
