import { expect, test } from "vitest";
import { batchCommand } from "./windows-command.ts";

test.each([
  [["-y", "pkg"], "-y pkg"],
  [["a b"], '^^^"a^^^ b^^^"'],
  [['say "hi"'], '^^^"say^^^ \\^^^"hi\\^^^"^^^"'],
  [["a&calc"], "a^^^&calc"],
  [["%PATH%"], "^^^%PATH^^^%"],
  [["end\\ x\\"], '^^^"end\\^^^ x\\\\^^^"'],
  [[""], '^^^"^^^"'],
])("the arguments %j reach a batch file as they are", (args, line) => {
  expect(batchCommand("C:\\Program Files\\npx.cmd", args)).toEqual({
    command: "cmd.exe",
    args: ["/d", "/s", "/c", `"C:\\Program^ Files\\npx.cmd ${line}"`],
  });
});
