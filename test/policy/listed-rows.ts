import { allow, ask, type CallsRow, deny, type LaterRow, million, type TestsRow, user } from "./row.ts";

// What a policy is to withstand, by the numbers of the list that it was made from.

const pure = "src/policy/policy.test.ts";
const lint = "src/policy/lint.test.ts";
const files = "test/policy/files.test.ts";
const faces = "test/policy/faces.test.ts";
const runs = "test/policy/runs.test.ts";
const people = "test/policy/people.test.ts";
const hold = "test/approvals/hold.test.ts";
const desk = "src/approvals/desk.test.ts";
const show = "src/approvals/show-approval.test.ts";
const store = "test/stores/approval-store.contract.test.ts";
const commands = "test/cli/approvals.test.ts";
const clients = "test/approvals/clients.test.ts";

const [ok, evil] = ["ok@acme.com", "x@evil.io"];
const deep = (levels: number, inner: string) => `${'{"a":'.repeat(levels)}${inner}${"}".repeat(levels)}`;
const careful = (match: object) => ({ user: { preset: "locked", rules: [allow("it", match)] } }) as const;

export const listedCalls: readonly CallsRow[] = [
  {
    id: "1",
    what: "a project's file allows everything where the user is asked",
    files: { ...user(ask("mail", { tool: "send_*" })), project: { preset: "open", rules: [allow("all", {})] } },
    calls: [
      { tool: "send_mail", args: { to: evil }, end: "asked", by: "mail" },
      { tool: "read_notes", end: "done" },
    ],
  },
  {
    id: "2",
    what: "one address of several is not the one that may be",
    files: {
      user: { rules: [allow("ours", { tool: "send_mail", args: { "/to/*": "*@acme.com" } }), ask("rest", {})] },
    },
    calls: [
      { tool: "send_mail", args: { to: [ok, ok] }, end: "done" },
      { tool: "send_mail", args: { to: [ok, evil] }, end: "asked", by: "rest" },
      { tool: "send_mail", args: { to: [] }, end: "asked", by: "rest" },
    ],
  },
  {
    id: "3",
    what: "an object stands in place of a list",
    files: {
      user: { rules: [ask("others", { args: { "/to/*": { not: "*@acme.com" } } }), allow("ours", {})] },
    },
    calls: [
      { tool: "send_mail", args: { to: { 0: evil } }, end: "asked", by: "others" },
      { tool: "send_mail", args: { to: evil }, end: "asked", by: "others" },
      { tool: "send_mail", args: { to: [{ address: evil }] }, end: "asked", by: "others" },
      { tool: "send_mail", args: { to: [ok] }, end: "done" },
    ],
  },
  {
    id: "4",
    what: "what is to be checked is not there",
    files: careful({ args: { "/to/*": "*@acme.com" } }),
    calls: [
      { tool: "send_mail", args: {}, end: "denied", by: "preset locked" },
      { tool: "send_mail", args: { to: null }, end: "denied", by: "preset locked" },
      { tool: "send_mail", args: { to: [ok] }, end: "done" },
    ],
  },
  {
    id: "5",
    what: "a condition that throws holds back, and allows nothing",
    files: {
      user: {
        rules: [
          deny("large", { tool: "pay", when: "args.amount > 100" }),
          ask("many", { tool: "send_mail", when: "size(args.to) > 1" }),
          allow("few", { tool: "add_note", when: "size(args.rows) < 3" }),
          deny("rest", { tool: "add_note" }),
        ],
      },
    },
    calls: [
      { tool: "pay", args: { amount: 5 }, end: "done" },
      { tool: "pay", args: { amount: "101" }, end: "denied", by: "large" },
      { tool: "pay", args: {}, end: "denied", by: "large" },
      { tool: "send_mail", args: { to: 7 }, end: "asked", by: "many" },
      { tool: "add_note", args: { rows: 1 }, end: "denied", by: "rest" },
      { tool: "add_note", args: { rows: [1] }, end: "done" },
    ],
  },
  {
    id: "8",
    what: "names that look the same: width zero, another composition, case, a space, a line break",
    files: {
      user: {
        preset: "locked",
        rules: [
          allow("mail", { tool: "send_mail" }),
          allow("caf\u00e9", { tool: "caf\u00e9" }),
          allow("line", { tool: "line" }),
        ],
      },
    },
    calls: [
      { tool: "send_mail", args: { n: 1 }, end: "done" },
      { tool: "send_\u200bmail", end: "denied", by: "preset locked" },
      { tool: "send_mail ", end: "denied", by: "preset locked" },
      { tool: "Send_mail", end: "denied", by: "preset locked" },
      { tool: "caf\u00e9", end: "done" },
      { tool: "cafe\u0301", end: "denied", by: "preset locked" },
      { tool: "line\nbreak", end: "denied", by: "preset locked" },
    ],
  },
  {
    id: "13",
    what: "keys of prototypes, 500 levels and a megabyte of arguments",
    files: user(
      deny("keys", { tool: "pay", args: { "/__proto__/x": "1", "/constructor": "y" } }),
      deny("deep", { tool: "add_note", args: { "/a": { not: "leaf" } } }),
      deny("long", { tool: "fetch_page", args: { "/a": ["(a+)+$", "*a*a*a*a*a*b"] } }),
    ),
    calls: [
      { tool: "pay", args: '{"__proto__":{"x":"1"},"constructor":"y"}', end: "denied", by: "keys" },
      { tool: "pay", args: '{"__proto__":{"x":"2"},"constructor":"y"}', end: "done", sent: { constructor: "y" } },
      { tool: "pay", args: {}, end: "done" },
      { tool: "add_note", args: deep(490, '"leaf"'), end: "done" },
      { tool: "add_note", args: deep(490, '"other"'), end: "denied", by: "deep" },
      { tool: "fetch_page", args: { a: million }, end: "done" },
      { tool: "fetch_page", args: { a: `${million}b` }, end: "denied", by: "long" },
    ],
  },
  {
    id: "14",
    what: "numbers at the edges: what is judged is what is sent",
    files: user(
      deny("negative", { tool: "pay", args: { "/n": { max: -1 } } }),
      deny("beyond", { tool: "pay", args: { "/n": { min: 2 ** 53 } } }),
    ),
    calls: [
      { tool: "pay", args: '{"n":-0}', end: "done", sent: { n: 0 } },
      { tool: "pay", args: '{"n":1.0}', end: "done", sent: { n: 1 } },
      { tool: "pay", args: '{"n":9007199254740991}', end: "done", sent: { n: 9007199254740991 } },
      { tool: "pay", args: '{"n":9007199254740993}', end: "denied", inPython: "refused", by: "beyond" },
      { tool: "pay", args: '{"n":1e21}', end: "denied", by: "beyond" },
      { tool: "pay", args: '{"n":-1e-7}', end: "done" },
      { tool: "pay", args: '{"n":1e400}', end: "refused" },
    ],
  },
];

