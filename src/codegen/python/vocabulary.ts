const builtins = ["bool", "dict", "float", "int", "list", "object", "str", "tuple"] as const;
const abstract = ["Iterator", "Mapping"] as const;
const typing = ["Any", "Literal", "Never", "NotRequired", "Protocol", "TypeAlias", "TypedDict", "TypeVar"] as const;

type Word = (typeof builtins)[number] | (typeof abstract)[number] | (typeof typing)[number] | "List" | "Item";

/** The names by which a stub speaks of types. A tool may be called `list` or `Any`: then the type goes by another name. */
export interface Vocabulary {
  word(word: Word): string;
  /** The imports at the head of the stub. */
  readonly imports: string;
  /** `List`: what Python passes as a JSON array. Unlike `list` it takes tuples and a `list[int]` for numbers; unlike `Sequence`, no text. */
  readonly arrays: string;
}

export function createVocabulary(taken: ReadonlySet<string>): Vocabulary {
  const word = (wanted: Word): string => {
    let name = wanted === "List" || wanted === "Item" ? `_${wanted}` : wanted;
    while (taken.has(name)) name = `_${name}`;
    return name;
  };
  const importing = (words: readonly Word[]) =>
    words.map((name) => (word(name) === name ? name : `${name} as ${word(name)}`)).join(", ");
  const renamed = builtins.filter((name) => word(name) !== name);
  const imports = [
    ...(renamed.length > 0 ? [`from builtins import ${importing(renamed)}\n`] : []),
    `from collections.abc import ${importing(abstract)}\n`,
    `from typing_extensions import ${importing(typing)}\n`,
  ].join("");
  const item = word("Item");
  const arrays = `${item} = ${word("TypeVar")}("${item}", covariant=True)

class ${word("List")}(${word("Protocol")}[${item}]):
    def __getitem__(self, index: ${word("int")}, /) -> ${item}: ...
    def __contains__(self, value: ${word("object")}, /) -> ${word("bool")}: ...
    def __iter__(self) -> ${word("Iterator")}[${item}]: ...
    def __len__(self) -> ${word("int")}: ...
`;
  return { word, imports, arrays };
}
