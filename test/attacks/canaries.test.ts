import { expect, test } from "vitest";
import { canaries } from "./canaries.ts";
import { provable, proveCanaries } from "./prove-canaries.ts";

// With the sandbox and the deny list taken away, every canary fires; with them, the same attacks move none.

test("without the sandbox every canary fires", { timeout: 600_000 }, async () => {
  // Both at once: most of it is waiting for what should have been stopped.
  const fired = await Promise.all(
    provable.map(async (engine) => {
      const results = await proveCanaries(engine);
      return canaries.filter((canary) => results.get(canary)?.moved.some((moved) => moved.canary === canary));
    }),
  );
  expect(fired).toEqual(provable.map(() => canaries));
});

test("with it the same attacks move nothing", { timeout: 600_000 }, async () => {
  const wrong = await Promise.all(
    provable.map(async (engine) => {
      const results = await proveCanaries(engine, false);
      return [...results.values()].flatMap(({ id, moved, problems }) =>
        [...moved, ...problems].map((text) => [engine.name, id, text]),
      );
    }),
  );
  expect(wrong.flat()).toEqual([]);
});
