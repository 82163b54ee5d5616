import type { Library } from "../../catalog/tool.ts";
import { parameterNames } from "../../codegen/python/parameter-names.ts";
import type { GuestLibrary, GuestTool, Language } from "../../sandbox/engine.ts";

const known: Record<Language, WeakMap<Library, GuestLibrary>> = { typescript: new WeakMap(), python: new WeakMap() };

/** A library as the data that guests of a language make their module of. */
export function guestLibrary(library: Library, language: Language): GuestLibrary {
  const before = known[language].get(library);
  if (before) return before;
  const { server, module, tools } = library;
  const made = {
    server,
    module,
    tools: tools.map((tool): GuestTool => {
      // Python's keyword arguments are identifiers: those that are not the exact names come with them.
      const renamed =
        language === "python" ? [...parameterNames(tool)].filter(([keyword, exact]) => keyword !== exact) : [];
      if (renamed.length === 0) return [tool.identifier, tool.name];
      return [tool.identifier, tool.name, Object.fromEntries(renamed)];
    }),
  };
  known[language].set(library, made);
  return made;
}
