import { describe, expect, it } from "vitest";
import { local } from "../../actor.ts";
import { CoordinatorError } from "../../errors.ts";
import type { Language } from "../../sandbox/engine.ts";
import { type EndedRun, type InstallMissing, installMissing } from "./self-heal.ts";

const error = { message: "no", code: "missing_package", packages: [{ module: "yaml", install: "PyYAML" }] };
const ended: EndedRun = {
  language: "python",
  engine: { name: "cpython", takesPackages: true },
  status: "check_failed",
  error,
  toolCalls: 0,
  otherActs: 0,
  actor: local,
};

/** An installer that remembers what it was asked for. */
function createInstaller(): { install: InstallMissing; asked: { language: Language; packages: readonly string[] }[] } {
  const asked: { language: Language; packages: readonly string[] }[] = [];
  return {
    asked,
    async install({ language, packages }) {
      asked.push({ language, packages });
      return packages.map((name) => `${name} 1.0`);
    },
  };
}

describe("a run that lacks packages", () => {
  it("may run again when nothing has run", async () => {
    const { install, asked } = createInstaller();
    expect(await installMissing(ended, install)).toEqual({ installed: ["PyYAML 1.0"] });
    expect(asked).toEqual([{ language: "python", packages: ["PyYAML"] }]);
  });

  it("may run again when it failed before it did anything", async () => {
    const { install } = createInstaller();
    expect(await installMissing({ ...ended, status: "error" }, install)).toEqual({ installed: ["PyYAML 1.0"] });
  });

  it.each([
    ["a tool call", { toolCalls: 1 }, "it had made 1 tool call."],
    ["calls", { toolCalls: 3, otherActs: 2 }, "it had made 3 tool calls and 2 acts of fetching or writing."],
    ["a write", { otherActs: 1 }, "it had made 1 act of fetching or writing."],
  ])("does not run again after %s", async (_name, acts, reason) => {
    const { install } = createInstaller();
    const healed = await installMissing({ ...ended, status: "error", ...acts }, install);
    expect(healed?.installed).toEqual(["PyYAML 1.0"]);
    expect(healed?.error?.code).toBe("missing_package");
    expect(healed?.error?.hint).toContain(`Installed now: PyYAML 1.0. The code was not run again by itself: ${reason}`);
  });

  it("needs a new process for a session of Python, and keeps the state of others", async () => {
    const { install } = createInstaller();
    const python = await installMissing({ ...ended, session: "s" }, install);
    expect(python?.error?.hint).toContain("end the session, then run again");
    const checked = await installMissing({ ...ended, session: "s", language: "typescript" }, install);
    expect(checked?.error).toBeUndefined();
    const begun = await installMissing({ ...ended, session: "s", language: "typescript", status: "error" }, install);
    expect(begun?.error?.hint).toContain("has run in the session");
  });

  it("installs nothing for a dry run, or for another error", async () => {
    const { install, asked } = createInstaller();
    expect(await installMissing({ ...ended, dryRun: true }, install)).toBeUndefined();
    expect(await installMissing({ ...ended, error: { message: "other" } }, install)).toBeUndefined();
    expect(await installMissing({ ...ended, status: "ok", error: undefined }, install)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it("says why the installation failed, and keeps the error", async () => {
    const refusal = new CoordinatorError("input_invalid", "Not allowed", { hint: "Change the setting." });
    const healed = await installMissing(ended, () => Promise.reject(refusal));
    expect(healed).toEqual({
      installed: [],
      error: {
        ...error,
        hint: "PyYAML could not be installed, and the code was not run again: Not allowed. Change the setting.",
      },
    });
  });
});
