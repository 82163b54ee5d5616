import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { showRun } from "../src/runtime/results/run-result.ts";
import { containerAbsence, containerImage } from "./container-image.ts";
import { folder, openCoordinator, ownServer } from "./open-coordinator.ts";

// Real packages of npm, from the registry into guests on both engines; and runs that install what they lack.

const open = (home: string, packages: object = {}, sandbox: object = {}): Promise<Coordinator> =>
  openCoordinator({ mcpServers: { data: ownServer("data-server") }, coordinator: { packages, sandbox }, home });
const patience = 90_000;

/** What of the user's own npm an installation could have touched. */
const ownNpm = () => {
  const cache = join(homedir(), ".npm", "_cacache", "tmp");
  const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
  return [existsSync(cache) ? readdirSync(cache) : [], readdirSync(modules), readdirSync(process.cwd())];
};

const usePackages = `
import debug from "debug";
import { nanoid } from "nanoid";
import * as plain from "nanoid/non-secure";
[debug("here").namespace, nanoid(7).length, plain.nanoid(9).length];`;
const used = { status: "ok", result: ["here", 7, 9] };

describe("npm packages", () => {
  let coordinator: Coordinator;
  const install = (packages: string[], options: object = {}) =>
    coordinator.run("install_dependencies", { packages, language: "typescript", ...options });
  beforeAll(async () => {
    coordinator = await open("home", { deny: ["left-*"] });
  });
  afterAll(() => coordinator.close());

  test(
    "are installed, imported and used: one of CommonJS with what it needs, one of ES modules only",
    async () => {
      const before = ownNpm();
      const made = await install(["debug@4.4.1", "nanoid@5"]);
      expect(made).toMatchObject({ installed_packages: expect.arrayContaining([{ name: "debug", version: "4.4.1" }]) });
      expect(ownNpm()).toEqual(before);
      expect(await coordinator.execute({ code: usePackages, engine: "deno" })).toMatchObject(used);
    },
    patience,
  );

  test("are used in a container too", { timeout: patience }, async ({ skip }) => {
    const absence = containerAbsence();
    skip(absence !== undefined, absence);
    await using contained = await open("home", {}, { container: { image: containerImage() } });
    expect(await contained.execute({ code: usePackages, engine: "container" })).toMatchObject(used);
  });

  test("are told with version and place, and what came along", async () => {
    const told = await coordinator.run("check_installed_packages", {
      packages: ["debug", "ms", "zod"],
      language: "typescript",
    });
    expect(told).toMatchObject({
      not_installed: ["zod"],
      package_details: {
        debug: { version: "4.4.1", location: "default/typescript-1/node_modules" },
        ms: { installed: true },
      },
    });
  });

  test("what came along cannot be imported, nor a package that is not there, nor a part that is not there", async () => {
    const along = await coordinator.execute({ code: 'import ms from "ms"; ms;' });
    expect(along).toMatchObject({ status: "check_failed", error: { code: "missing_package" } });
    const part = await coordinator.execute({ code: 'import x from "nanoid/nothing"; x;' });
    expect(part.error?.message).toContain('nothing to import as "nanoid/nothing"');
    const slip = await coordinator.execute({ code: 'import x from "nanoide"; x;' });
    expect(slip.error?.message).toContain('Did you mean "nanoid"?');
    const late = await coordinator.execute({ code: 'const name = "nano" + "id";\nawait import(name);' });
    expect(late.error?.hint).toContain("written out in the code");
  });

  test("stay in their environment", async () => {
    await coordinator.run("configure_environment", { environment: "other" });
    const run = await coordinator.execute({ code: 'import "nanoid";', environment: "other" });
    expect(run).toMatchObject({ status: "check_failed", error: { code: "missing_package" } });
    const python = await coordinator.execute({ code: "import nanoid", language: "python" });
    expect(python.status).toBe("check_failed");
  });

  test("are in sessions as in runs", async () => {
    const first = await coordinator.execute({
      session: "s",
      code: 'import { nanoid } from "nanoid"; nanoid(3).length',
    });
    const second = await coordinator.execute({ session: "s", code: "nanoid(4).length" });
    expect([first.result, second.result]).toEqual([3, 4]);
  });

  test.each([
    "x; rm -rf ~",
    "--registry=http://127.0.0.1/",
    "https://example.org/x.tgz",
    "../x",
    "git+ssh://a/b",
    "left-pad",
  ])("%j is refused, and nothing is changed", async (text) => {
    await expect(install([text])).rejects.toMatchObject({ code: "package_refused" });
    expect(readdirSync(join(folder, "home", "environments", "default")).sort()).toEqual([
      "environment.json",
      "typescript-1",
    ]);
  });

  test(
    "that cannot be had leave all as it was",
    async () => {
      await expect(install(["mcp-coordinator-has-no-such-package"])).rejects.toMatchObject({ code: "install_failed" });
      const run = await coordinator.execute({ code: 'import { nanoid } from "nanoid"; nanoid(3).length' });
      expect(run.result).toBe(3);
      const manifest = join(folder, "home", "environments", "default", "typescript-1", "package.json");
      expect(JSON.parse(readFileSync(manifest, "utf8")).dependencies).toMatchObject({ debug: "4.4.1" });
    },
    patience,
  );
});

