import { expect, test } from "vitest";
import type { ServerConfig } from "../config/server.ts";
import { createRedact } from "./redact.ts";
import { nodeServer, remote } from "./test-servers.fixture.ts";

const url = "https://user:pass-word@example.org/mcp?key=query-key&page=1";

test.each<[string, ServerConfig, string, string]>([
  ["a value of the environment", { ...nodeServer(), env: { A: "sk-12345" } }, "is sk-12345!", "is [redacted]!"],
  ["the longer of two", { ...nodeServer(), env: { A: "secret", B: "secret-too" } }, "secret-too", "[redacted]"],
  ["a line of a long key", { ...nodeServer(), env: { KEY: "BEGIN\nabcdefgh\nEND" } }, "abcdefgh", "[redacted]"],
  ["what is too short to be told from a word", { ...nodeServer(), env: { A: "12345" } }, "12345", "12345"],
  ["a token without its scheme", remote("http://h", { headers: { A: "Bearer abcdefgh" } }), "abcdefgh", "[redacted]"],
  ["parts of the url", remote(url), "query-key pass-word example.org", "[redacted] [redacted] example.org"],
])("%s", (_, server, text, redacted) => {
  expect(createRedact(server)(text)).toBe(redacted);
});
