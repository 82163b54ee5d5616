import { packageForModule } from "../../packages/install-name.ts";
import type { Language } from "../../sandbox/engine.ts";
import type { MissingPackage, Problem } from "../problem.ts";
import type { RunError } from "../results/run-result.ts";
import type { MissingModule } from "../toolchain.ts";

/** The packages that the code lacks, when that is all that is wrong with it. */
export function missingPackages(problems: readonly Problem[]): readonly MissingPackage[] {
  const missing = problems.flatMap((problem) => problem.missing ?? []);
  if (missing.length < problems.length) return [];
  return [...new Map(missing.map((one) => [one.module, one])).values()];
}

/** What a guest lacks that failed for want of a module: the package that brings it, or the module that was meant. */
export function missingModule(language: Language, module: string): MissingModule | undefined {
  const { install, instead } = packageForModule(language, module);
  if (install !== undefined) return { missing: { module, install } };
  return instead === undefined ? undefined : { hint: `Did you mean "${instead}"?` };
}

/** What an error says beside its message when packages are missing. */
export function missingPackageError(
  packages: readonly MissingPackage[],
  language: Language,
): Pick<RunError, "code" | "packages" | "hint"> {
  const names = installNames(packages);
  const command = `mcp-coordinator env install ${names.join(" ")} --language ${language}`;
  const hint = `Not installed: ${names.join(", ")}. To install, use install_dependencies (toolset "environment") or "${command}"; with coordinator.packages.autoInstall it is done automatically. Or do without.`;
  return { code: "missing_package", packages, hint };
}

export function installNames(packages: readonly MissingPackage[]): string[] {
  return [...new Set(packages.map(({ install }) => install))];
}
