import { expect, it } from "vitest";
import { publicNames } from "./exposed-names.ts";

const listing = (server: string, names: readonly string[], prefix?: string) => ({
  owner: { name: server, prefix },
  items: names.map((name) => ({ name, vendor: { kept: true } })),
});

function shown(taken: readonly string[], ...listings: ReturnType<typeof listing>[]) {
  return Object.fromEntries(
    [...publicNames(new Set(taken), listings)].map(([name, { owner, name: own }]) => [name, `${owner.name}.${own}`]),
  );
}

it("leaves names as they are, with all that their server says of them", () => {
  const named = publicNames(new Set(), [listing("github", ["search"])]);
  expect(named.get("search")?.item).toEqual({ name: "search", vendor: { kept: true } });
});

it("puts the server's name before what two have, whichever comes first", () => {
  const names = { search: "github.search", a_query: "a.query", b_query: "b.query" };
  expect(shown([], listing("github", ["search"]), listing("a", ["query"]), listing("b", ["query"]))).toEqual(names);
  expect(shown([], listing("b", ["query"]), listing("a", ["query"]), listing("github", ["search"]))).toEqual(names);
});

it("keeps ours", () => {
  expect(shown(["execute_code"], listing("x", ["execute_code", "other"]))).toEqual({
    x_execute_code: "x.execute_code",
    other: "x.other",
  });
});

it("puts a wanted prefix before all", () => {
  expect(shown([], listing("linear", ["list"], "li_"), listing("github", ["list"]))).toEqual({
    li_list: "linear.list",
    list: "github.list",
  });
});
