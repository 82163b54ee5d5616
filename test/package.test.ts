import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { beforeAll, expect, test } from "vitest";
import { folder, ownServer } from "./open-coordinator.ts";

// The package as its users get it: what `npm pack` packs, in a folder that has nothing else but what it says it depends on.

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const installed = join(folder, "node_modules", "mcp-coordinator");
const read = (path: string): string => readFileSync(join(installed, path), "utf8");
const { version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

let tarball: Uint8Array;
let files: readonly string[];

beforeAll(async () => {
  // Vitest has built dist/: the scripts of npm would build it once more.
  const packing = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", packing, { cwd: root });
  const [packed] = JSON.parse(stdout);
  files = packed.files.map(({ path }: { path: string }) => path);
  const file = join(folder, packed.filename);
  tarball = new Uint8Array(readFileSync(file));
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", file, "--strip-components=1", "-C", installed]);
  // Installing them would take a minute and 300 MB. Only these are found from the package: nothing else of ours is.
  for (const name of [...Object.keys(dependencies), "@types/node"]) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "node_modules", name), place);
  }
}, 280_000);

test("has what is needed to run it, and nothing else of ours", () => {
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "dist/index.js", "dist/cli.js"]));
  const unexpected = files.filter(
    (path) => !/^(LICENSE|README\.md|package\.json|(data|dist|container)\/.*)$/.test(path),
  );
  expect(unexpected).toEqual([]);
  expect(files.filter((path) => /\.(ts|map|pyc|tgz|log)$|\.(test|fixture)\./.test(path))).toEqual([
    "dist/types/index.d.ts",
  ]);
});

test("is started from a few files, without what only some need", () => {
  const seen = new Set<string>();
  const follow = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, name = ""] of read(join("dist", file)).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) follow(name);
  };
  follow("cli.js");
  const [coordinator = "no file"] = files.flatMap((path) => /^dist\/(coordinator-\w+\.js)$/.exec(path)?.[1] ?? []);
  follow(coordinator);
  expect(seen.size).toBeLessThan(30); // of about a hundred
  const loaded = [...seen].map((file) => read(join("dist", file))).join("\n");
  const late = { conditions: "registerFunctionOverload", toon: "unpaired surrogate", lock: "64 hexadecimal digits" };
  for (const [what, words] of Object.entries(late)) expect([what, loaded.includes(words)]).toEqual([what, false]);
});

