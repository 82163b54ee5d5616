import { allow, ask, type Call, type CallsRow, deny, type Ending, million, user } from "./row.ts";

// What a model, a guest or whoever wrote what they read might put into arguments to get past a rule that looks at them.

const locked = (match: object) => ({ user: { preset: "locked", rules: [allow("it", match)] } }) as const;
const to =
  (tool: string, name: string) =>
  (end: Ending, ...values: readonly unknown[]): Call[] =>
    values.map((value) => ({ tool, args: { [name]: value }, end }));
const page = to("fetch_page", "url");
const pay = to("pay", "n");
const mail = to("send_mail", "to");

export const argumentRows: readonly CallsRow[] = [
  {
    id: "A1",
    what: "addresses that read like the host that may be, and lead to another",
    files: locked({ tool: "fetch_page", args: { "/url": { host: ["acme.com", "*.acme.com"] } } }),
    calls: [
      ...page("done", "https://acme.com/", "https://a.acme.com:8443/x?y#z", "HTTPS://A.ACME.COM/", "http://acme.com."),
      ...page(
        "denied",
        "https://acme.com@evil.io/",
        "https://a.acme.com:x@evil.io/",
        "https://acme.com.evil.io/",
        "https://evil.io/#.acme.com",
        "https://evil.io/?x=.acme.com",
        "https://evil.io\\.acme.com",
        "https://acme.com\\@evil.io/",
        "https://evil.io\\@acme.com/",
        "https:\\\\acme.com",
        "https://acme.com\t@evil.io/",
        "ht\ntps://acme.com/",
        " https://acme.com/",
        "acme.com",
        "//acme.com/",
        "https:acme.com",
        "https:///acme.com",
        "https://%61cme.com/",
        "https://\uff41cme.com/",
        "https://acme\u3002com/",
        "https://xn--acm-dma.com/",
        "https://acme.c\u043em/",
        "file:///acme.com",
        "data:text/html,acme.com",
        "https://[::1]/",
        "",
      ),
    ],
  },
  {
    id: "A2",
    what: "other spellings of a host that may not be",
    files: user(deny("evil", { tool: "fetch_page", args: { "/url": { host: ["evil.io", "*.evil.io"] } } })),
    calls: [
      ...page(
        "denied",
        "https://evil.io/",
        "https://EVIL.io/",
        "https://evil.io./",
        "https://x.evil.io../",
        "https://ok.com@evil.io/",
        "https://ok.com\\@evil.io/",
        "https://evil.io\\@ok.com/",
        " https://evil.io/",
        "\u00a0https://evil.io/",
        "ht\ntps://evil.io/",
        "https:evil.io/",
        "https:\\\\evil.io/",
        "https:///evil.io/",
        "https://%65vil.io/",
        "https://\uff45vil.io/",
        "https://evil\u3002io/",
        "https://ev\u00adil.io/",
        "evil.io",
        "evil.io/x",
        "//evil.io/x",
        "user@evil.io:8080/x",
        "git://EVIL.io/x",
        "ssh://git@%65vil.io/x",
        ["https://ok.com", { deep: "https://evil.io" }],
      ),
      ...page("done", "https://ok.com/evil.io", "https://notevil.io/", "https://evil.io.ok.com/"),
    ],
  },
  {
    id: "A3",
    what: "a rule about a host that is written in capitals, with umlauts, or as a number",
    files: user(
      deny("hosts", { args: { "/url": { host: ["EVIL.io", "*.b\u00fccher.example", "127.0.0.1", "[::1]"] } } }),
    ),
    calls: [
      ...page(
        "denied",
        "https://evil.io/",
        "https://a.b\u00fccher.example/",
        "https://a.xn--bcher-kva.example/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://127.1/",
        "http://[0:0:0:0:0:0:0:1]:80/",
      ),
      ...page("done", "https://b\u00fccher.example/"),
    ],
  },
  {
    id: "A4",
    what: "numbers as texts, in lists, and what is nearly a number, against a rule that holds back",
    files: user(ask("large", { tool: "pay", args: { "/n": { min: 100 } } })),
    calls: [
      ...pay("asked", 100, 1e21, "5", "1e3", "NaN", "Infinity", " 99", [1, 100], { value: 100 }, true, null, ["x"]),
      ...pay("done", 99.999, -1e21, [1, 2], 0),
      { tool: "pay", args: {}, end: "done" },
    ],
  },
  {
    id: "A5",
    what: "the same against a rule that allows: it is a number, and nothing else",
    files: locked({ tool: "pay", args: { "/n": { min: 0, max: 100 } } }),
    calls: [
      ...pay("done", 0, 100, 0.1),
      ...pay("denied", -1, 100.001, "5", [5], { value: 5 }, true, false, null, "", [], {}),
      { tool: "pay", args: '{"n":-0}', end: "done", sent: { n: 0 } },
      { tool: "pay", args: {}, end: "denied" },
      { tool: "pay", args: '{"n":500,"n":5}', end: "done", sent: { n: 5 } },
      { tool: "pay", args: '{"n":5,"n":500}', end: "denied" },
    ],
  },
  {
    id: "A6",
    what: "names with slashes, tildes and dots, and pointers that only look like them",
    files: user(
      deny("names", {
        tool: "pay",
        args: { "/a~1b/c~0d/e~01f": "x" },
      }),
    ),
    calls: [
      { tool: "pay", args: { "a/b": { "c~d": { "e~1f": "x" } } }, end: "denied", by: "names" },
      { tool: "pay", args: { a: { b: { "c~d": { "e~1f": "x" } } } }, end: "done" },
      { tool: "pay", args: { "a/b": { "c~d": { "e/f": "x" } } }, end: "done" },
      { tool: "pay", args: { "a~1b": { "c~0d": { "e~01f": "x" } } }, end: "done" },
    ],
  },
  {
    id: "A7",
    what: "the letters of a text, and members that a list has by itself, are no places",
    files: locked({ tool: "send_mail", args: { "/to/0": "o*" } }),
    calls: [
      ...mail("done", ["ok"], { 0: "ok" }),
      ...mail("denied", "ok", { length: 1 }, [["ok"]], { "00": "ok" }, { "0 ": "ok" }, ["x", "ok"], []),
    ],
  },
  {
    id: "A8",
    what: "lists in lists and objects in lists, against a rule that knows one level",
    files: user(deny("evil", { tool: "send_mail", args: { "/to/*": "*@evil.io" } })),
    calls: [
      ...mail(
        "denied",
        ["x@evil.io"],
        ["a", [["x@evil.io"]]],
        [{ cc: { list: ["x@evil.io"] } }],
        { 0: "x@evil.io" },
        { a: { b: "x@evil.io" } },
        { "x@evil.io": true },
        [{ "x@evil.io": "Eve" }],
      ),
      ...mail("done", [], ["a"], {}, null, 7),
    ],
  },
  {
    id: "A9",
    what: "what is not that: absent, empty, of another type",
    files: user(ask("others", { tool: "send_mail", args: { "/to/*": { not: ["*@acme.com", "*@acme.org"] } } })),
    calls: [
      ...mail("done", ["a@acme.com", "b@acme.org"]),
      ...mail("asked", [], {}, null, "", 0, false, [""], [null], ["a@acme.com "], ["A@ACME.COM"], ["a@acme.com\n"]),
      { tool: "send_mail", args: {}, end: "asked" },
      { tool: "send_mail", args: { TO: ["a@acme.com"] }, end: "asked" },
    ],
  },
  {
    id: "A10",
    what: "globs: whole texts with their line breaks, case, and characters of their own",
    files: locked({ tool: "send_mail", args: { "/to": ["a?c", "report-*.pdf", "[x]", "^b$", "\\*", "\u{1F600}?"] } }),
    calls: [
      ...mail("done", "abc", "a\nc", "a\u{1F600}c", "report-\n/etc/.pdf", "[x]", "^b$", "\\anything", "\u{1F600}!"),
      ...mail("denied", "ac", "ABC", "abc\n", "report-.PDF", "x", "b", "*", "", "caf\u00e9"),
    ],
  },
  {
    id: "A11",
    what: "true and null where a text is expected: no glob fits them, so that nothing is allowed by them",
    files: {
      user: {
        rules: [allow("soft", { tool: "pay", args: { "/force": "*" } }), ask("rest", { tool: "pay" })],
      },
    },
    calls: [
      { tool: "pay", args: { force: "no" }, end: "done" },
      ...to("pay", "force")("asked", true, false, null, 0, ["no"], { 0: "no" }),
    ],
  },
  {
    id: "A12",
    what: "fifty thousand elements, of which the last one counts",
    files: user(deny("evil", { tool: "send_mail", args: { "/to/*": "evil" } })),
    calls: [
      { tool: "send_mail", args: `{"to":[${"0,".repeat(50_000)}"evil"]}`, end: "denied" },
      { tool: "send_mail", args: { to: ["good"] }, end: "done" },
    ],
  },
  {
    id: "A13",
    what: "a condition over what is of another type, has no such member, or is a prototype's",
    files: {
      user: {
        rules: [
          allow("small", { tool: "pay", when: "args.n < 10" }),
          allow("text", { tool: "pay", when: 'args.mode == "dry"' }),
          ask("rest", { tool: "pay" }),
          deny("all", { tool: "send_mail", when: 'args.to.all(x, x.endsWith("@evil.io"))' }),
        ],
      },
    },
    calls: [
      ...pay("done", 5, 9.5),
      ...pay("asked", "5", [5], { valueOf: 5 }, null, true, 10),
      { tool: "pay", args: { n: 50, mode: "dry" }, end: "done" },
      { tool: "pay", args: { mode: ["dry"] }, end: "asked" },
      { tool: "pay", args: '{"__proto__":{"n":5}}', end: "asked" },
      ...mail("denied", ["x@evil.io"], [], "x@evil.io", [7]),
      ...mail("done", ["a@b.c"]),
    ],
  },
  {
    id: "A14",
    what: "a million letters and long names, against everything that a rule can look for",
    files: user(
      deny("letters", { tool: "pay", args: { "/n": ["*b*b*b*c", "?*?*?*d"], "/m": { not: "*e*f*" } } }),
      deny("host", { tool: "pay", args: { "/n": { host: "*.evil.io" } } }),
      deny("when", { tool: "pay", when: 'has(args.n) && args.n.endsWith("z")' }),
    ),
    calls: [
      { tool: "pay", args: { n: million }, end: "done" },
      { tool: "pay", args: { n: `${million}z` }, end: "denied", by: "when" },
      { tool: "pay", args: { n: `https://${million}.evil.io/` }, end: "denied", by: "host" },
    ],
  },
  {
    id: "A15",
    what: "case, spaces and letters that look alike get past a rule that denies a text, and not past one that allows it",
    files: {
      user: {
        rules: [
          deny("evil", { tool: "send_mail", args: { "/to": "*@evil.io" } }),
          allow("ours", { tool: "pay", args: { "/to": "*@acme.com" } }),
          ask("rest", { tool: "pay" }),
        ],
      },
    },
    calls: [
      ...mail("denied", "x@evil.io", "a@b.c@evil.io", "@evil.io"),
      ...mail("done", "x@EVIL.io", "x@evil.io ", "x@ev\u0131l.io", "x@evil.io>"),
      ...to("pay", "to")("done", "x@acme.com"),
      ...to("pay", "to")("asked", "x@ACME.com", "x@acme.com ", "x@acm\u0435.com", "x@acme.com>"),
    ],
  },
  {
    id: "A16",
    what: "one of several elements lacks what is to be checked",
    files: locked({ tool: "send_mail", args: { "/to/*/address": "*@acme.com" } }),
    calls: [
      ...mail(
        "done",
        [{ address: "a@acme.com" }],
        [{ address: "a@acme.com" }, { address: "b@acme.com", cc: "x@evil.io" }],
      ),
      ...mail(
        "denied",
        [{ address: "a@acme.com" }, { name: "x@evil.io" }],
        [{ address: "a@acme.com" }, "x@evil.io"],
        [{ address: "a@acme.com" }, null],
        [{ address: "a@acme.com" }, { address: ["a@acme.com"] }],
        { 0: { address: "a@acme.com" } },
        [[{ address: "a@acme.com" }]],
      ),
    ],
  },
];
