import { mostUsed, packageForModule } from "../../packages/install-name.ts";
import type { Language } from "../../sandbox/engine.ts";
import type { MissingPackage, Problem } from "../checks/problem.ts";
import type { RunError } from "../results/run-result.ts";
import type { MissingModule, Toolchain } from "../toolchain.ts";

/** The names of the environments that have a package of a language. */
export type EnvironmentsWith = (language: Language, install: string) => Promise<readonly string[]>;

/** The packages that the code lacks, when that is all that is wrong with it. */
export function missingPackages(problems: readonly Problem[]): readonly MissingPackage[] {
  const missing = problems.flatMap((problem) => problem.missing ?? []);
  if (missing.length < problems.length) return [];
  return [...new Map(missing.map((one) => [one.module, one])).values()];
}

/** Of several imports of one missing package the first. */
export function eachPackageOnce(problems: readonly Problem[]): readonly Problem[] {
  const told = new Set<string>();
  return problems.filter(({ missing }) => {
    if (!missing) return true;
    const isNew = !told.has(missing.install);
    told.add(missing.install);
    return isNew;
  });
}

/** What a guest lacks that failed for want of a module: the package that brings it, or the module that was meant. */
export function missingModule(language: Language, module: string): MissingModule | undefined {
  const { install, instead } = packageForModule(language, module);
  if (install !== undefined) return { missing: { module, install } };
  return instead === undefined ? undefined : { hint: `Did you mean "${instead}"?` };
}

export function notInstalled(module: string, install: string): string {
  const isOwn = install === module || ["/", "."].some((divider) => module.startsWith(`${install}${divider}`));
  const brought = isOwn ? "it is" : `it comes with the package ${install}, which is`;
  return `Cannot find module "${module}": ${brought} not installed.`;
}

/** What an error says beside its message when packages are missing. */
export async function missingPackageError(
  packages: readonly MissingPackage[],
  toolchain: Pick<Toolchain, "language" | "engine" | "environment">,
  environmentsWith: EnvironmentsWith,
): Promise<Pick<RunError, "code" | "packages" | "hint">> {
  return { code: "missing_package", packages, hint: await howToGet(packages, toolchain, environmentsWith) };
}

/** Where packages are that the code lacks, what is there instead, and how they can be installed where the run was. */
export async function howToGet(
  packages: readonly MissingPackage[],
  { language, engine, environment }: Pick<Toolchain, "language" | "engine" | "environment">,
  environmentsWith: EnvironmentsWith,
): Promise<string> {
  const names = installNames(packages);
  const modules = (await engine.modules?.()) ?? new Set<string>();
  const there = language === "python" ? mostUsed.filter((name) => modules.has(name)) : [];
  const elsewhere = await Promise.all(names.slice(0, mostLookedFor).map((name) => environmentsWith(language, name)));
  const place = environment ? ` --environment ${environment.name}` : "";
  const command = `mcp-coordinator env install ${names.join(" ")} --language ${language}${place}`;
  return [
    `Not installed: ${names.join(", ")}.`,
    ...elsewhere.flatMap((found, index) => {
      const [other] = found.filter((name) => name !== environment?.name);
      return other === undefined
        ? []
        : [`The environment "${other}" has ${names[index]}: pass environment: "${other}".`];
    }),
    ...(there.length > 0 ? [`Of well-known packages there are: ${there.join(", ")}.`] : []),
    `To install, use install_dependencies (toolset "environment") or "${command}"; with coordinator.packages.autoInstall it is done automatically. Or do without.`,
  ].join(" ");
}

const mostLookedFor = 5;

export function installNames(packages: readonly MissingPackage[]): string[] {
  return [...new Set(packages.map(({ install }) => install))];
}
