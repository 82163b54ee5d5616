import { expect, test } from "vitest";
import { createLibrary, modules } from "./library.ts";

test("a library has what the configuration and the server say", () => {
  const server = { name: "my-papers", description: "papers of\nphysics", tools: { allow: [], deny: ["delete_*"] } };
  const tools = [{ name: "search" }, { name: "delete_paper" }, 7];
  expect(createLibrary(server, { tools, info: { title: "Other" } }, "my_papers")).toEqual({
    library: {
      server: "my-papers",
      module: "my_papers",
      description: "papers of physics",
      tools: [
        {
          name: "search",
          identifier: "search",
          description: "",
          inputSchema: { type: "object", additionalProperties: true },
        },
      ],
    },
    skipped: [{ name: "tool 3", reason: "it is not an object" }],
  });
});

test.each([
  [{ title: "Paper \u001b[1mServer", instructions: "Use it." }, "Paper Server"],
  [{ title: " ", instructions: "Searches v1.2 papers. Then more." }, "Searches v1.2 papers."],
  [{ instructions: "\n# Papers\nUse search first." }, "# Papers"],
  [{ instructions: "論文を検索する。次に読む。" }, "論文を検索する。"],
  [{ title: 7, instructions: ["x"] }, ""],
  [undefined, ""],
])("without a configured description, a server that says %j is described by it", (info, description) => {
  expect(createLibrary({ name: "papers" }, { tools: [], info }, "papers").library.description).toBe(description);
});

test("long instructions without a sentence are cut", () => {
  const info = { instructions: "word ".repeat(100_000) };
  const { description } = createLibrary({ name: "papers" }, { tools: [], info }, "papers").library;
  expect(description).toBe(`${"word ".repeat(100).slice(0, 299)}…`);
});

test("a filter does not change the identifiers of other tools", () => {
  const tools = [{ name: "get-user" }, { name: "get_user" }];
  const all = createLibrary({ name: "a" }, { tools }, "a").library;
  const filtered = createLibrary({ name: "a", tools: { allow: [], deny: ["get_user"] } }, { tools }, "a").library;
  expect(filtered.tools).toEqual(all.tools.filter(({ name }) => name === "get-user"));
});

test("no two servers share a module", () => {
  expect(Object.fromEntries(modules(["git-hub", "git_hub", "search", "@acme/papers"]))).toEqual({
    "git-hub": "git_hub_c42dc8",
    git_hub: "git_hub",
    search: "search_",
    "@acme/papers": "_acme_papers",
  });
});
