import { expect, test } from "vitest";
import { createLibrary } from "../library.ts";
import type { Library } from "../tool.ts";
import { createSearch } from "./search.ts";

function library(name: string, tools: readonly string[], description = ""): Library {
  const raw = tools.map((name) => ({ name, description }));
  return createLibrary({ name, description: "" }, { tools: raw }, name).library;
}

const shop = library("shop", ["list_orders", "cancel_order", "get_order", "print_label", "open_door"]);
const mail = library("mail", ["send_mail", "order_stamps", "list_folders"]);
const many = library(
  "many",
  Array.from({ length: 40 }, (_, number) => `part_${number}`),
);

function also(query: string, libraries: readonly Library[], limit: number) {
  const { also, alsoLeftOut } = createSearch(libraries).search(query, { limit });
  return { also, alsoLeftOut };
}

test("the other tools of the servers that were found are named, those that fit too before the rest", () => {
  expect(also("orders", [shop, mail], 2)).toEqual({
    also: [{ server: "shop", names: ["get_order", "print_label", "open_door"] }],
    alsoLeftOut: 0,
  });
  expect(also("list", [shop, mail], 2).also).toEqual([
    { server: "shop", names: ["cancel_order", "get_order", "print_label", "open_door"] },
    { server: "mail", names: ["send_mail", "order_stamps"] },
  ]);
});

test("24 names at most, and how many are left out is said", () => {
  const { also: named, alsoLeftOut } = also("part_0 order", [many, shop], 3);
  expect(named?.flatMap(({ names }) => names)).toHaveLength(24);
  expect(alsoLeftOut).toBe(40 + 5 - 3 - 24);
});

test("three servers at most", () => {
  const servers = ["one", "two", "three", "four"].map((name) => library(name, ["find_book", "sell_book", "close"]));
  expect(also("find book", servers, 4).also?.map(({ server }) => server)).toEqual(["one", "two", "three"]);
});

test("nothing is named beside a tool that was asked for by its name, nor where nothing fits well", () => {
  expect(also("cancel_order", [shop, mail], 5)).toEqual({ also: [], alsoLeftOut: 0 });
  expect(also("shop.cancel_order mail.send_mail", [shop, mail], 5)).toEqual({ also: [], alsoLeftOut: 0 });
  expect(also("quantum chromodynamics", [shop, mail], 5)).toEqual({ also: [], alsoLeftOut: 0 });
});