describe("with autoInstall", () => {
  let coordinator: Coordinator;
  beforeAll(async () => {
    coordinator = await open("healing", { autoInstall: true, deny: ["left-*"] });
  });
  afterAll(() => coordinator.close());

  test("pyodide has no packages: none are installed for it, and it keeps working", async () => {
    const ask = (code: string) => coordinator.execute({ language: "python", engine: "pyodide", code });
    const run = await ask("import humanize_not_there");
    expect(run).toMatchObject({ status: "check_failed", error: { code: "missing_package" } });
    expect(run.error?.hint).toContain('The engine "pyodide" cannot have packages');
    expect(await ask("1 + 1")).toMatchObject({ status: "ok", result: 2 });
  });

  test(
    "TypeScript: what is missing is installed, and the code runs once more",
    async () => {
      const run = await coordinator.execute({ code: 'import ms from "ms";\nconsole.log("once");\nms("2 days")' });
      expect(run).toMatchObject({
        status: "ok",
        result: 172_800_000,
        stdout: "once\n",
        installed: [expect.stringMatching(/^ms /)],
      });
      expect(showRun(run)).toMatch(/\[installed for this run: ms \d/);
    },
    patience,
  );

  test(
    "Python: the same, also for a module that is named late",
    async () => {
      const code = 'import importlib\nprint("once")\nimportlib.import_module("tabulate").tabulate([[1]])';
      const run = await coordinator.execute({ language: "python", engine: "cpython", code });
      expect(run).toMatchObject({ status: "ok", stdout: "once\n", installed: [expect.stringMatching(/^tabulate /)] });
      const again = await coordinator.execute({ language: "python", engine: "cpython", code: "import tabulate" });
      expect(again).toMatchObject({ status: "ok" });
      expect(again).not.toHaveProperty("installed");
    },
    patience,
  );

  test(
    "what had called a tool is not run again",
    async () => {
      const code = `
import importlib
from mcp_tools.data import customers
customers()
importlib.import_module("cowsay")`;
      const run = await coordinator.execute({ language: "python", engine: "cpython", code });
      expect(run).toMatchObject({
        status: "error",
        calls: { total: 1, failed: 0 },
        installed: [expect.stringMatching(/^cowsay /)],
        error: { code: "missing_package" },
      });
      expect(run.error?.hint).toContain("it had made 1 tool call.");
    },
    patience,
  );

  test("the policy is asked", async () => {
    const run = await coordinator.execute({ code: 'import pad from "left-pad"; pad;' });
    expect(run).toMatchObject({ status: "check_failed", error: { code: "missing_package" } });
    expect(run.error?.hint).toContain("coordinator.packages.deny");
  });
});
