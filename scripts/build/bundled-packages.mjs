// Which packages of others are in dist/, with the texts of their licences: for the notices and the SBOM.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Licences that ask for no more than their text beside the code. */
const permissive = new Set([
  ...["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0"],
  ...["Python-2.0", "Unlicense", "Zlib"],
]);

/** Every package whose code esbuild put into these builds. Throws when one has no text, or a licence that is not permissive. */
export function bundledPackages(root, metafiles) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const inputs = new Set(outputs.flatMap((output) => Object.keys(output.inputs)));
  const found = new Map();
  for (const input of inputs) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [];
    if (folder === undefined) continue;
    const { name, version } = packageJson(root, folder);
    for (const one of [{ name, version, folder }, ...carriedBy(root, input)]) {
      found.set(`${one.name}@${one.version}`, one);
    }
  }
  const byName = [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  return byName.map(({ name, version, folder }) => ({ name, version, ...licenceOf(root, name, folder) }));
}

/** What the snapshot of the engine pyodide holds: memory of the two programs, as they are once they have started. */
export function snapshotContents(root) {
  const pyodide = packageJson(root, "node_modules/pyodide");
  const { info } = JSON.parse(readFileSync(join(root, "node_modules/pyodide/pyodide-lock.json"), "utf8"));
  const place =
    "guest/pyodide.snapshot is memory of a process that runs it: with modules imported, otherwise unchanged.";
  const python = readFileSync(join(root, "scripts/build/python-licence.txt"), "utf8").trim();
  return [
    {
      name: "pyodide",
      version: pyodide.version,
      license: pyodide.license,
      text: `${place}\nSource: https://github.com/pyodide/pyodide. The licence: https://mozilla.org/MPL/2.0/`,
    },
    {
      name: "cpython",
      version: info.python,
      license: "PSF-2.0",
      text: `${place}\nParts of it are under licences of others: https://docs.python.org/3/license.html\n\n${python}`,
    },
  ];
}

/** Packages that were bundled into a file of a package before it came here: its bundler has left their paths. */
function carriedBy(root, input) {
  const text = readFileSync(join(root, input), "utf8");
  const regions = text.matchAll(
    /^\/\/#region \S*node_modules\/\.pnpm\/([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)\//gm,
  );
  return [...regions].map(([, id, name]) => {
    const version = id.slice(name.length + 1).split(/[_(]/)[0];
    return { name, version, folder: `node_modules/${name}` };
  });
}

function licenceOf(root, name, folder) {
  const refuse = (why) => new Error(`${name} would be in dist/, and ${why}`);
  if (!existsSync(join(root, folder))) throw refuse("the text of its licence is not here: install it");
  const { license } = packageJson(root, folder);
  if (!isPermissive(String(license))) throw refuse(`its licence is not known to be permissive: ${license}`);
  const files = readdirSync(join(root, folder)).filter((file) => isLicence.test(file));
  if (files.length === 0) throw refuse("it has no text of its licence");
  return { license, text: files.map((file) => readFileSync(join(root, folder, file), "utf8").trim()).join("\n\n") };
}

const isLicence = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i;

function isPermissive(license) {
  return license
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((id) => permissive.has(id));
}

function packageJson(root, folder) {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
}
