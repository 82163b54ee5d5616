import { expect, test } from "vitest";
import type { LinkedModule, LinkedModules } from "../compiled.ts";
import { createCheckedModules } from "./checked-modules.ts";

const moduleOf = (id: string, code: string, links: LinkedModule["links"] = [], library?: string): LinkedModule => {
  const imports = library === undefined ? [] : [{ specifier: "", library, line: 1, column: 1 }];
  return { id, language: "typescript", code, links, compiled: { code, imports, declared: [] } };
};
const linked = (...modules: LinkedModule[]): LinkedModules => ({ modules, links: [], names: [] });
const library = (module: string) => ({ server: module, module, description: "", tools: [] });

test("a module is checked again only when it, what it imports, or a library of those has changed", async () => {
  const checkedModules = createCheckedModules();
  const checked: string[] = [];
  const data = library("data");
  const check = async ({ id }: LinkedModule) => {
    checked.push(id);
    return [{ line: 1, column: 1, message: `of ${id}` }];
  };
  const look = async (modules: LinkedModules, libraries = [data]) => {
    checked.length = 0;
    const problems = await checkedModules.of(modules, { libraries }, check);
    return { checked: [...checked], told: problems.map(({ message, module }) => `${module?.id}: ${message}`) };
  };
  const told = ["a: of a", "b: of b", "c: of c"];
  const links = [["b", "b"]] as const;
  const first = linked(moduleOf("a", "1", links), moduleOf("b", "1", [], "data"), moduleOf("c", "1"));
  expect(await look(first)).toEqual({ checked: ["a", "b", "c"], told });
  expect(await look(first)).toEqual({ checked: [], told });
  const changed = linked(moduleOf("a", "1", links), moduleOf("b", "2", [], "data"), moduleOf("c", "1"));
  expect(await look(changed)).toEqual({ checked: ["a", "b"], told });
  expect(await look(changed, [library("data")])).toEqual({ checked: ["a", "b"], told });
});

test("a package is not checked", async () => {
  const failing = async () => [{ line: 1, column: 1, message: "never" }];
  const modules = linked({ ...moduleOf("lodash", "("), format: "commonjs" });
  expect(await createCheckedModules().of(modules, { libraries: [] }, failing)).toEqual([]);
});
