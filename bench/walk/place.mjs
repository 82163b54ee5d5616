// What the jobs work on: the fleet of test/foreign (22 servers of others), with files, notes and a git history that never differ.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A folder with all that the jobs need, and a configuration of the fleet over it. */
export async function preparePlace() {
  // In lower case: one of the servers makes every path so.
  const folder = mkdtempSync(join(tmpdir(), "walk-")).toLowerCase();
  mkdirSync(folder, { recursive: true });
  const { mcpServers, files } = (await loadFleet())(folder);
  writeOrders(files);
  writeNotes(join(folder, "notes"));
  writeHistory(files);
  const config = join(folder, "mcp_servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers }));
  return { folder, files, config, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The fleet is TypeScript, and finds its programs beside itself. */
async function loadFleet() {
  const outfile = join(root, "node_modules/.tmp/walk-fleet.mjs");
  const place = JSON.stringify(pathToFileURL(join(root, "test/foreign/fleet.ts")).href);
  const entryPoints = [join(root, "test/foreign/fleet.ts")];
  const define = { "import.meta.url": place };
  await build({ entryPoints, outfile, define, bundle: true, platform: "node", format: "esm", packages: "external" });
  return (await import(pathToFileURL(outfile).href)).createFleet;
}

const countries = ["DE", "FR", "JP", "US", "BR"];

function writeOrders(files) {
  const rows = Array.from({ length: 10_000 }, (_, n) => `O${n},C${n % 40},${(((n * 7919) % 10_000) / 100).toFixed(2)}`);
  writeFileSync(join(files, "orders.csv"), `order,customer,amount\n${rows.join("\n")}\n`);
  const customers = Array.from({ length: 40 }, (_, n) => ({ id: `C${n}`, country: countries[n % countries.length] }));
  writeFileSync(join(files, "customers.json"), JSON.stringify(customers));
}

function writeNotes(notes) {
  for (let n = 0; n < 60; n++) {
    const status = n % 3 === 0 ? "open" : "done";
    writeFileSync(join(notes, `task-${n}.md`), `# Task ${n}\n\nstatus: ${status}\nhours: ${n % 7}\n`);
  }
}

function writeHistory(files) {
  const authors = ["Ada", "Bob", "Cleo"];
  const git = (args, env = {}) =>
    execFileSync("git", ["-C", files, ...args], { env: { PATH: process.env.PATH, ...env } });
  git(["add", "customers.json"]);
  for (let n = 0; n < 30; n++) {
    const name = authors[n % 5 === 0 ? 2 : n % 2];
    const email = `${name.toLowerCase()}@localhost`;
    const date = `2026-01-${String(n + 1).padStart(2, "0")}T12:00:00Z`;
    const who = {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
    };
    const message = n % 10 === 0 ? `fix: rounding ${n}` : `feat: step ${n}`;
    git(["commit", "--quiet", "--allow-empty", "-m", message], {
      ...who,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    });
  }
}
