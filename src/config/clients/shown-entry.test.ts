// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how configurations refer to variables
import { expect, test } from "vitest";
import { shownEntry } from "./shown-entry.ts";

test.each([
  [
    { command: "npx", args: ["-y", "@scope/some-long-package-name-v2@1.2.3", "/home/ann/a-folder"] },
    "npx -y @scope/some-long-package-name-v2@1.2.3 /home/ann/a-folder",
  ],
  [
    { command: "x", args: ["--api-key", "hunter2", "--token=abc", "--port", "80"] },
    "x --api-key … --token=… --port 80",
  ],
  [{ command: "x", args: ["--api-key=${KEY}", "--token", "${T}"] }, "x --api-key=${KEY} --token ${T}"],
  [{ command: "x", args: ["postgres://ann:pw@db.example/x?sslmode=off"] }, "x postgres://…@db.example/x?…"],
  [{ command: "x", args: ["--header", "Authorization: Bearer abc"] }, "x --header Authorization: …"],
  [{ command: "x", args: ["ghp_0123456789abcdefABCDEF0123456789abcd"] }, "x …"],
  [{ url: "https://h.example/mcp?key=abc" }, "https://h.example/mcp?…"],
  [{ url: "https://h.example/s/NjQ4YzFhYzUtZGQ4My00ZTk2/mcp" }, "https://h.example/s/…/mcp"],
  [{ command: "x\u202ey", args: [] }, "x\\u{202e}y"],
])("%j", (entry, shown) => {
  expect(shownEntry(entry)).toBe(shown);
});
