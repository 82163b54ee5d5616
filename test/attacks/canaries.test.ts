import { describe, expect, test } from "vitest";
import { canaries } from "./canaries.ts";
import { provable, proveCanaries } from "./prove-canaries.ts";

// With the sandbox and the deny list taken away, every canary fires; with them, the same attacks move none.

describe.each(provable)("on $name", { timeout: 200_000 }, (engine) => {
  test("every canary fires without the sandbox", async () => {
    const results = await proveCanaries(engine);
    const fired = canaries.filter((canary) => results.get(canary)?.moved.some((moved) => moved.canary === canary));
    expect(fired).toEqual(canaries);
  });

  test("the same attacks move nothing with it", async () => {
    const results = await proveCanaries(engine, false);
    const wrong = [...results.values()].flatMap(({ id, moved, problems }) =>
      [...moved, ...problems].map((text) => [id, text]),
    );
    expect(wrong).toEqual([]);
  });
});
