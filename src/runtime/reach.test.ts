import { expect, test } from "vitest";
import type { Reach } from "../actor.ts";
import { limitOf, narrow } from "./reach.ts";

const tool = (name: string) => ({ server: name.split(".")[0] as string, tool: name.split(".")[1] as string });
const servers = (...names: string[]) => new Set(names);
const skill = (limit: object) => ({ id: "skills/a@1", limit });
const limitedBy = ["skills/a@1"];

test.each<[name: string, reach: Reach, limits: object[], left: Reach]>([
  ["no limits", { servers: servers("a") }, [], { servers: servers("a") }],
  ["a limit of servers", {}, [{ servers: ["a"] }], { servers: servers("a"), tools: undefined, limitedBy }],
  ["none at all", {}, [{ servers: [] }], { servers: servers(), tools: undefined, limitedBy }],
  ["what both have", { servers: servers("a", "b") }, [{ servers: ["b", "c"] }], { servers: servers("b"), limitedBy }],
  ["of two skills", {}, [{ servers: ["a", "b"] }, { servers: ["b"] }], { servers: servers("b") }],
  ["a limit of tools", {}, [{ tools: [tool("a.x")] }], { servers: undefined, tools: [tool("a.x")], limitedBy }],
  ["tools that both have", { tools: [tool("a.x"), tool("a.y")] }, [{ tools: [tool("a.y")] }], { tools: [tool("a.y")] }],
  ["nothing that it had", { servers: servers("a") }, [{ servers: ["a", "b"] }], { servers: servers("a") }],
])("a run with %s", (_name, reach, limits, left) => {
  expect(narrow(reach, limits.map(skill))).toMatchObject(left);
});

test("a limit that takes nothing away is not the reason for anything", () => {
  expect(narrow({ servers: servers("a") }, [skill({ servers: ["a"] })]).limitedBy).toBeUndefined();
});

test("limits that are the same look the same", () => {
  expect(limitOf({})).toBeUndefined();
  expect(limitOf({ servers: servers("b", "a") })).toEqual({ servers: ["a", "b"] });
  expect(limitOf({ servers: servers() })).toEqual({ servers: [] });
  expect(limitOf({ tools: [tool("b.x"), tool("a.y"), tool("b.x")] })).toEqual({ tools: [tool("a.y"), tool("b.x")] });
});
