/** A legal type name from a tool's prefix and what a schema's author called the definition, told apart from the taken ones by a number. */
export function aliasName(prefix: string, hint: string, taken: ReadonlySet<string>): string {
  const base = `${pascalCase(prefix).replace(/^(?![A-Z])/, "Tool")}_${pascalCase(hint) || "Type"}`;
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
  return name;
}

/** The words of a text as one, each with a capital. */
export function pascalCase(text: string): string {
  const words = text.slice(0, 60).match(/[A-Za-z][A-Za-z0-9]*|[0-9]+/g) ?? [];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
