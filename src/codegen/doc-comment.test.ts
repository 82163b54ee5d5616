import { expect, test } from "vitest";
import { docComment, docText } from "./doc-comment.ts";

test.each([
  ["", ""],
  ["One line.", "/** One line. */\n"],
  ["One.\n\nTwo.", "/**\n * One.\n *\n * Two.\n */\n"],
  ["*/ evil(); /*", "/** *\\/ evil(); /* */\n"],
  ["**/", "/** **\\/ */\n"],
  ["/\n/", "/**\n * /\n * /\n */\n"],
  ["@deprecated", "/** \\@deprecated */\n"],
  ["a @see b {@link c} (@d) e@example.org", "/** a \\@see b {\\@link c} (\\@d) e@example.org */\n"],
  ["x\n@ts-ignore", "/**\n * x\n * \\@ts-ignore\n */\n"],
])("%j stays inside its comment", (text, comment) => {
  expect(docComment(text)).toBe(comment);
});

test.each<[unknown, string]>([
  ["  Finds.\r\n\r\n\r\n\r\n    It is:\u2028 - new ", "Finds.\n\nIt is:\n- new"],
  ["a\u0000b\u202ec*\u200b/", "abc*/"],
  ["x".repeat(2_000), `${"x".repeat(99)}…`],
  [{ toString: () => "x" }, ""],
  [undefined, ""],
])("text of a server is made plain: %j", (text, plain) => {
  expect(docText(text, 100)).toBe(plain);
});
