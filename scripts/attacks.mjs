// Attacks every engine and prints a table: `node scripts/attacks.mjs [--engine deno] [--row J001] [--write] [--together]`.
// --row takes the beginning of an id; --write writes docs/attacks.md (with --row, those cells of it); --together attacks all engines at the same time.
// dist/ must be built.
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const outfile = `${root}/node_modules/.tmp/attacks.mjs`;
await build({
  entryPoints: ["test/attacks/main.ts"],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
const { main } = await import(pathToFileURL(outfile).href);
process.exitCode = await main(process.argv.slice(2));
