import type { Actor } from "../../actor.ts";
import type { Door } from "../../door/door.ts";
import type { Environments } from "../../packages/environments.ts";

/** Installs packages, all or none, for runs in an environment: an act, which rules can stop. */
export type InstallPackages = (
  environment: string,
  language: Parameters<Environments["install"]>[1],
  packages: readonly string[],
  actor: Actor,
) => ReturnType<Environments["install"]>;

export function createInstallPackages(door: Pick<Door, "own">, environments: Environments): InstallPackages {
  return (environment, language, packages, actor) => {
    const { signal, onProgress } = actor;
    const options = { signal, onProgress: (line: string) => onProgress?.(line) };
    return door.own("packages.install", { environment, language, packages }, actor, () =>
      environments.install(environment, language, packages, options),
    );
  };
}
