import { matchesGlob } from "../catalog/glob.ts";
import type { PackageSettings } from "../config/schema.ts";
import { CoordinatorError } from "../errors.ts";
import type { Installer } from "./installer.ts";
import type { InstalledPackage } from "./python/installed.ts";

/** What is asked for by name must be allowed, and be a package at all. Throws package_refused with every problem. */
export function checkPolicy(
  requirements: readonly string[],
  installer: Installer,
  { allow, deny }: PackageSettings,
): void {
  if (requirements.length === 0) throw new CoordinatorError("input_invalid", "No packages were named");
  const problems = requirements.flatMap((requirement) => {
    const read = installer.read(requirement);
    const shown = JSON.stringify(requirement.slice(0, 80));
    if (typeof read === "string") return [`${shown} ${read}`];
    const name = read.name ?? "";
    const matches = (pattern: string) => matchesGlob(name, pattern.toLowerCase());
    if (deny.some(matches)) return [`${shown} is denied by coordinator.packages.deny`];
    return allow.some(matches) ? [] : [`${shown} is not allowed by coordinator.packages.allow`];
  });
  if (problems.length > 0) throw refused(problems);
}

/** What came along with it is denied too; to allow it one by one would be no help. */
export function checkDenied(
  installed: readonly InstalledPackage[],
  installer: Installer,
  { deny }: PackageSettings,
): void {
  const nameOf = (name: string): string => {
    const read = installer.read(name);
    return (typeof read === "string" ? undefined : read.name) ?? name.toLowerCase();
  };
  const problems = installed
    .filter(({ name }) => deny.some((pattern) => matchesGlob(nameOf(name), pattern.toLowerCase())))
    .map(({ name }) => `"${name}", which is needed, is denied by coordinator.packages.deny`);
  if (problems.length > 0) throw refused(problems);
}

function refused(problems: readonly string[]): CoordinatorError {
  return new CoordinatorError("package_refused", `Cannot install: ${problems.join("; ")}`, {
    hint: "Nothing was installed.",
  });
}
