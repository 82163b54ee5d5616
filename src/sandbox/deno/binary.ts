import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { CoordinatorError } from "../../errors.ts";

/** The Deno program inside its npm package; the package's own install script is not needed. */
export function denoBinary(): string {
  const target = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;
  try {
    const deno = createRequire(import.meta.url).resolve("deno/package.json");
    const folder = dirname(createRequire(deno).resolve(`@deno/${target}/package.json`));
    return join(folder, process.platform === "win32" ? "deno.exe" : "deno");
  } catch (cause) {
    throw new CoordinatorError(
      "engine_unavailable",
      `The engine "deno" cannot run here: no Deno for ${target} is installed`,
      {
        hint: "Install again with optional dependencies (npm install --include=optional); musl systems have no build.",
        cause,
      },
    );
  }
}