export const listedTests: readonly TestsRow[] = [
  {
    id: "6",
    what: "patterns that never come back",
    tests: [
      [pure, "%s is refused when it is read"],
      [pure, "%s end in a moment"],
    ],
  },
  {
    id: "7",
    what: "another name of a tool, another face: the same answer",
    tests: [[faces, "every face that there is"]],
  },
  {
    id: "9",
    what: "a server is renamed in the configuration, and its rules are about nobody",
    tests: [[lint, "a pattern that fits nothing: %j"]],
  },
  {
    id: "10",
    what: "resources, subscriptions, prompts and completions of exposed servers",
    tests: [[faces, "every face that there is"]],
  },
  {
    id: "11",
    what: "a rule with an unknown key, at the start",
    tests: [[files, "a rule that is wrong stops the start"]],
  },
  {
    id: "12",
    what: "the rules change while a program runs",
    tests: [
      [runs, "other rules hold from the next call on"],
      [desk, "other rules have it judged again, and drop what nobody needs to decide"],
    ],
  },
  {
    id: "15",
    what: "a program catches each denial and goes on, ten thousand times",
    tests: [[runs, "a program that goes on calling what is denied"]],
  },
  {
    id: "16",
    what: "packages, skills, commits and hosts that are open",
    tests: [[faces, "every face that there is"]],
  },
  {
    id: "17",
    what: "a client accepts an empty form",
    tests: [
      [hold, "that %s decides nothing, and the run waits"],
      [clients, "Python's mcp, as of %s, approves nothing by an empty form"],
    ],
  },
  { id: "18", what: "a client accepts with a space behind the words", tests: [[hold, "that %s decides nothing"]] },
  {
    id: "19",
    what: "a model asks a hundred times for the run",
    tests: [[hold, "a hundred times resume_run approves"]],
  },
  {
    id: "20",
    what: "arguments with escapes, directions and a forged approval",
    tests: [
      [people, "sees what is hidden in arguments"],
      [show, "cannot pass for our own lines"],
      [commands, "shows escapes, directions and hidden characters as what they are"],
    ],
  },
  {
    id: "21",
    what: "a thousand addresses, which nobody could read in a form",
    tests: [
      [people, "is not asked about what does not fit a form"],
      [hold, "what cannot be shown whole is not asked of the client"],
    ],
  },
  {
    id: "22",
    what: "a server calls its tool harmless",
    tests: [[people, "is told the name of a tool, and nothing that"]],
  },
  { id: "23", what: "fifty calls wait, and twenty are decided", tests: [[hold, "of fifty that wait, those go"]] },
  {
    id: "24",
    what: "two decide at once",
    tests: [
      [commands, "of two processes that decide at the same moment"],
      [store, "who decides first decides, and whoever is late learns"],
    ],
  },
  {
    id: "25",
    what: "the same answer twice",
    tests: [
      [hold, "is served once, with its own request only"],
      [store, "a question is taken once, by its owner"],
    ],
  },
  {
    id: "26",
    what: "the state of a question of another person, of other arguments, changed, or too old",
    tests: [
      [hold, "is served once, with its own request only"],
      [store, "a question is taken once, by its owner, with its fingerprint, and in its time"],
    ],
  },
  {
    id: "29",
    what: "the rules are tightened between question and answer",
    tests: [[people, "does not allow what the rules forbid by then"]],
  },
  {
    id: "30",
    what: "a tool is defined otherwise between question and answer",
    tests: [
      [people, "does not allow a tool that says something else by then"],
      [desk, "a tool that says something else by then is not called"],
    ],
  },
  { id: "31", what: "what one run was allowed, another wants", tests: [[people, "is asked by each run anew"]] },
  {
    id: "32",
    what: "two coordinators on one data folder go on with one run",
    tests: [[people, "has one of two coordinators send it"]],
  },
  {
    id: "33",
    what: "time runs out while nobody is there",
    tests: [
      [commands, "know what is over, also when nobody was there to notice"],
      [store, "past its time nothing can be decided, before and after somebody has noticed"],
    ],
  },
  { id: "34", what: "a client goes away while its run waits", tests: [[people, "may go away: the run waits"]] },
];

export const laterRows: readonly LaterRow[] = [
  { id: "7p", what: "the same answer in the playground", later: "17" },
  { id: "7r", what: "the same answer in the second pass of a run", later: "16" },
  { id: "24d", what: "two pages of the dashboard, or one and a command, decide at once", later: "17" },
  { id: "25d", what: "a click twice, a request of the dashboard that is sent again", later: "17" },
  { id: "32r", what: "two coordinators begin the second pass of one run", later: "16" },
  { id: "42", what: "another site's page decides: a form, a frame, a name that resolves here", later: "17" },
];
