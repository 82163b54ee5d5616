import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** Bundles a program of the tests with our sources, so that Node 20 can run it. `outfile` lies in the project: it finds packages there. */
export function bundleProgram(entry: URL, outfile: string): void {
  buildSync({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    mainFields: ["module", "main"],
    external: ["deno", "esbuild", "libsql", "oxc-parser", "oxc-transform", "pyodide", "pyright", "typescript"],
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
}
