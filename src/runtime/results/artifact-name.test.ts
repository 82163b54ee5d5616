import { expect, test } from "vitest";
import { artifactName, parseAddress } from "./artifact-name.ts";

test.each(["a", "A.b-c_d", "1/2/3/4", "charts/sales.2026.png", "console.log", "x".repeat(128)])(
  "%j is a name",
  (name) => {
    expect(artifactName(name)).toBe(name);
    expect(parseAddress(`artifact://r1/${name}`)).toEqual({ run: "r1", name });
  },
);

test.each([
  ...["", ".", "..", "../a", "a/../b", "/a", "a/", "a//b", "1/2/3/4/5", ".hidden", "a/.b"],
  ...["a\\b", "C:", "C:\\a", "\\\\server\\share", "a:stream", "a b", "a\0", "a\n", "é", "e\u0301", "x".repeat(129)],
  // Files that Windows does not have, or has under another name.
  ...["con", "NUL.txt", "aux", "com1.csv", "LPT9", "a/prn", "a.", "a./b", "-a", "_a"],
])("%j is none", (name) => {
  expect(() => artifactName(name)).toThrow(expect.objectContaining({ code: "input_invalid" }));
  expect(parseAddress(`artifact://r1/${name}`)).toBeUndefined();
});
