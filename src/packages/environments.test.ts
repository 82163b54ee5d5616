import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { condaRoots } from "../config/conda-roots.ts";
import type { PackageSettings } from "../config/schema.ts";
import { checkEnvironmentName } from "./environment-name.ts";
import { createEnvironments } from "./environments.ts";
import type { Installer } from "./installer.ts";
import { readNpmRequirement } from "./npm/requirement.ts";
import { condaFolders, interpreterIn } from "./python/base-interpreter.ts";
import { installedPackages } from "./python/installed.ts";
import { createPythonInstaller } from "./python/installer.ts";
import { readRequirement } from "./python/requirement.ts";
import { changeVariables, hintOf } from "./variables.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "environments-test-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const settings: PackageSettings = {
  environment: "default",
  autoInstall: false,
  allow: ["*"],
  deny: [],
  sources: "index",
  hosts: [],
  timeoutSeconds: 20,
  maxMb: 10,
};

/** A second installer: a package is a folder with metadata; what begins with "broken" fails when half is done. */
const folders: Installer = {
  read: (requirement) => readRequirement(requirement, "index"),
  prepare: async (environment) => ({ ...environment, python: { program: "/usr/bin/python3", version: "3.11.1" } }),
  async install({ fresh, previous }, requirements) {
    const before = previous === undefined ? [] : readdirSync(previous);
    for (const name of [...before, ...requirements.map((each) => `${each}-1.0.dist-info`)]) {
      mkdirSync(join(fresh, name), { recursive: true });
      await delay(20);
      if (name.startsWith("bringer")) mkdirSync(join(fresh, "Bad_Thing-2.dist-info"));
      if (name.startsWith("broken")) throw new Error("half-way");
    }
  },
  list: (layer) => installedPackages(layer === undefined ? [] : [layer]),
};
const create = (change: Partial<PackageSettings> = {}) =>
  createEnvironments({
    folder: root,
    settings: { ...settings, ...change },
    installers: { python: folders },
    ownFolders: [],
  });
const namesIn = async (name: string) => (await create().packages(name, "python")).map((each) => each.name);

describe("names", () => {
  test.each(["default", "data", "a", "9-x_y", "a".repeat(40)])("%s is one", (name) => {
    expect(checkEnvironmentName(name)).toBe(name);
  });
  test.each([
    ...["", ".", "..", "../x", "a/b", "a\\b", "/etc", "C:", "Data", "-x", "_x", "a b", "a\0", "a\n", "ä", "con", "nul"],
    ...["com1", "lpt9", "~", "a.b", "$HOME", "a".repeat(41)],
  ])("%j is none", (name) => {
    expect(() => checkEnvironmentName(name)).toThrow(/cannot name an environment/);
  });
});

describe("environments", () => {
  test("are made by the first installation, keep what they have, and are known to the next process", async () => {
    await create().install("data", "python", ["six"]);
    await create().install("data", "python", ["tabulate"]);
    expect(await namesIn("data")).toEqual(["six", "tabulate"]);
    expect((await create().list()).map(({ name, type }) => [name, type])).toEqual([["data", "venv"]]);
  });

  test("stay as they were when an installation fails half-way", async () => {
    await create().install("data", "python", ["six"]);
    const before = readdirSync(join(root, "data"));
    await expect(create().install("data", "python", ["tabulate", "broken", "never"])).rejects.toThrow("half-way");
    expect(await namesIn("data")).toEqual(["six"]);
    expect(readdirSync(join(root, "data"))).toEqual(before);
  });

  test("lose nothing when several install at once", async () => {
    const names = ["a", "b", "c", "d", "e"];
    await Promise.all(names.map((name) => create().install("data", "python", [name])));
    expect(await namesIn("data")).toEqual(names);
  });

  test("what a killed installation left behind is gone after the next one", async () => {
    await create().install("data", "python", ["six"]);
    mkdirSync(join(root, "data", "python-7", "junk"), { recursive: true });
    writeFileSync(join(root, ".locks", "data"), JSON.stringify({ pid: 2 ** 22 + 1, mark: "1" }));
    await create().install("data", "python", ["tabulate"]);
    expect(existsSync(join(root, "data", "python-7"))).toBe(false);
    expect(await namesIn("data")).toEqual(["six", "tabulate"]);
  });

  test("an unknown one is told with those that there are", async () => {
    await create().setVariables("data", { A: "1" });
    await expect(create().get("dta")).rejects.toMatchObject({
      code: "environment_unknown",
      hint: expect.stringContaining('Did you mean "data"'),
    });
  });

  test("go with all that is in them", async () => {
    await create().install("data", "python", ["six"]);
    await create().remove("data");
    expect(await create().list()).toEqual([]);
    expect(existsSync(join(root, "data"))).toBe(false);
  });

  test("do not change what they are based on under their packages", async () => {
    await create().install("data", "python", ["six"]);
    await expect(create().configure("data", { type: "uv" })).rejects.toMatchObject({ code: "input_invalid" });
    expect((await create().get("data")).type).toBe("venv");
  });

  test("a conda environment that is not there is told with where it was looked for", async () => {
    const asked = create().configure("data", { type: "conda", condaName: "no-such-one" });
    await expect(asked).rejects.toMatchObject({ code: "environment_unusable", hint: expect.stringContaining("envs") });
  });
});

