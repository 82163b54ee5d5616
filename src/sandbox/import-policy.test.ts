import { expect, test } from "vitest";
import { importProblem } from "./import-policy.ts";

const all = ["*"];

test.each<[string, readonly string[], readonly string[], boolean]>([
  ["os", all, [], true],
  ["os", all, ["os"], false],
  ["os.path", all, ["os"], false],
  ["ossaudiodev", all, ["os"], true],
  ["os.path", ["os"], [], true],
  ["json", ["os"], [], false],
  ["json", [], [], false],
  ["node:fs", all, ["fs"], false],
  ["node:fs", all, ["node:fs"], false],
  ["node:fs/promises", all, ["node:fs"], false],
  ["node:crypto", ["node:*"], [], true],
  ["node:crypto", ["node:*"], ["node:c*"], false],
  ["mcp_tools/github", [], all, true],
  ["mcp_tools.github", [], all, true],
  ["coordinator", [], all, true],
  ["skills/report", [], [], true],
  ["mcp_tools_evil", [], [], false],
])("%s with allow %j and deny %j: %s", (specifier, allow, deny, isAllowed) => {
  expect(importProblem({ allow, deny }, specifier) === undefined).toBe(isAllowed);
});

test("the refusal names the setting", () => {
  expect(importProblem({ allow: all, deny: ["os"] }, "os")).toBe(
    'The import of "os" is not allowed (coordinator.sandbox.imports)',
  );
});
