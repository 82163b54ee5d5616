import { importableTools } from "../../codegen/importable.ts";
import { callableOf } from "../../codegen/python/callable.ts";
import { createVocabulary } from "../../codegen/python/vocabulary.ts";
import type { GuestSource } from "./guest-source.ts";

/** What the stubs of every library call the entries of `list_tools`. */
const listedTool = { name: "_Tool", keys: ["name", "identifier", "description"] };

/** The keys of a dictionary type in the stubs of the libraries. */
export function keysOf({ libraries }: GuestSource, name: string): readonly string[] | undefined {
  for (const library of libraries) {
    const tools = importableTools(library);
    const taken = new Set(tools.map(({ identifier }) => identifier));
    const vocabulary = createVocabulary(taken);
    for (const tool of tools) {
      const type = callableOf(tool, { taken, vocabulary, exact: false }).declared.get(name);
      if (type?.kind === "dictionary") return type.items.map(({ key }) => key);
    }
  }
  return name === listedTool.name ? listedTool.keys : undefined;
}
