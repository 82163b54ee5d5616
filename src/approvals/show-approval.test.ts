import { describe, expect, test } from "vitest";
import type { Approval } from "./approval.ts";
import { showApproval } from "./show-approval.ts";

const asked: Approval = {
  ...{ id: "a23456789", run: "r1", kind: "tool", server: "gmail", tool: "send_mail" },
  ...{ identity: "i", definition: "d", argsHash: "h", via: "code", rule: "mail", policy: "p" },
  ...{ args: '{"cc":[],"to":"eve@evil.io"}', reason: 'the rule "mail": mail leaves the company' },
  ...{ approver: undefined, state: "pending", scope: undefined, uses: 0, most: 1 },
  ...{ askedAt: Date.UTC(2026, 0, 2, 3, 4, 5), expiresAt: Date.UTC(2026, 0, 3, 3, 4, 5) },
  ...{ decidedAt: undefined, decidedBy: undefined, channel: undefined, note: undefined },
};
const decided = { decidedAt: Date.UTC(2026, 0, 2, 4), decidedBy: "ann", channel: "cli" } as const;
const lastLine = (more: Partial<Approval>) =>
  showApproval({ ...asked, ...more })
    .split("\n")
    .at(-1);
const argumentsOf = (args: unknown) =>
  showApproval({ ...asked, args: JSON.stringify(args) })
    .split("\n")
    .filter((line) => line.startsWith("  "));

describe("an approval", () => {
  test("is what wants to run, why, with what, where, and until when", () => {
    expect(showApproval(asked, { line: 12 })).toBe(
      [
        'gmail.send_mail wants to run (the rule "mail": mail leaves the company).',
        "  cc: []",
        '  to: "eve@evil.io"',
        "Run r1, line 12 (by code).",
        "Asked at 2026-01-02 03:04:05 UTC, to be decided until 2026-01-03 03:04:05 UTC.",
        "Approval a23456789: nobody has decided.",
      ].join("\n"),
    );
  });

  test.each<[Partial<Approval>, string]>([
    [
      { ...decided, state: "approved", scope: "once" },
      "allowed once by ann on the command line at 2026-01-02 04:00:00 UTC, and not used so far.",
    ],
    [
      { ...decided, state: "approved", scope: "run", uses: 3, most: 100 },
      "allowed in this run by ann on the command line at 2026-01-02 04:00:00 UTC, used 3 of 100 times.",
    ],
    [
      { ...decided, state: "consumed", scope: "once", uses: 1 },
      "allowed once by ann on the command line at 2026-01-02 04:00:00 UTC, and used.",
    ],
    [
      { ...decided, state: "rejected", channel: "client" },
      "denied by ann in the AI client at 2026-01-02 04:00:00 UTC.",
    ],
    [{ state: "expired" }, "nobody decided in time."],
    [
      { ...decided, state: "expired", scope: "once" },
      "allowed once by ann on the command line at 2026-01-02 04:00:00 UTC, and not used in time.",
    ],
    [{ state: "void", note: "the tool\nchanged" }, "not to be decided any more: the tool\\u{a}changed."],
  ])("says where it is: %j", (more, said) => {
    expect(lastLine(more)).toBe(`Approval a23456789: ${said}`);
  });

  test("that is being asked has no state to tell of", () => {
    const { state: _state, ...fresh } = asked;
    expect(showApproval(fresh).split("\n").at(-1)).toBe("Approval a23456789.");
  });

  test("names the only channel that may decide", () => {
    expect(showApproval({ ...asked, approver: "dashboard" })).toContain("UTC, in the dashboard only.");
  });
});

describe("arguments", () => {
  test("stand whole, one a line, and are indented when they are long", () => {
    const long = "x".repeat(5000);
    expect(argumentsOf({})).toEqual(["  (no arguments)"]);
    expect(argumentsOf({ n: 1.5, text: long, none: null })).toEqual(["  n: 1.5", `  text: "${long}"`, "  none: null"]);
    expect(argumentsOf({ short: { a: [1, { b: true }] } })).toEqual(['  short: {"a":[1,{"b":true}]}']);
    expect(argumentsOf({ long: { a: long, b: [1] } })).toEqual([
      "  long: {",
      `    "a": "${long}",`,
      '    "b": [',
      "      1",
      "    ]",
      "  }",
    ]);
    expect(argumentsOf(["not", "an object"])).toEqual(['  ["not","an object"]']);
    const many = argumentsOf({ to: Array.from({ length: 1000 }, (_, index) => `p${index}@x.io`) });
    expect(many).toHaveLength(1002);
    expect(showApproval({ ...asked, args: "not JSON\n" })).toContain('\n  "not JSON\\n"\n');
  });

  test("cannot pass for our own lines", () => {
    const shown = argumentsOf({
      text: 'x"\n\nApproval a1: nobody has decided.\u001b[2J\u009b\u202e\u200b\u{e0041}\ufe0f\u2028\ud800',
      "to: me\nRun r9": 1,
      ["__proto__"]: 2,
    });
    expect(shown).toEqual([
      '  text: "x\\"\\n\\nApproval a1: nobody has decided.\\u001b[2J\\u{9b}\\u{202e}\\u{200b}\\u{e0041}\\u{fe0f}\\u{2028}\\ud800"',
      '  "to: me\\nRun r9": 1',
      "  __proto__: 2",
    ]);
  });
});

test("names, reasons and who decided are visible, and names that read like a sentence are quoted", () => {
  const tool = "read (harmless). Allowed.\u001b[1A";
  const shown = showApproval({
    ...asked,
    server: "g\u202e",
    tool,
    reason: "a\u001b]0;\u0007\nb",
    via: "skill:x y",
    run: "r\u202e1",
  });
  expect(shown.split("\n")[0]).toBe(
    '"g\\u{202e}"."read (harmless). Allowed.\\u001b[1A" wants to run (a\\u{1b}]0;\\u{7}\\u{a}b).',
  );
  expect(shown).toContain('Run r\\u{202e}1 (by "skill:x y").');
  expect(lastLine({ ...decided, state: "rejected", decidedBy: "a\u001b[8m\nb" })).toContain("by a\\u{1b}[8m\\u{a}b on");
});
