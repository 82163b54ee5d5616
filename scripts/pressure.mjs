// Every field of every operation with every hostile input, while somebody pings:
// `node scripts/pressure.mjs [--side client|guest|server] [--transport stdio|http] [--only TEXT] [--input TEXT]
// [--per-field N] [--seed N]`. --only takes a part of an operation's name and field, --input one of an input's name; --per-field tries that many inputs a field, chosen by the seed.
// dist/ must be built.
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const outfile = `${root}/node_modules/.tmp/pressure.mjs`;
await build({
  entryPoints: ["test/pressure/main.ts"],
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
