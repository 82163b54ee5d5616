import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createArtifacts } from "./artifacts.ts";

const home = mkdtempSync(join(tmpdir(), "artifacts-"));
afterAll(() => rmSync(home, { recursive: true }));

test("what a run saved is read back by its address", () => {
  const artifacts = createArtifacts(home);
  const address = artifacts.save("r1", "result.json", "[1]");
  expect(address).toBe("artifact://r1/result.json");
  expect(createArtifacts(home).read(address)).toBe("[1]");
});

test.each([
  "artifact://r1/missing.json",
  "artifact://../r1",
  "artifact://r1/../../coordinator.db",
  "artifact://r1/.hidden",
  "artifact://r1/a/b",
  "file:///etc/passwd",
  "artifact://r1/a\0b",
])("%j is refused", (address) => {
  expect(() => createArtifacts(home).read(address)).toThrow(expect.objectContaining({ code: "artifact_unknown" }));
});

test("the files of old runs are removed, those of others stay", async () => {
  const artifacts = createArtifacts(home);
  const [old, young] = [artifacts.save("r2", "stdout.txt", "old"), artifacts.save("r3", "stdout.txt", "young")];
  const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  utimesSync(join(home, "artifacts", "r2"), longAgo, longAgo);
  await artifacts.prune(30);
  expect(artifacts.read(young)).toBe("young");
  expect(() => artifacts.read(old)).toThrow(expect.objectContaining({ code: "artifact_unknown" }));
});

test("there is nothing to remove before the first artifact", async () => {
  await createArtifacts(join(home, "fresh")).prune(30);
});
