import type { EnvironmentRecord } from "./environment-file.ts";
import type { InstalledPackage } from "./python/installed.ts";

export interface InstallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Gets what the installer says while it works. */
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** Where the packages of an installation go. */
export interface Layers {
  /** An empty folder, which is to hold them all; it is thrown away when the installation fails. */
  readonly fresh: string;
  /** What the environment has so far; not to be changed. Absent for the first installation. */
  readonly previous: string | undefined;
}

/** How packages of one language are installed. */
export interface Installer {
  /** Packages that are to be installed, or why one of them cannot be: a text that follows its name. */
  read(requirement: string): { readonly name: string | undefined } | string;
  /** What there is to know of the environment before its first packages: it is kept with it. Throws environment_unusable. */
  prepare(environment: EnvironmentRecord): Promise<EnvironmentRecord>;
  /** Installs all that is in `previous`, and these. Throws install_failed. */
  install(
    layers: Layers,
    requirements: readonly string[],
    environment: EnvironmentRecord,
    options: InstallOptions,
  ): Promise<void>;
  /** The packages of a layer, and with an environment that is based on the user's own also those. */
  list(layer: string | undefined, environment: EnvironmentRecord): Promise<readonly InstalledPackage[]>;
}
