import { expect, test } from "vitest";
import { createDenoEngine } from "../../src/sandbox/deno/engine.ts";
import type { GuestPorts } from "../../src/sandbox/engine.ts";
import { testLimits } from "../../src/sandbox/limits.fixture.ts";

// What happens where the operating system gives no sandbox.

const limits = testLimits;
const ports: GuestPorts = { call: async () => "1", operation: async () => "1", print: () => {} };
const withoutBubblewrap = (name: string) => (name === "bwrap" ? undefined : `/usr/bin/${name}`);
const program = {
  code: `async () => { const fs = await import("node:fs"); try { return fs.readFileSync("/etc/passwd", "utf8") } catch (e) { return e.name } }`,
  libraries: [],
  modules: [],
  operations: [],
  imports: { allow: ["*"], deny: [] },
};

test("deno stands on its own layer alone, says so, and still refuses the host's files", async () => {
  const engine = createDenoEngine({ limits, isolation: "engine", findProgram: withoutBubblewrap });
  expect(await engine.isolation()).toEqual({
    layer: "engine",
    detail: "Deno without permissions alone: bubblewrap (bwrap) is not installed",
  });
  const sandbox = await engine.start();
  expect(await sandbox.run(program, ports, { timeoutMs: 10_000 })).toEqual({ end: "ok", value: "NotCapable" });
  sandbox.kill();
});

test("with an operating-system layer compulsory, nothing runs, and the error has the fix", async () => {
  const engine = createDenoEngine({ limits, isolation: "os", findProgram: withoutBubblewrap });
  const refusal = { code: "engine_unavailable", hint: expect.stringContaining("apt-get install bubblewrap") };
  await expect(engine.isolation()).rejects.toMatchObject(refusal);
  await expect(engine.start()).rejects.toMatchObject(refusal);
});

test("a bubblewrap that cannot make a sandbox counts as none, with its own words", async () => {
  const findProgram = (name: string) => (name === "bwrap" ? "/bin/false" : `/usr/bin/${name}`);
  await expect(createDenoEngine({ limits, isolation: "os", findProgram }).start()).rejects.toMatchObject({
    code: "engine_unavailable",
  });
  expect(await createDenoEngine({ limits, isolation: "engine", findProgram }).isolation()).toMatchObject({
    layer: "engine",
  });
});
