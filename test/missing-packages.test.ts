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
    expect(showRun(run)).toContain("Not installed: scikit-image, python-docx.");
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
