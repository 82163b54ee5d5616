import { expect, test } from "vitest";
import type { SkillVersion } from "./skill-store.ts";
import { versionDiff } from "./version-diff.ts";

const version = (number: number, change: Partial<SkillVersion>): SkillVersion => ({
  name: "f",
  version: number,
  savedAt: 0,
  language: "python",
  description: "A",
  tags: [],
  entry: { function: "f", isAsync: false, calling: "keywords", parameters: [] },
  tools: [],
  imports: [],
  code: "def f():\n    'A'\n    return 1\n",
  ...change,
});

test("a patch of the file, with its head, and of the tests", () => {
  const patch = versionDiff(
    version(1, {}),
    version(3, { tags: ["x"], code: "def f():\n    'A'\n    return 2\n", tests: "t\n" }),
  );
  expect(patch).toBe(`--- f.py@1
+++ f.py@3
@@ -1,5 +1,6 @@
 # Skill f: an edit of this file becomes its next version.
+# tags: x
 
 def f():
     'A'
-    return 1
+    return 2
--- f.test.py@1
+++ f.test.py@3
@@ -0,0 +1,1 @@
+t
`);
});

test("nothing for what is the same", () => {
  expect(versionDiff(version(1, {}), version(2, {}))).toBe("");
});

test("versions that have nothing in common are told in a moment, without a patch", { timeout: 10_000 }, () => {
  const lines = (word: string) => Array.from({ length: 40_000 }, (_, index) => `${word}${index}\n`).join("");
  const patch = versionDiff(version(1, { code: lines("a") }), version(2, { code: lines("b") }));
  expect(patch).toBe("--- f.py@1\n+++ f.py@2\nToo many lines differ for a patch: read both versions.\n");
});
