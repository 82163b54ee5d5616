import { expect, test } from "vitest";
import { createHeldBytes } from "./held-bytes.ts";

function create() {
  const held = createHeldBytes({ most: 100, small: 10 });
  const gone: string[] = [];
  return { held, gone, hold: (name: string) => held.hold(() => gone.push(name)) };
}

test("beyond the limit those go that have stood still for longest, and no more of them than has to be", () => {
  const { held, gone, hold } = create();
  const [a, b, c, d] = [hold("a"), hold("b"), hold("c"), hold("d")];
  for (const one of [a, b, c]) one.add(30);
  a.add(-1); // and has moved
  d.add(40);
  expect([gone, held.total]).toEqual([["b"], 99]);
  d.add(30);
  expect([gone, held.total]).toEqual([["b", "c"], 99]);
  a.release();
  d.release();
  b.add(500);
  expect([gone, held.total]).toEqual([["b", "c"], 0]);
});

test("what is small never has to go, nor what moves", () => {
  const { held, gone, hold } = create();
  for (let count = 0; count < 20; count++) hold("small").add(10);
  const large = hold("large");
  large.add(300);
  expect([gone, held.total]).toEqual([[], 500]);
  hold("small").add(1);
  expect([gone, held.total]).toEqual([["large"], 201]);
});
