import { expect, test } from "vitest";
import { foldedNames, namedTools, nameQuery, nameStarts } from "./name-lookup.ts";

function library(server: string, module: string, names: Record<string, string>) {
  const [exact, identifiers] = [Object.keys(names), Object.values(names)];
  const starts = nameStarts({ server, module });
  return { server, module, names: exact, identifiers, folded: foldedNames(exact, identifiers), starts };
}

const libraries = [
  library("git-hub", "git_hub", { create_issue: "create_issue", search: "search", "get-user": "get_user_123456" }),
  library("other", "other", {
    createIssue: "createIssue",
    get_user: "get_user",
    名前: "tool_abcdef",
    "-": "tool_123456",
  }),
];

test.each([
  ["create_issue", { "git-hub/create_issue": 2, "other/createIssue": 1 }],
  [" Create_Issue ", { "git-hub/create_issue": 2, "other/createIssue": 1 }],
  ["create issue", { "git-hub/create_issue": 1, "other/createIssue": 1 }],
  ["git-hub.create_issue", { "git-hub/create_issue": 2 }],
  ["git-hub/create_issue", { "git-hub/create_issue": 2 }],
  ["git-hub create_issue", { "git-hub/create_issue": 2 }],
  ["git_hub:create_issue", { "git-hub/create_issue": 2 }],
  ["git hub create issue", { "git-hub/create_issue": 1 }],
  ["get-user", { "git-hub/get-user": 2, "other/get_user": 1 }],
  ["get_user_123456", { "git-hub/get-user": 2 }],
  ["名前", { "other/名前": 2 }],
  ["search", { "git-hub/search": 2 }],
  ["search for bugs", {}],
  ["call `createIssue`, then git-hub.search", { "other/createIssue": 1, "git-hub/search": 1 }],
  ["issue", {}],
  ["__proto__", {}],
  ["-", { "other/-": 2 }],
  ["other", { "other/-": 1 }],
  ["  ", {}],
  ["", {}],
])("%j names %j", (query, expected) => {
  const found = libraries.flatMap((library) => {
    return [...(namedTools(library, nameQuery(query)) ?? [])].map(([tool, exactness]) => [
      `${library.server}/${library.names[tool]}`,
      exactness,
    ]);
  });
  expect(Object.fromEntries(found)).toEqual(expected);
});
