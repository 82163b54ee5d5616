// Makes dist/: the library with its types, the command, and what runs inside a sandbox, bundled.
// Bundling halves the time from start to the first answer; native packages stay outside.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundledPackages, snapshotContents } from "./build/bundled-packages.mjs";
import { writeDenoGuest } from "./build/deno-guest.mjs";
import { loadTogether } from "./build/load-together.mjs";
import { buildNotices } from "./build/notices.mjs";
import { buildPyodide } from "./build/pyodide.mjs";
import { buildSbom } from "./build/sbom.mjs";
import { buildTypes } from "./build/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
buildTypes(root, `${root}/dist/types`);

const node = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  mainFields: ["module", "main"],
  external: ["deno", "libsql", "oxc-parser", "oxc-transform", "pyodide", "pyright", "typescript"],
  alias: {
    "@modelcontextprotocol/client/_shims": "./scripts/build/sdk-shims.mjs",
    "@modelcontextprotocol/server/_shims": "./scripts/build/sdk-shims.mjs",
    yaml: "./node_modules/yaml/browser/index.js", // the same as ESM
  },
  // Identifiers stay: stack traces and class names are readable. It costs no time at start, where `keepNames` costs 9%.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none", // the notices have all texts
  metafile: true,
};
const host = await build({
  ...node,
  entryPoints: { index: "src/index.ts", cli: "src/cli/main.ts" },
  splitting: true,
  plugins: [loadTogether(`${root}src/app/coordinator.ts`, (path) => dirname(path) === `${root}src/cli`)],
});
// Each starts alone, in a thread or a sandbox.
const alone = await build({
  ...node,
  entryPoints: {
    "nesting-probe": "src/runtime/typescript/nesting-probe.ts",
    "heavy-jobs": "src/runtime/heavy-jobs.ts",
    "watchdog-thread": "src/cli/process/watchdog-thread.ts",
    forward: "src/sandbox/confined/forward.ts",
  },
});
const asked = [host, alone].flatMap(({ metafile }) =>
  Object.values(metafile.outputs).flatMap(({ imports }) => imports),
);
const required = asked.find(({ kind, external }) => kind === "require-call" && external);
if (required)
  throw new Error(`A package asks for ${required.path} by \`require\`, which modules do not have: take its ESM`);
chmodSync(`${root}/dist/cli.js`, 0o755);

const guests = await build({
  absWorkingDir: root,
  entryPoints: { deno: "src/sandbox/guest/typescript/main.ts", pyodide: "src/sandbox/guest/pyodide/main.ts" },
  outdir: "dist/guest",
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "esnext",
  legalComments: "none",
  metafile: true,
});
const denoGuest = `${root}/dist/guest/deno.js`;
writeDenoGuest(readFileSync(denoGuest, "utf8"), denoGuest);

const packages = [
  ...bundledPackages(root, [host.metafile, alone.metafile, guests.metafile]),
  ...snapshotContents(root),
];
buildNotices(packages, `${root}/dist`);
buildSbom(root, packages, `${root}/dist`);

// One Python package: the guest, and the fork server that makes its processes, which each Python compiles together.
const python = ["guest/python", "cpython/supervisor"].map((folder) => `${root}/src/sandbox/${folder}`);
const sources = python.flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
for (const source of [...sources, `${root}/src/sandbox/cpython/describe.py`]) {
  if (source.endsWith(".py")) cpSync(source, `${root}/dist/guest/python/${basename(source)}`);
}
// Each Python finds here what it has compiled itself. A file, because npm packs no empty folder.
mkdirSync(`${root}/dist/guest/python/__pycache__`);
writeFileSync(`${root}/dist/guest/python/__pycache__/README`, "A place for the code that a Python has compiled.\n");

// What `generate` puts beside Python libraries.
cpSync(`${root}/src/codegen/python/_coordinator.py`, `${root}/dist/python/_coordinator.py`);
cpSync(`${root}/src/sandbox/confined/ask_pip.py`, `${root}/dist/python/ask_pip.py`);

// The system call filter of containers, as podman and docker read it.
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ["src/sandbox/seccomp.ts"],
  bundle: true,
  format: "esm",
  write: false,
});
const { containerProfile } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
);
writeFileSync(`${root}/dist/container-profile.json`, JSON.stringify(containerProfile()));

await buildPyodide(root, `${root}/dist/guest`);
