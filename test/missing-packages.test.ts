import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { showRun } from "../src/runtime/results/run-result.ts";
import { openCoordinator } from "./open-coordinator.ts";

// What a run says when a package is missing: before it runs, and while it does.

let coordinator: Coordinator;

beforeAll(async () => {
  coordinator = await openCoordinator();
});

describe("before the run", () => {
  test("Python: names the packages, when they are all that is wrong", async () => {
    const code = "import skimage.io\nimport docx as d\nfrom docx import Document\nprint(1)";
    const run = await coordinator.execute({ language: "python", engine: "cpython", code });
    expect(run.status).toBe("check_failed");
    expect(run.error?.code).toBe("missing_package");
    expect(run.error?.packages).toEqual([
      { module: "skimage.io", install: "scikit-image" },
      { module: "docx", install: "python-docx" },
    ]);
    // Each once, however often it is imported.
    expect(run.error?.problems?.map(({ line }) => line)).toEqual([1, 2]);
    expect(showRun(run)).toContain("Not installed: scikit-image, python-docx.");
    expect(showRun(run)).not.toContain("Guests import");
  });

  test("TypeScript: the same", async () => {
    const run = await coordinator.execute({
      code: 'import fp from "lodash/fp";\nimport x from "@scope/x/sub";\nfp; x;',
    });
    expect(run).toMatchObject({
      status: "check_failed",
      error: {
        code: "missing_package",
        packages: [
          { module: "lodash/fp", install: "lodash" },
          { module: "@scope/x/sub", install: "@scope/x" },
        ],
      },
    });
  });

  test("with another problem it is a check like any other", async () => {
    const run = await coordinator.execute({ language: "python", code: "import docx\nnot_defined" });
    expect(run.status).toBe("check_failed");
    expect(run.error?.code).toBeUndefined();
    expect(run.error?.problems).toHaveLength(2);
  });

  test("what is not a package is not taken for one", async () => {
    const builtin = await coordinator.execute({ code: 'import fs from "fs"; fs;' });
    expect(builtin.error).not.toHaveProperty("code");
    expect(builtin.error?.message).toContain('Did you mean "node:fs"?');
    const slip = await coordinator.execute({ language: "python", code: "import requets" });
    expect(slip.error).not.toHaveProperty("code");
    expect(slip.error?.message).toContain('Did you mean "requests"?');
  });

  test("a slip for a package that is not there says how to get that one", async () => {
    const run = await coordinator.execute({ language: "python", engine: "cpython", code: "import skleran" });
    expect(run.error).not.toHaveProperty("code");
    expect(run.error?.message).toContain('Did you mean "sklearn"? That is not installed either.');
    expect(run.error?.hint).toContain("Not installed: scikit-learn.");
  });
});

test("another environment that has the package is named, and what installs it goes where the run was", async () => {
  const folder = mkdtempSync(join(tmpdir(), "coordinator-missing-"));
  try {
    for (const name of ["data", "bare"]) {
      const venv = join(folder, name);
      execFileSync("python3", ["-m", "venv", "--without-pip", venv]);
      await coordinator.run("configure_environment", { type: "venv", name, venv_path: venv });
    }
    const lib = join(folder, "data", "lib");
    const site = join(lib, readdirSync(lib)[0] ?? "", "site-packages");
    mkdirSync(join(site, "python_docx-1.2.dist-info"));
    writeFileSync(join(site, "docx.py"), "answer = 42");
    const code = "import docx\ndocx.answer";
    const run = await coordinator.execute({ language: "python", engine: "cpython", environment: "bare", code });
    expect(run.error?.hint).toContain('The environment "data" has python-docx: pass environment: "data".');
    expect(run.error?.hint).toContain("env install python-docx --language python --environment bare");
    const there = await coordinator.execute({ language: "python", engine: "cpython", environment: "data", code });
    expect(there).toMatchObject({ status: "ok", result: 42 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe("while it runs", () => {
  test.each(["cpython", "pyodide"])("Python on %s: a module that is named late", async (engine) => {
    const code = 'import importlib\nprint("began")\nimportlib.import_module("docx")';
    const run = await coordinator.execute({ language: "python", engine, code });
    expect(run).toMatchObject({
      status: "error",
      stdout: "began\n",
      error: {
        name: "ModuleNotFoundError",
        line: 3,
        code: "missing_package",
        packages: [{ module: "docx", install: "python-docx" }],
      },
    });
  });

  test("pyodide: a part of Python that it lacks is not a package", async () => {
    const run = await coordinator.execute({ language: "python", engine: "pyodide", code: "import curses" });
    expect(run.status).toBe("error");
    expect(run.error?.code).toBeUndefined();
    expect(run.error?.hint).toContain("part of Python that this engine");
  });

  test("TypeScript: a computed specifier", async () => {
    const run = await coordinator.execute({ code: 'const name = ["lod", "ash"].join("");\nawait import(name);' });
    expect(run).toMatchObject({
      status: "error",
      error: { code: "missing_package", packages: [{ module: "lodash", install: "lodash" }] },
    });
  });

  test("a guest that only says so is told as it says", async () => {
    const code = "raise ModuleNotFoundError(\"No module named 'x; rm -rf ~'\")";
    const run = await coordinator.execute({ language: "python", code });
    expect(run.error?.code).toBeUndefined();
  });
});
