// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of the configuration are the subject
import { expect, test } from "vitest";
import type { ConfigProblem } from "./document.ts";
import { expand } from "./expand.ts";

const variables = {
  env: { A: "a", EMPTY: "", NESTED: "${A}", "ProgramFiles(x86)": "C:\\x86" },
  userHome: "/home/me",
  workspaceFolder: "/work",
};

const unset = (variable: string) => {
  return {
    text: `the environment variable ${variable} is not set; set it or write \${${variable}:-default}`,
    variable,
  };
};

test.each<[text: string, expanded: string, ...problems: (string | ReturnType<typeof unset>)[]]>([
  ["", ""],
  ["${A}", "a"],
  ["x${A}y${A}z", "xayaz"],
  ["${env:A}", "a"],
  ["${A:-b}", "a"],
  ["${env:A:-b}", "a"],
  ["${EMPTY}", ""],
  ["${EMPTY:-b}", "b"],
  ["${NO:-b}", "b"],
  ["${NO:-}", ""],
  ["${NO:-a b:-c $d\n}", "a b:-c $d\n"],
  ["${env:NO:-https://x:1/}", "https://x:1/"],
  ["${NO:-${A}}", "a"],
  ["${NO:-x${NO:-y}z}", "xyz"],
  ["${A:-${NO}}", "a"],
  ["${NO:-${NO}}", "${NO}", unset("NO")],
  ["${NESTED}", "${A}"],
  ["${env:ProgramFiles(x86)}", "C:\\x86"],
  ["${userHome}/x", "/home/me/x"],
  ["${workspaceFolder}/x", "/work/x"],
  ["${NO}", "${NO}", unset("NO")],
  ["${env:NO}-${ALSO}", "${env:NO}-${ALSO}", unset("NO"), unset("ALSO")],
  ["${constructor}${__proto__}", "${constructor}${__proto__}", unset("constructor"), unset("__proto__")],
  [
    "${input:key}",
    "${input:key}",
    "${input:key}: inputs of VS Code are not supported; set an environment variable and write ${NAME}",
  ],
  ["$A", "$A"],
  ["$$A {A} {env:A} %A%", "$$A {A} {env:A} %A%"],
  ["${}", "${}"],
  ["${A", "${A"],
  ["${A-b}", "${A-b}"],
  ["${1}", "${1}"],
  ["${command:x}", "${command:x}"],
  ["${{ secrets.A }}", "${{ secrets.A }}"],
])("%j becomes %j", (text, expanded, ...texts) => {
  const problems: ConfigProblem[] = [];
  expect(expand(text, ["p"], variables, problems)).toBe(expanded);
  expect(problems).toEqual(texts.map((one) => ({ path: ["p"], ...(typeof one === "string" ? { text: one } : one) })));
});

test("every string inside a value is expanded, keys and other values are not, and problems carry their path", () => {
  const problems: ConfigProblem[] = [];
  const value = JSON.parse('{ "${A}": ["${A}", 1, { "b": "${NO}" }], "n": null, "t": true, "__proto__": "${A}" }');
  const expanded = expand(value, ["s"], variables, problems);
  expect(JSON.stringify(expanded)).toBe('{"${A}":["a",1,{"b":"${NO}"}],"n":null,"t":true,"__proto__":"a"}');
  expect(problems).toEqual([{ path: ["s", "${A}", 2, "b"], ...unset("NO") }]);
});
