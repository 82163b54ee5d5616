// Makes sbom.cdx.json (CycloneDX): what is installed with the package, from the lockfile, and what is inside it. `npm sbom`
// knows only the former, and of that only what this platform needs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes the SBOM of the package, which has `bundled` inside it, into the folder. */
export function buildSbom(root, bundled, folder) {
  const own = readJson(root, "package.json");
  const { packages } = readJson(root, "package-lock.json");
  const installed = Object.entries(packages)
    .filter(([path, { dev }]) => path !== "" && !dev)
    .map(([path, entry]) => ({ ...entry, path, name: nameOf(path) }));
  const needed = (path, names) => names.map((name) => installedFor(packages, path, name)).filter(Boolean);

  const components = new Map();
  const dependencies = new Map([[refOf(own), [...needed("", Object.keys(own.dependencies)), ...bundled.map(refOf)]]]);
  for (const one of installed) {
    const scope = one.optional ? "optional" : "required";
    const hashes = one.integrity && { hashes: [hashOf(one.integrity)] };
    components.set(refOf(one), { ...componentOf(one), scope, ...hashes });
    dependencies.set(refOf(one), needed(one.path, Object.keys({ ...one.dependencies, ...one.optionalDependencies })));
  }
  for (const one of bundled) {
    const properties = [{ name: "cdx:npm:package:bundled", value: "true" }];
    components.set(refOf(one), { ...componentOf(one), scope: "required", ...components.get(refOf(one)), properties });
  }
  const sbom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: componentOf(own) },
    components: [...components.values()],
    dependencies: [...dependencies].map(([ref, refs]) => ({ ref, dependsOn: [...new Set(refs)] })),
  };
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(sbom, null, 1)}\n`);
}

function componentOf({ name, version, license }) {
  const purl = refOf({ name, version });
  const licence = license?.includes(" ") ? { expression: license } : { license: { id: license } };
  return { type: "library", "bom-ref": purl, name, version, purl, ...(license && { licenses: [licence] }) };
}

function refOf({ name, version }) {
  if (name === "cpython") return `pkg:generic/cpython@${version}`;
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function nameOf(path) {
  return path.split("node_modules/").at(-1);
}

/** The package that a name means to the package at a path: the nearest on the way up. */
function installedFor(packages, path, name) {
  const parts = path === "" ? [] : path.split(/(?=\/node_modules\/)/);
  const places = [...parts.map((_, depth) => `${parts.slice(0, depth + 1).join("")}/`).reverse(), ""];
  const found = places.map((place) => packages[`${place}node_modules/${name}`]).find(Boolean);
  return found && refOf({ name, version: found.version });
}

/** An integrity value of npm, as CycloneDX has it. */
function hashOf(integrity) {
  const [algorithm, content] = integrity.split(/-(.*)/s);
  const alg = algorithm.toUpperCase().replace("SHA", "SHA-");
  return { alg, content: Buffer.from(content, "base64").toString("hex") };
}

function readJson(root, name) {
  return JSON.parse(readFileSync(join(root, name), "utf8"));
}
