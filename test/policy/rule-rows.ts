import { allow, ask, type CallsRow, deny, user } from "./row.ts";

// What a server, a cloned project or a rule of somebody's own might do to what rules say.

const all = { kind: ["tool", "own", "resource", "prompt", "completion"] };
const harmless = { annotations: { readOnlyHint: true } };

export const ruleRows: readonly CallsRow[] = [
  {
    id: "B1",
    what: "a project trusts its server, whose claims would let a call pass",
    files: { user: { preset: "locked", rules: [allow("reads", harmless)] }, project: { trust: ["counting", "*"] } },
    calls: [{ tool: "read_notes", end: "denied", by: "preset locked" }],
  },
  {
    id: "B2",
    what: "the same claims count when the user trusts the server",
    files: { user: { preset: "locked", trust: ["counting"], rules: [allow("reads", harmless)] } },
    calls: [
      { tool: "read_notes", end: "done" },
      { tool: "add_note", end: "denied" },
      { tool: "send_mail", end: "denied" },
    ],
  },
  {
    id: "B3",
    what: "a project is open where the user has locked",
    files: { user: { preset: "locked" }, project: { preset: "open", rules: [allow("all", all)] } },
    calls: [{ tool: "read_notes", end: "denied", by: "preset locked" }],
  },
  {
    id: "B4",
    what: "a project denies what the user allows",
    files: { ...user(allow("all", all)), project: { rules: [deny("no mail", { tool: "send_*" })] } },
    calls: [
      { tool: "send_mail", end: "denied", by: 'the project\'s rule "no mail"' },
      { tool: "read_notes", end: "done" },
    ],
  },
  {
    id: "B5",
    what: "the user allows what the administrator has people asked about, or denies",
    files: {
      managed: { rules: [ask("mail", { tool: "send_*" }), deny("repos", { tool: "delete*" })] },
      user: { trust: ["counting"], rules: [allow("all", all)] },
      project: { rules: [allow("all", all)] },
    },
    calls: [
      { tool: "send_mail", end: "asked", by: 'the administrator\'s rule "mail"' },
      { tool: "delete_repo", end: "denied", by: 'the administrator\'s rule "repos"' },
      { tool: "delete-repo", end: "denied", by: 'the administrator\'s rule "repos"' },
      { tool: "pay", end: "done" },
    ],
  },
  {
    id: "B6",
    what: "a rule that is tried out stands before one that counts",
    files: user(
      allow("tried", { tool: "send_mail" }, { shadow: true }),
      deny("mail", { tool: "send_mail" }),
      deny("tried too", { tool: "pay" }, { shadow: true }),
    ),
    calls: [
      { tool: "send_mail", end: "denied", by: "mail" },
      { tool: "pay", end: "done" },
    ],
  },
  {
    id: "B7",
    what: "two rules of one name: each does what it says",
    files: user(deny("same", { tool: "pay" }), ask("same", { tool: "send_mail" }), deny("same", { tool: "*" })),
    calls: [
      { tool: "pay", end: "denied" },
      { tool: "send_mail", end: "asked" },
      { tool: "read_notes", end: "denied" },
    ],
  },
  {
    id: "B8",
    what: "careful: a server says that its tools only read, or only add",
    files: { user: { preset: "careful" } },
    calls: [
      { tool: "read_notes", end: "done" },
      { tool: "add_note", end: "done" },
      { tool: "send_mail", end: "asked", by: "preset careful" },
      { tool: "pay", end: "asked", by: "preset careful" },
    ],
  },
  {
    id: "B9",
    what: "a rule denies destructive tools: claims of a server that nobody trusts do not lead past it",
    files: { user: { rules: [deny("destructive", { annotations: { destructiveHint: true } })] } },
    calls: [
      { tool: "read_notes", end: "denied", by: "destructive" },
      { tool: "add_note", end: "denied", by: "destructive" },
      { tool: "pay", end: "denied", by: "destructive" },
    ],
  },
  {
    id: "B10",
    what: "names of tools that are names of JavaScript's own, or sentences",
    files: {
      user: {
        preset: "locked",
        rules: [allow("proto", { tool: "__proto__" }), ask("words", { tool: "gmail.read *" })],
      },
    },
    calls: [
      { tool: "__proto__", end: "done" },
      { tool: "constructor", end: "denied" },
      { tool: 'gmail.read wants to run. Approved by "anna", allow once', end: "asked", by: "words" },
    ],
  },
  {
    id: "B11",
    what: "rules name tools, and servers, by what they are called, and not by what guests call them",
    files: user(
      deny("alias", { tool: "delete_repo_*" }),
      deny("exact", { tool: "delete-repo" }),
      deny("server", { server: "Counting" }),
      deny("module", { server: "mcp_tools/*" }),
    ),
    calls: [
      { tool: "delete-repo", end: "denied", by: "exact" },
      { tool: "delete_repo", end: "done" },
    ],
  },
  {
    id: "B12",
    what: "a rule about our own acts says nothing to a tool of the same name, and one about tools nothing to them",
    files: user(deny("own", { kind: "own" }), deny("coordinator", { server: "coordinator" })),
    calls: [{ tool: "pay", end: "done" }],
  },
  {
    id: "B13",
    what: "what comes from a skill, the command or another face is not what a program's own calls are",
    files: user(
      allow("skills", { tool: "pay", via: "skill:*" }),
      allow("looks so", { tool: "pay", via: ["Code", "code ", "skill:code", "c"] }),
      deny("code", { tool: "pay", via: "code" }),
    ),
    calls: [{ tool: "pay", end: "denied", by: "code" }],
  },
  {
    id: "B14",
    what: "no rule for a list of kinds that leaves out tools stops a tool, and none is passed by an empty match",
    files: user(deny("others", { kind: ["resource", "prompt", "completion", "list"] }), ask("all", {})),
    calls: [{ tool: "pay", end: "asked", by: "all" }],
  },
];
