import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../scripts/container-image.mjs", import.meta.url));

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
export function containerAbsence(path = process.env["PATH"] ?? ""): string | undefined {
  const why = reason(path.split(delimiter));
  return why && `the engine container: ${why}`;
}

function reason(path: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return "its image is built by root only";
  const missing = ["podman", "debootstrap", "dpkg-deb"].find((program) => !has(program, path));
  if (missing !== undefined) return `${missing} is not installed`;
  const { status, stderr } = spawnSync("podman", ["info"], { encoding: "utf8" });
  return status === 0 ? undefined : `podman does not work here: ${stderr.trim().split("\n").at(-1)}`;
}

function has(program: string, path: readonly string[]): boolean {
  return [...path, "/usr/sbin", "/sbin"].some((folder) => existsSync(join(folder, program)));
}
