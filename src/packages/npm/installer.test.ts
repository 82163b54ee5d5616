import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PackageSettings } from "../../config/schema.ts";
import { createBundles } from "./bundles.ts";
import { createNpmInstaller } from "./installer.ts";

// The real npm, the real registry and real sandboxes. Needs a build.

const findProgram = (name: string) =>
  ["/usr/bin", "/usr/local/bin"].map((place) => join(place, name)).find((path) => existsSync(path));
const settings: PackageSettings = {
  ...{ environment: "default", autoInstall: false, allow: ["*"], deny: [], sources: "index" as const, hosts: [] },
  ...{ timeoutSeconds: 60, maxMb: 100 },
};
const environment = { type: "venv" as const, layers: {}, variables: {} };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "npm-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const layer = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const create = () => {
  const bundles = createBundles(findProgram);
  return { bundles, installer: createNpmInstaller({ findProgram, bundles, settings }) };
};

/** Evaluates a bundle as a guest does. */
const load = (bundled: { code: string } | object | undefined): Record<string, unknown> => {
  if (!bundled || !("code" in bundled)) throw new Error(JSON.stringify(bundled));
  const module = { exports: {} };
  const require = (name: string) => {
    const found = process.getBuiltinModule(name);
    if (!found) throw new Error(`Cannot find module ${name}`);
    return found;
  };
  new Function("module", "exports", "require", bundled.code as string)(module, module.exports, require);
  return module.exports as Record<string, unknown>;
};

describe("npm packages", () => {
  test("are installed with exact versions, bundled with what they need, and added to", async () => {
    const { bundles, installer } = create();
    const told: string[] = [];
    const [first, second] = [layer("1"), layer("2")];
    await installer.install({ fresh: first, previous: undefined }, ["debug@4.4.1"], environment, {
      onProgress: (line) => told.push(line),
    });
    expect(await installer.list(first, environment)).toEqual([
      { name: "debug", version: "4.4.1", location: join(first, "node_modules") },
      { name: "ms", version: expect.stringMatching(/^2\./), location: join(first, "node_modules") },
    ]);
    expect(told.at(-1)).toBe("bundling debug");
    const { default: debug } = load(await bundles.get(first, "debug")) as {
      default(name: string): { namespace: string };
    };
    expect(debug("here").namespace).toBe("here");
    expect(await bundles.get(first, "ms")).toBeUndefined(); // came with debug, was not asked for

    await installer.install({ fresh: second, previous: first }, ["nanoid@^5"], environment, {});
    expect([...(await installer.list(second, environment))].map(({ name }) => name)).toEqual(["debug", "ms", "nanoid"]);
    const { nanoid } = load(await bundles.get(second, "nanoid")) as { nanoid(size: number): string };
    expect(nanoid(8)).toMatch(/^[\w-]{8}$/);
    const { nanoid: plain } = load(await bundles.get(second, "nanoid/non-secure")) as { nanoid(size: number): string };
    expect(plain(8)).toHaveLength(8);
    expect(await bundles.get(second, "nanoid/nothing")).toMatchObject({ absent: true });
    expect(readdirSync(first).sort()).toEqual(["bundles", "node_modules", "package-lock.json", "package.json"]);
    const lock = JSON.parse(readFileSync(join(second, "package-lock.json"), "utf8"));
    expect(lock.packages["node_modules/nanoid"].integrity).toMatch(/^sha512-/);
  }, 60_000);

  test("that do not exist change nothing and say so", async () => {
    const { installer } = create();
    const installing = installer.install(
      { fresh: layer("1"), previous: undefined },
      ["mcp-coordinator-has-no-such-package"],
      environment,
      {},
    );
    await expect(installing).rejects.toMatchObject({
      code: "install_failed",
      message: expect.stringContaining("mcp-coordinator-has-no-such-package"),
    });
  }, 60_000);

  test("that are compiled when they are installed are refused", async () => {
    const { installer } = create();
    const installing = installer.install({ fresh: layer("1"), previous: undefined }, ["bufferutil"], environment, {});
    await expect(installing).rejects.toMatchObject({
      code: "install_failed",
      message: expect.stringContaining("native"),
    });
  }, 60_000);

  test("stop when they are not wanted any more", async () => {
    const { installer } = create();
    const signal = AbortSignal.timeout(300);
    const installing = installer.install({ fresh: layer("1"), previous: undefined }, ["zod"], environment, { signal });
    await expect(installing).rejects.toThrow();
  }, 30_000);
});

describe("a package that means no good", () => {
  /** A layer as npm would leave it, with one package of ours. */
  const plant = (files: Record<string, string>): string => {
    const at = layer("planted");
    writeFileSync(join(at, "package.json"), JSON.stringify({ dependencies: { planted: "1.0.0" } }));
    for (const [name, text] of Object.entries(files)) {
      const path = join(at, "node_modules", "planted", name);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, text);
    }
    return at;
  };
  const secret = () => {
    const path = join(folder, "secret.json");
    writeFileSync(path, '{ "secret": "of the host" }');
    return path;
  };

  test("cannot bring a file of the host into its bundle", async () => {
    const path = secret();
    const ways = [path, `../../../../../../../../../../..${path}`, "../../../../secret.json"];
    const code = ways.map((way) => `try { exports.x = require(${JSON.stringify(way)}); } catch {}`).join("\n");
    const bundled = await createBundles(findProgram).get(plant({ "index.js": code }), "planted");
    expect(JSON.stringify(bundled)).not.toContain("of the host");
    expect(load(bundled)).not.toHaveProperty("x");
  });

  test("cannot name one as its main file", async () => {
    const path = secret();
    const manifest = JSON.stringify({ name: "planted", main: `../../../../../../../../..${path}` });
    const bundled = await createBundles(findProgram).get(plant({ "package.json": manifest }), "planted");
    expect(bundled).toMatchObject({ problem: expect.any(String) });
    expect(JSON.stringify(bundled)).not.toContain("of the host");
  });

  test("is not imported by a path that leads out of it", async () => {
    const bundles = createBundles(findProgram);
    const at = plant({ "index.js": "" });
    for (const specifier of [
      "planted/../x",
      "planted/./x",
      "../planted",
      "/planted",
      "planted/",
      "planted//x",
      "PLANTED",
    ])
      expect(await bundles.get(at, specifier), specifier).toBeUndefined();
    expect(await bundles.get(at, "__proto__")).toBeUndefined();
  });

  test("with a native addon is told apart", async () => {
    const at = plant({ "index.js": 'module.exports = require("./addon.node");', "addon.node": "\x7fELF" });
    expect(await createBundles(findProgram).get(at, "planted")).toEqual({
      problem: expect.stringContaining("native addon"),
    });
  });

  test("that is too large is refused", async () => {
    const at = plant({ "index.js": `module.exports = ${JSON.stringify("x".repeat(9_000_000))};` });
    expect(await createBundles(findProgram).get(at, "planted")).toEqual({
      problem: expect.stringContaining("too large: 9 MB"),
    });
  });

  test("does without what it asks for in vain until it uses that", async () => {
    const at = plant({
      "index.js": 'import missing from "not-there"; export const one = 1; export const two = () => missing;',
      "package.json": '{ "type": "module", "main": "index.js" }',
    });
    const bundled = await createBundles(findProgram).get(at, "planted");
    expect(bundled).toHaveProperty("code", expect.stringContaining('require("not-there")'));
  });
});
