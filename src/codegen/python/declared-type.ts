import { isPythonIdentifier } from "./identifier.ts";
import { quotePython } from "./quote.ts";
import type { DeclaredType, DictionaryItem } from "./schema-type.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A declared type as code, without a line end. `short` is a single line, for those who pay by the word. */
export function printDeclared(
  name: string,
  type: DeclaredType,
  { vocabulary, short = false }: { vocabulary: Vocabulary; short?: boolean },
): string {
  if (type.kind === "alias")
    return short ? `${name} = ${type.type}` : `${name}: ${vocabulary.word("TypeAlias")} = ${type.type}`;
  const { items, others } = type;
  const dictionary = vocabulary.word("TypedDict");
  const extra = others === undefined ? "" : `, extra_items=${others}`;
  const typeOf = ({ required, type: own }: DictionaryItem) =>
    required ? own : `${vocabulary.word("NotRequired")}[${own}]`;
  if (!items.every(({ key }) => canBeField(key))) {
    const entries = items.map((item) => `${quotePython(item.key)}: ${typeOf(item)}`);
    return `${name} = ${dictionary}(${quotePython(name)}, {${entries.join(", ")}}${extra})`;
  }
  const fields = items.map((item) => `${item.key}: ${typeOf(item)}`);
  if (fields.length === 0) fields.push("pass");
  return `class ${name}(${dictionary}${extra}):${short ? ` ${fields.join("; ")}` : fields.map((field) => `\n    ${field}`).join("")}`;
}

/** Whether a key can be a field of a class: one that starts with two underscores would be mangled. */
function canBeField(key: string): boolean {
  return isPythonIdentifier(key) && !key.startsWith("__");
}
