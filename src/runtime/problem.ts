/** Something in guest code that would go wrong at run time; found before anything ran. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The module that it is in; the guest's own code when absent. */
  readonly module?: string | undefined;
}

const maxShown = 10;

/** Problems as a model reads them: place, message, and the line of code that is meant. */
export function showProblems(
  source: string,
  problems: readonly Problem[],
  modules: ReadonlyMap<string, string> = new Map(),
): string {
  const shown = problems.slice(0, maxShown).map(({ line, column, message, module }) => {
    const lines = (module === undefined ? source : (modules.get(module) ?? "")).split("\n");
    const code = (lines[line - 1] ?? "").trim().slice(0, 160);
    const place = module === undefined ? "" : `${module}, `;
    return `${place}line ${line}, column ${column}: ${message}\n  ${line} | ${code}`;
  });
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
