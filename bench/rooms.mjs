// Parts of src/ that no operation reaches alone, bundled for a bench.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
let opened = 0;

/** What the module text exports, its paths from the root of the package; `instead` puts another file in a source file's place. */
export async function openRooms(contents, instead = {}) {
  // A place of its own each time: Node keeps what it has imported, by its address.
  const folder = join(root, "node_modules", ".tmp", `bench-rooms-${process.pid}-${opened++}`);
  const outfile = join(folder, "rooms.mjs");
  const stdin = { contents, resolveDir: root };
  const plugins = [replacing(instead)];
  await build({ stdin, outfile, plugins, bundle: true, platform: "node", format: "esm", packages: "external" });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function replacing(instead) {
  return {
    name: "instead",
    setup({ onLoad }) {
      for (const [source, file] of Object.entries(instead)) {
        const filter = new RegExp(`${source.replaceAll(".", "\\.")}$`);
        onLoad({ filter }, () => ({ contents: `export * from ${JSON.stringify(file)};`, resolveDir: root }));
      }
    },
  };
}
