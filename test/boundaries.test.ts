import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import plan from "../scripts/rooms.json" with { type: "json" };

// The import rules of biome.json, which scripts/rooms.mjs writes from scripts/rooms.json, each proven by a planted violation: a rule that does not bite is worse than none.

const root = fileURLToPath(new URL("..", import.meta.url));

interface Planted {
  readonly path: string;
  readonly code: string;
  /** What the linter has to say; undefined when it must not object. */
  readonly expected: string | undefined;
}

const importing = (specifier: string) => `import { x } from "${specifier}";\nexport const y = x;\n`;

const planted: Planted[] = plan.steps.flatMap((step, level) => step.flatMap((room) => plantedIn(room, level)));

function plantedIn(room: string, level: number): Planted[] {
  const plants: Omit<Planted, "path">[] = [
    ...plan.steps.flatMap((step, otherLevel) =>
      step.map((other) => ({
        code: importing(`../${other}/file.ts`),
        expected:
          otherLevel <= level && other !== room
            ? "A room imports only rooms below it: see docs/architecture.md."
            : undefined,
      })),
    ),
    ...plan.owned.flatMap(({ group, message, owners }) =>
      group.map((name) => ({
        code: importing(name.startsWith("**/") ? name.replace("**", "..") : name.replace("**", "part")),
        expected: owners.includes(room) ? undefined : message,
      })),
    ),
    ...["node:fs", "node:fs/promises", "node:net", "node:http"].map((name) => ({
      code: importing(name),
      expected: plan.pure.includes(room) ? `${room}/ is pure: it does no I/O.` : undefined,
    })),
    ...["process.exit(1);", "process.stdout.write('x');", "export const a = process.argv;", "console.log(1);"].map(
      (code) => ({
        code: `${code}\n`,
        expected: plan.talkers.includes(room) ? undefined : "Only cli/ reads arguments, prints and exits.",
      }),
    ),
    {
      code: "export const a = process.env;\n",
      expected: plan.envReaders.includes(room) ? undefined : "process.env",
    },
  ];
  return plants.map((plant, index) => ({ ...plant, path: `src/${room}/planted-${index}.ts` }));
}

const folder = mkdtempSync(join(tmpdir(), "boundaries-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the linter says of each planted file. */
function lintAll(): Map<string, string[]> {
  const config = { ...JSON.parse(readFileSync(`${root}biome.json`, "utf8")), vcs: { enabled: false } };
  delete config.$schema;
  writeFileSync(join(folder, "biome.json"), JSON.stringify(config));
  cpSync(`${root}scripts`, join(folder, "scripts"), { recursive: true });
  for (const { path, code } of planted) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  const args = ["lint", "--reporter=json", "--max-diagnostics=none", "src"];
  const { stdout } = spawnSync(`${root}node_modules/.bin/biome`, args, { cwd: folder, maxBuffer: 1 << 28 });
  const { diagnostics } = JSON.parse(stdout.toString()) as { diagnostics: unknown[] };
  const found = new Map<string, string[]>();
  for (const diagnostic of diagnostics) {
    const text = JSON.stringify(diagnostic);
    const [path] = /src\/\w+\/planted-\d+\.ts/.exec(text) ?? [""];
    found.set(path, [...(found.get(path) ?? []), text]);
  }
  return found;
}

test("every folder of src is a room with rules", () => {
  const folders = readdirSync(`${root}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(plan.steps.flat().sort());
});

test("every rule bites where it should and nowhere else", () => {
  const found = lintAll();
  const restricting = /noRestrictedImports|noProcessEnv|"plugin"|Only cli/;
  const wrong = planted.filter(({ path, expected }) => {
    const said = (found.get(path) ?? []).filter((text) => restricting.test(text));
    return expected === undefined ? said.length > 0 : !said.some((text) => text.includes(expected));
  });
  expect(wrong).toEqual([]);
  expect(planted.filter(({ expected }) => expected !== undefined).length).toBeGreaterThan(100);
});
