import type { TestsRow } from "./row.ts";

// What servers say and how they are started, against what was accepted of them: under "pins": "review" unless the test says otherwise.

const definitions = "test/pins/definitions.test.ts";
const servers = "test/pins/servers.test.ts";
const faces = "test/pins/faces.test.ts";

const changed = [definitions, "of what a server says otherwise"] as const;
const renamed = [definitions, "a tool that came later is found"] as const;
const variable = [servers, "starts with another value of a variable"] as const;

export const pinRows: readonly TestsRow[] = [
  { id: "43", what: "a description is reworded, and nothing else", tests: [changed] },
  { id: "44", what: "a tool says that it does not destroy any more, or says nothing of it", tests: [changed] },
  { id: "45", what: "a schema has its keys in another order", tests: [changed] },
  { id: "46", what: "an argument is new, or gone", tests: [changed] },
  { id: "47", what: "a tool has another name and says the same", tests: [renamed] },
  { id: "48", what: "a tool comes after the first list", tests: [renamed, [faces, "are reached by no face"]] },
  {
    id: "49",
    what: "a list changes between the check of a program and its call",
    tests: [[definitions, "a list that changes between the check"]],
  },
  {
    id: "50",
    what: "a project's file starts a server otherwise than it was accepted",
    tests: [
      [servers, "is started once it is accepted, at the next starts too, and not when"],
      [servers, "whose command was changed by other hands"],
    ],
  },
  { id: "51", what: "a variable of a server has another value, or there is one more", tests: [variable] },
  {
    id: "52",
    what: "what was accepted cannot be read any more",
    tests: [[definitions, "what cannot be read of the pins any more blocks"]],
  },
  {
    id: "53",
    what: "a server says something else with every look",
    tests: [[definitions, "a server that says something else with every look"]],
  },
  { id: "54", what: "5,000 tools change at once", tests: [[definitions, "5,000 tools that all change"]] },
  {
    id: "55",
    what: "orders to a model in instructions, prompts, templates and the texts of choices",
    tests: [[definitions, "is pinned too"], changed],
  },
  { id: "56", what: "a lock was written on another machine", tests: [[servers, "of another machine holds here"]] },
];
