// A suite of test/ as a program: its main.ts is bundled, since it is TypeScript, and given the arguments. dist/ must be built.
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function runSuite(name) {
  process.chdir(root);
  const outfile = `${root}/node_modules/.tmp/${name}.mjs`;
  await build({
    entryPoints: [`test/${name}/main.ts`],
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
}
