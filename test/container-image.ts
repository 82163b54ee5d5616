import { execFileSync } from "node:child_process";
import { packageFile } from "../src/sandbox/deno/binary.ts";

const script = packageFile("scripts/container-image.mjs");

/** The image that tests of the engine "container" use; built when it is not there, from Debian's packages. */
export function containerImage(): string {
  return execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
}
