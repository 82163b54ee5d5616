import { CoordinatorError } from "../errors.ts";
import type { Language } from "../sandbox/engine.ts";
import type { Definition, ReadDefinitions } from "./definition.ts";

/** A definition, and where it stands: the newest program is 0. */
interface Placed extends Definition {
  readonly program: number;
}

/**
 * The code of a module with a function that programs define, and all of theirs that it uses: imports, helpers, types,
 * constants. `programs` are the newest first, as the later definition of a name is the one that counts.
 */
export async function functionSource(name: string, programs: readonly string[], language: Language): Promise<string> {
  const read = await readers[language]();
  const placed = programs.map((source, program) => read(source).map((one): Placed => ({ ...one, program })));
  const meaningOf = (wanted: string): readonly Placed[] => {
    const found = placed.map((all) => all.filter(({ names }) => names.includes(wanted))).find((all) => all.length > 0);
    const isRedefined = found?.every(({ kind }) => kind === "function") ?? false;
    return (isRedefined ? found?.slice(-1) : found) ?? [];
  };
  const [wanted, ...more] = meaningOf(name);
  if (wanted?.kind !== "function" || more.length > 0) throw notThere(name, language);
  const taken = new Set([wanted]);
  const state = new Set<string>();
  for (const { uses } of taken) {
    for (const used of uses) {
      const meaning = meaningOf(used);
      const isPlain = meaning.length <= 1 || meaning.every(({ kind }) => kind === "import" || kind === "type");
      if (!isPlain || meaning.some(({ kind }) => kind === "state")) state.add(used);
      else for (const one of meaning) taken.add(one);
    }
  }
  if (state.size > 0) throw leansOnState(name, [...state], language);
  return moduleOf(
    wanted,
    placed
      .toReversed()
      .flat()
      .filter((one) => taken.has(one)),
  );
}

// Loaded when a function is saved: parsers are large.
const readers: Readonly<Record<Language, () => Promise<ReadDefinitions>>> = {
  typescript: async () => (await import("./typescript/definitions.ts")).typescriptDefinitions,
  python: async () => (await import("./python/definitions.ts")).pythonDefinitions,
};

function moduleOf(wanted: Placed, taken: readonly Placed[]): string {
  const textOf = (one: Placed): string => (one === wanted ? (one.exported ?? one.text) : one.text);
  const imports = new Set(taken.filter(({ kind }) => kind === "import").map(textOf));
  const others = taken.filter(({ kind }) => kind !== "import").map(textOf);
  return `${[[...imports].join("\n"), ...others].filter(Boolean).join("\n\n")}\n`;
}

const written = {
  typescript: { define: "function NAME(…) { … }", save: 'await skills.save("name", code)' },
  python: { define: "def NAME(…):", save: 'skills.save("name", code)' },
};

function notThere(name: string, language: Language): CoordinatorError {
  const { define, save } = written[language];
  const message = `Nothing is stored. This run's code defines no function "${name.slice(0, 80)}" at its top level`;
  const hint = `Write ${define.replace("NAME", /^[\w$]{1,80}$/.test(name) ? name : "name")} there, outside of other functions, or pass the source text: ${save}.`;
  return new CoordinatorError("skill_invalid", message, { hint });
}

function leansOnState(name: string, state: readonly string[], language: Language): CoordinatorError {
  const shown = state.slice(0, 10).join(", ");
  const fixed = language === "python" ? "a plain value assigned once" : "a const with a plain value";
  const message = `Nothing is stored. The function ${name} uses ${shown}, which only this run has: a skill cannot take along what was computed, or is changed`;
  return new CoordinatorError("skill_invalid", message, {
    hint: `Make it a parameter of ${name}, compute it inside, or make it ${fixed}.`,
  });
}
