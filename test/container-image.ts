import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../scripts/container-image.mjs", import.meta.url));

/** The image that tests of the engine "container" use; built when it is not there, from Debian's packages. */
export function containerImage(): string {
  return execFileSync(process.execPath, [script], { encoding: "utf8" }).trim();
}
