import { execFileSync } from "node:child_process";
import { packageFile } from "../src/system/package-file.ts";

const script = packageFile("scripts/container-image.mjs");

/** The image that tests of the engine "container" use; built when it is not there, from Debian's packages. */
export function containerImage(): string {
  return execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
}

/** What leads podman to its storage, for programs that get an environment of their own. */
export const containerVariables: Readonly<Record<string, string>> = Object.fromEntries(
  ["CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

/** Why tests of the engine "container" are skipped on this machine; undefined where they can run. */
export function containerAbsence(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const why = execFileSync(process.execPath, [script, "--absence"], { encoding: "utf8", env }).trim();
  return why === "" ? undefined : `the engine container: ${why}`;
}
