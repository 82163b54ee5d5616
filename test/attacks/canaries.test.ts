import { expect, test } from "vitest";
import { canaries } from "./canaries.ts";
import { provable, proveCanaries } from "./prove-canaries.ts";

// With the sandbox and the deny list taken away, every canary fires; with them, the same attacks move none.

test("without the sandbox every canary fires", { timeout: 200_000 }, async () => {
  // Both at once: most of it is waiting for what should have been stopped.
  const fired = await Promise.all(
    provable.map(async (engine) => {
      const results = await proveCanaries(engine);
      return canaries.filter((canary) => results.get(canary)?.moved.some((moved) => moved.canary === canary));
    }),
  );
  expect(fired).toEqual(provable.map(() => canaries));
});

test.each(provable)("on $name the same attacks move nothing with it", { timeout: 200_000 }, async (engine) => {
  const results = await proveCanaries(engine, false);
  const wrong = [...results.values()].flatMap(({ id, moved, problems }) =>
    [...moved, ...problems].map((text) => [id, text]),
  );
  expect(wrong).toEqual([]);
});