describe("the policy", () => {
  test("refuses by name, however it is written, and by what comes along", async () => {
    const strict = create({ allow: ["six", "tab*"], deny: ["tabby"] });
    await expect(strict.install("data", "python", ["Tabby", "numpy"])).rejects.toMatchObject({
      code: "package_refused",
      message: expect.stringMatching(/"Tabby" is denied.*"numpy" is not allowed/),
    });
    await strict.install("data", "python", ["six", "tabulate"]);
    const asked = create({ deny: ["bad-thing"] }).install("data", "python", ["bringer"]);
    await expect(asked).rejects.toMatchObject({
      code: "package_refused",
      message: expect.stringContaining("Bad_Thing"),
    });
    expect(await namesIn("data")).toEqual(["six", "tabulate"]);
  });

  test("knows a name as its language spells it", async () => {
    const brought = { name: "lodash.merge", version: "4.6.2", location: root };
    const npm: Installer = { ...folders, read: readNpmRequirement, list: async (layer) => (layer ? [brought] : []) };
    const create = (deny: string[]) =>
      createEnvironments({
        folder: root,
        settings: { ...settings, deny },
        installers: { typescript: npm },
        ownFolders: [],
      });
    await expect(create(["lodash.merge"]).install("data", "typescript", ["x"])).rejects.toThrow(
      /"lodash.merge", which/,
    );
    await expect(create(["lodash-merge"]).install("data", "typescript", ["x"])).resolves.toBeDefined();
  });

  test("nothing is made for what is refused", async () => {
    await expect(create().install("data", "python", ["x; rm -rf ~"])).rejects.toMatchObject({
      code: "package_refused",
    });
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("variables", () => {
  test("are kept for the user alone, and never shown whole", async () => {
    const { variables } = await create().setVariables("data", { TOKEN: "a-long-secret-value", SHORT: "abc" });
    expect(variables).toEqual({ TOKEN: "a-long-secret-value", SHORT: "abc" });
    expect(statSync(join(root, "data", "environment.json")).mode & 0o777).toBe(0o600);
    expect(hintOf("a-long-secret-value")).toBe("a-… (19 characters)");
    expect(hintOf("abc")).toBe("… (3 characters)");
    expect((await create().setVariables("data", { SHORT: "" })).variables).toEqual({ TOKEN: "a-long-secret-value" });
  });

  test.each([
    ...["PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "PYTHONPATH", "PYTHONSTARTUP", "DENO_DIR"],
    ...["NODE_OPTIONS", "Path", "ld_preload", "", "A B", "A=B", "1A", "A\0", "Ä", "A".repeat(129)],
  ])("%j is refused", (name) => {
    expect(() => changeVariables({}, { [name]: "x" })).toThrow(/Cannot set variables/);
  });
  test("values have bounds", () => {
    expect(() => changeVariables({}, { A: "a\0b" })).toThrow(/NUL/);
    expect(() => changeVariables({}, { A: "a".repeat(40_000) })).toThrow(/32 KB/);
  });
});

describe("places of interpreters", () => {
  test("on each system", () => {
    expect(interpreterIn("/home/me/.venv", "venv", "darwin")).toBe("/home/me/.venv/bin/python");
    expect(interpreterIn("C:\\me\\.venv", "uv", "win32")).toBe("C:\\me\\.venv\\Scripts\\python.exe");
    expect(interpreterIn("C:\\conda\\envs\\x", "conda", "win32")).toBe("C:\\conda\\envs\\x\\python.exe");
    expect(condaFolders("x", ["/opt/conda", "/home/me/micromamba"], "linux")).toEqual([
      "/opt/conda/envs/x",
      "/home/me/micromamba/envs/x",
    ]);
    expect(condaFolders("base", ["C:\\conda"], "win32")).toEqual(["C:\\conda"]);
    expect(condaFolders("D:\\envs\\x", ["C:\\conda"], "win32")).toEqual(["D:\\envs\\x"]);
    for (const name of ["../x", "-n", "a b", "", "a/b"])
      expect(condaFolders(name, ["/opt/conda"], "linux")).toEqual([]);
  });
  test("the user's own settings come first", () => {
    const roots = condaRoots({ HOME: "/home/me", CONDA_EXE: "/x/conda/bin/conda", MAMBA_ROOT_PREFIX: "/y" }, "linux");
    expect(roots.slice(0, 3)).toEqual(["/y", "/x/conda", "/home/me/miniconda3"]);
    expect(condaRoots({ USERPROFILE: "C:\\me" }, "win32")).toContain("C:\\me\\miniconda3");
  });
});

describe("installed packages", () => {
  test("are read from metadata, in the author's spelling, and never through links", async () => {
    const secret = join(root, "secret");
    writeFileSync(secret, "Name: fourth\nVersion: secret\n");
    const folder = join(root, "site-packages");
    const metadata = { "first-1.0": "Metadata-Version: 2.1\nName: First\nVersion: 1.0\n\nName: no", "second-2": "x" };
    for (const [name, text] of Object.entries({ ...metadata, "third-3.0": "Name: other\nVersion: 9\n" })) {
      mkdirSync(join(folder, `${name}.dist-info`), { recursive: true });
      writeFileSync(join(folder, `${name}.dist-info`, "METADATA"), text);
    }
    mkdirSync(join(folder, "fourth-4.dist-info"));
    symlinkSync(secret, join(folder, "fourth-4.dist-info", "METADATA"));
    symlinkSync(join(folder, "first-1.0.dist-info"), join(folder, "linked-1.dist-info"));
    expect((await installedPackages([folder])).map(({ name, version }) => `${name} ${version}`)).toEqual([
      "First 1.0",
      "fourth 4",
      "second 2",
      "third 3.0",
    ]);
  });
});

test("without a sandbox no interpreter is asked", async () => {
  const findProgram = (name: string) => (name === "bwrap" ? undefined : `/usr/bin/${name}`);
  const { prepare } = createPythonInstaller({ settings, findProgram });
  await expect(prepare({ type: "venv", layers: {}, variables: {} })).rejects.toMatchObject({
    code: "environment_unusable",
    message: expect.stringContaining("there is no sandbox to ask it in: bubblewrap (bwrap) is not installed"),
  });
});

test("an environment is based on nothing that is in, or leads into, one of our folders", async () => {
  const own = join(root, "own");
  mkdirSync(join(own, "venv", "bin"), { recursive: true });
  symlinkSync(join(own, "venv"), join(root, "link"));
  const environments = createEnvironments({
    folder: root,
    settings,
    installers: { python: folders },
    ownFolders: [own],
  });
  for (const path of [own, join(own, "venv"), join(root, "link"), join(own, "not-there")]) {
    const refused = expect(environments.configure("data", { type: "venv", path })).rejects;
    await refused.toMatchObject({ code: "environment_unusable", message: expect.stringContaining("a folder of the") });
  }
  await expect(environments.configure("data", { type: "venv", path: `${own}-beside` })).resolves.toBeDefined();
});
