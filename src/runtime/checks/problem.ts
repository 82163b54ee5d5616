import { nearest } from "../../system/nearest.ts";

/** Something in guest code that would go wrong at run time; found before anything ran. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** Set when all that is wrong is a package that is not installed. */
  readonly missing?: MissingPackage | undefined;
  /** Set when an import was misspelled, and what it was meant to be is not installed either. */
  readonly meant?: MissingPackage | undefined;
  /** A name that nothing defines; a tool may have it. */
  readonly unknownName?: string | undefined;
  /** The servers and tools that it is about. */
  readonly about?: readonly { readonly server: string; readonly tool?: string | undefined }[] | undefined;
  /** The module that it is in, with its line of code; the guest's own code when absent. */
  readonly module?: { readonly id: string; readonly code: string } | undefined;
}

/** A module that the code imports, and the name under which its package is installed. */
export interface MissingPackage {
  readonly module: string;
  readonly install: string;
}

/** A problem in the code of a module. */
export function problemInModule(
  problem: Problem,
  { id, code }: { readonly id: string; readonly code: string },
): Problem {
  return { ...problem, module: { id, code: lineIn(code, problem.line) } };
}

/** What a name that is not there was meant to be, as a sentence behind another; what else to say where nothing is near. */
export function didYouMean(name: string, known: Iterable<string>, otherwise = ""): string {
  const close = nearest(name, known);
  return close ? ` Did you mean "${close}"?` : otherwise;
}

export function listed(names: readonly string[], most = 12): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

const maxShown = 10;

/** Problems as a model reads them: place, message, and the line of code that is meant. */
export function showProblems(source: string, problems: readonly Problem[]): string {
  const shown = problems.slice(0, maxShown).map(({ line, column, message, module }) => {
    const place = module ? `${module.id}, ` : "";
    const code = module ? module.code : lineIn(source, line);
    return `${place}line ${line}, column ${column}: ${message}\n  ${line} | ${code}`;
  });
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

function lineIn(source: string, line: number): string {
  return (source.split("\n")[line - 1] ?? "").trim().slice(0, 160);
}
