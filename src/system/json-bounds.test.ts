import { expect, test } from "vitest";
import { createJsonGauge, exceeds } from "./json-bounds.ts";

test.each([
  ["[[1]]", { depth: 2, values: 9 }, false],
  ["[[[1]]]", { depth: 2, values: 9 }, true],
  [`{"a":"[[[[[[[["}`, { depth: 2, values: 9 }, false],
  [`{"a":"\\"[[[","b":[[]]}`, { depth: 2, values: 9 }, true],
  ["[".repeat(100_000), { depth: 512, values: 1e9 }, true],
  ["[1,2,3,4]", { depth: 2, values: 4 }, false],
  ["[1,2,3,4,5]", { depth: 2, values: 4 }, true],
  ["[[],[],[]]", { depth: 2, values: 4 }, true],
  ['["1,2,3,4,5,6"]', { depth: 2, values: 4 }, false],
])("%.20s exceeds %j: %s", (json, bounds, expected) => {
  expect(exceeds(new TextEncoder().encode(json), bounds)).toBe(expected);
});

test.each([
  [`{"a":"\\"[[[","b":[1,2]}`, undefined],
  ['["\\\\",[[]]]', "depth"],
  ["[1,2,3,4,5,6,7,8,9,10]", "values"],
] as const)("%s says the same in pieces of any size: %s", (json, passed) => {
  const bytes = new TextEncoder().encode(json);
  for (let size = 1; size <= bytes.length; size++) {
    const gauge = createJsonGauge({ depth: 2, values: 9 });
    for (let at = 0; at < bytes.length; at += size) gauge.push(bytes, at, Math.min(at + size, bytes.length));
    expect([size, gauge.passed]).toEqual([size, passed]);
  }
});
