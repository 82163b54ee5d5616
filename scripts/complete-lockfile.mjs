// Adds to package-lock.json, here and in test/foreign, the optional packages of other platforms that npm left out because
// the registry it asked does not have them. Without those entries `npm ci` refuses the lockfile. Run it after every `npm install`.
import { readFileSync, writeFileSync } from "node:fs";

const systems = /(?:^|[-/])(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)(?=-|$)/;
const processors = /-(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64|wasm32)(?=-|$)/;

for (const folder of ["..", "../test/foreign"]) complete(new URL(`${folder}/package-lock.json`, import.meta.url));

function complete(file) {
  const lock = JSON.parse(readFileSync(file, "utf8"));
  const added = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const version = range.replace(/^[~^]/, "");
      // Beside the package that wants it, where npm puts what differs from the one at the top.
      const place = `${path.slice(0, Math.max(0, path.lastIndexOf("node_modules/")))}node_modules/${name}`;
      if (lock.packages[place] || lock.packages[`node_modules/${name}`]?.version === version) continue;
      const system = systems.exec(name)?.[1] ?? (name === "fsevents" ? "darwin" : undefined);
      const processor = processors.exec(name)?.[1];
      lock.packages[place] = {
        version,
        ...(processor && { cpu: [processor] }),
        ...(entry.dev && { dev: true }),
        optional: true,
        ...(system && { os: [system] }),
      };
      added.push(name);
    }
  }

  const [root, ...rest] = Object.entries(lock.packages);
  rest.sort(([left], [right]) => (left < right ? -1 : 1));
  lock.packages = Object.fromEntries([root, ...rest]);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.error(added.length > 0 ? `added ${added.join(", ")}` : "nothing was missing");
}