test("has types of its own only", () => {
  expect(read("dist/types/index.d.ts")).not.toMatch(/^import|import\(|from "/m);
});

test("is well formed for Node, bundlers and compilers", async () => {
  expect((await publint({ pkgDir: installed, pack: false, strict: true })).messages).toEqual([]);
  const result = await checkPackage(createPackageFromTarballData(tarball));
  // It is ESM only: require() of CommonJS, and resolution from before Node's `exports`, find no more than they can.
  const problems = (result.types ? result.problems : [result]).filter(
    (problem) => !("resolutionKind" in problem && /^(node10|node16-cjs)$/.test(problem.resolutionKind)),
  );
  expect(problems).toEqual([]);
}, 280_000);

const program = `
import { Coordinator, CoordinatorError, type ErrorCode, type ExecuteRequest, type Gate, type OpenOptions, type RunResult, ToolError } from "mcp-coordinator";

const told: unknown[] = [];
const gate: Gate = {
  name: "careful",
  judge: ({ name }) => (name.startsWith("delete") ? { deny: new CoordinatorError("tool_denied", "Never") } : undefined),
};
const options: OpenOptions = { config: new URL("../mcp_servers.json", import.meta.url), gates: [gate] };
await using coordinator = await Coordinator.open(options);
const request: ExecuteRequest = {
  code: 'import { customers } from "mcp_tools/data"; (await customers()).customers.length',
};
const run: RunResult = await coordinator.execute(request);
told.push([run.status, run.result, run.calls.total]);
told.push(await coordinator.callTool("data", "slow", { ms: 1 }));
const failing = [
  () => coordinator.callTool("data", "fast", {}, { client: "program" }),
  () => coordinator.callTool("data", "delete_everything"),
  () => coordinator.run("fast", {}),
];
for (const fail of failing) {
  try {
    await fail();
  } catch (error) {
    if (!(error instanceof CoordinatorError)) throw error;
    const code: ErrorCode = error.code;
    told.push([error.name, code, error instanceof ToolError ? error.delivery : error.constructor.name]);
  }
}
told.push([Coordinator.name, CoordinatorError.name, ToolError.name]);
// @ts-expect-error: the rooms behind it are nobody else's
told.push(coordinator.services);
// @ts-expect-error: no run ends so
told.push(run.status === "done");
console.log(JSON.stringify(told));
`;

test.each(["node16", "bundler"])(
  "a program is checked against its types, and runs: %s",
  async (resolution) => {
    const config = { mcpServers: { data: ownServer("data-server") } };
    const compilerOptions = {
      module: resolution === "bundler" ? "esnext" : resolution,
      moduleResolution: resolution,
      target: "es2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      types: ["node"],
      rootDir: ".",
      outDir: resolution,
    };
    const put = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
    put("package.json", { type: "module" });
    put("mcp_servers.json", config);
    put("tsconfig.json", { compilerOptions, files: ["program.ts"] });
    writeFileSync(join(folder, "program.ts"), program);
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const checked = await run(process.execPath, [tsc, "-p", folder]).catch((failed: { stdout: string }) => failed);
    expect(checked.stdout).toBe("");
    const env = { ...process.env, MCP_COORDINATOR_HOME: join(folder, "home") };
    const { stdout } = await run(process.execPath, [join(folder, resolution, "program.js")], { env });
    expect(JSON.parse(stdout)).toEqual([
      ["ok", 100, 1],
      "done",
      ["UpstreamError", "tool_unknown", "not_sent"],
      ["UpstreamError", "tool_denied", "not_sent"],
      ["CoordinatorError", "input_invalid", "CoordinatorError"],
      ["Coordinator", "CoordinatorError", "UpstreamError"],
      null,
      false,
    ]);
  },
  280_000,
);

test("has the command", async () => {
  const { bin } = JSON.parse(read("package.json"));
  const { stdout } = await run(process.execPath, [join(installed, bin["mcp-coordinator"]), "--version"]);
  expect(stdout.trim()).toBe(version);
});

interface Component {
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

test("says whose code it has, and what is installed with it", () => {
  const sbom = read("dist/sbom.cdx.json");
  const { components, metadata } = JSON.parse(sbom) as { components: Component[]; metadata: object };
  expect(metadata).toMatchObject({ component: { name: "mcp-coordinator", version } });
  expect(sbom.match(/https?:\/\/[^/"]+/g)).toEqual(["http://cyclonedx.org"]);
  const named = new Map(components.map((component) => [component.name, component.version]));
  for (const [name, pinned] of Object.entries(dependencies)) expect([name, named.get(name)]).toEqual([name, pinned]);

  const notices = read("dist/THIRD-PARTY-NOTICES.txt");
  const isBundled = { name: "cdx:npm:package:bundled", value: "true" };
  const bundled = components.filter(({ properties = [] }) => properties.some(({ name }) => name === isBundled.name));
  // Bundled by us; by a package that we bundle; in the snapshot.
  expect(bundled.map(({ name }) => name)).toEqual(expect.arrayContaining(["zod", "content-type", "cpython"]));
  for (const { name, version: of } of bundled) expect(notices).toContain(`\n${name} ${of} (`);
});

test.each([
  ["copyleft", "GPL-3.0-only", ["LICENSE"], /not known to be permissive: GPL-3.0-only/],
  ["textless", "(MIT OR GPL-3.0-only)", [], /has no text/],
  ["unsaid", undefined, ["LICENSE"], /not known to be permissive: undefined/],
])("is not built with code of a package that is %s", async (name, license, texts, why) => {
  const { bundledPackages } = await import(new URL("../scripts/build/bundled-packages.mjs", import.meta.url).href);
  const place = join(folder, "bundling", "node_modules", name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ name, version: "1.0.0", license }));
  for (const file of [...texts, "index.js"]) writeFileSync(join(place, file), "");
  const metafile = { outputs: { "dist/index.js": { inputs: { [`node_modules/${name}/index.js`]: {} } } } };
  expect(() => bundledPackages(join(folder, "bundling"), [metafile])).toThrow(why);
});

test.each([
  [
    "of a package",
    { index: 'export type { A } from "./a.ts";', a: 'import type * as z from "zod"; export type A = z.ZodType;' },
  ],
  [
    "of one name",
    {
      index: 'export type { A } from "./a.ts"; export type { B } from "./b.ts";',
      a: "type C = 1; export type A = C;",
      b: "type C = 2; export type B = C;",
    },
  ],
  ["not written out", { index: 'export { a } from "./a.ts";', a: "export const a = [1].map(String);" }],
])("is not built with public types %s", async (what, sources) => {
  const { buildTypes } = await import(new URL("../scripts/build/types.mjs", import.meta.url).href);
  const place = join(folder, what);
  mkdirSync(join(place, "src"), { recursive: true });
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(place, "src", `${name}.ts`), source);
  expect(() => buildTypes(place, join(place, "types"))).toThrow(/from zod|called C|not written out/);
});
