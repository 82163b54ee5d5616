/** Something in guest code that would go wrong at run time; found before anything ran. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** Set when all that is wrong is a package that is not installed. */
  readonly missing?: MissingPackage | undefined;
}

/** A module that the code imports, and the name under which its package is installed. */
export interface MissingPackage {
  readonly module: string;
  readonly install: string;
}

const maxShown = 10;

/** Problems as a model reads them: place, message, and the line of code that is meant. */
export function showProblems(source: string, problems: readonly Problem[]): string {
  const lines = source.split("\n");
  const shown = problems.slice(0, maxShown).map(({ line, column, message }) => {
    const code = (lines[line - 1] ?? "").trim().slice(0, 160);
    return `line ${line}, column ${column}: ${message}\n  ${line} | ${code}`;
  });
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
