// Writes the lint rules of biome.json from rooms.json, which says what a room of src/ may import: `node scripts/rooms.mjs`.
// Rooms stand step by step from the top down: one imports rooms of the steps below its own. What is owned, only its owners
// import. test/boundaries.test.ts plants a violation of every rule.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const { steps, owned, pure, envReaders, talkers, exempt } = JSON.parse(readFileSync(file("rooms.json"), "utf8"));
const doingIo = ["node:fs", "node:fs/**", "node:net", "node:http", "node:https", "node:os"];

const config = JSON.parse(readFileSync(file("../biome.json"), "utf8"));
const others = config.overrides.filter(({ includes }) => !includes[0].startsWith("src/"));
config.overrides = [...others, ...steps.flatMap((step, level) => step.map((room) => rulesOf(room, level)))];
writeFileSync(file("../biome.json"), JSON.stringify(config));
spawnSync(file("../node_modules/.bin/biome"), ["format", "--write", file("../biome.json")], { stdio: "inherit" });

function rulesOf(room, level) {
  const closed = steps
    .slice(0, level + 1)
    .flat()
    .filter((other) => other !== room);
  const groups = closed.map((other) => `**/${other}/**`);
  const patterns = [
    ...(closed.length > 0
      ? [{ group: groups, message: "A room imports only rooms below it: see docs/architecture.md." }]
      : []),
    ...owned.filter(({ owners }) => !owners.includes(room)).map(({ group, message }) => ({ group, message })),
    ...(pure.includes(room) ? [{ group: doingIo, message: `${room}/ is pure: it does no I/O.` }] : []),
  ];
  const style = {
    noRestrictedImports: { level: "error", options: { patterns } },
    ...(!envReaders.includes(room) && { noProcessEnv: "error" }),
  };
  const exemptHere = exempt.filter((path) => path.startsWith(`src/${room}/`)).map((path) => `!${path}`);
  return {
    includes: [`src/${room}/**`, "!**/*.test.ts", "!**/*.fixture.ts", ...exemptHere],
    linter: { rules: { style } },
    ...(!talkers.includes(room) && { plugins: ["./scripts/only-cli-talks.grit"] }),
  };
}
