// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of the configuration are the subject
import { expect, test } from "vitest";
import { readConfig } from "./load.ts";

function read(content: object) {
  return readConfig(JSON.stringify(content), "/project/mcp.json", { HOME: "/home/me", SET: "1" });
}

test("a server that names variables that are not set is left out, with the reason and the fix; the others stay", () => {
  const { servers, leftOut } = read({
    mcpServers: {
      a: { command: "a", env: { KEY: "${SET}" } },
      b: { command: "b", args: ["${ONE}", "${TWO}"], env: { AGAIN: "${ONE}" }, description: "of b" },
      c: { url: "${HOST_OF_C}", headers: { "X-Key": "${HOST_OF_C}" } },
      d: { command: "d", env: { KEY: "${NO:-default}" } },
    },
  });
  expect(servers.map(({ name }) => name)).toEqual(["a", "d"]);
  expect(leftOut).toEqual([
    {
      name: "b",
      transport: "stdio",
      description: "of b",
      reason: "the environment variables ONE and TWO are not set",
      fix: "Set them where the coordinator is started, or write ${ONE:-default} (mcpServers.b.args[0], mcpServers.b.args[1] and mcpServers.b.env.AGAIN).",
    },
    {
      name: "c",
      transport: "http",
      reason: "the environment variable HOST_OF_C is not set",
      fix: "Set it where the coordinator is started, or write ${HOST_OF_C:-default} (mcpServers.c.url and mcpServers.c.headers.X-Key).",
    },
  ]);
});

test("what is wrong with the entry of such a server is still a problem of the file", () => {
  expect(() => read({ servers: { s: { command: "${NO}", comand: "x" } } })).toThrow(
    /servers\.s\.command: the environment variable NO is not set; .*\n {2}servers\.s\.comand: unknown key; did you mean "command"\?/,
  );
});

test("a disabled server is not one that is left out", () => {
  expect(read({ mcpServers: { s: { command: "${NO}", disabled: true } } }).leftOut).toEqual([]);
});

test("a name from a hostile file is told in printable characters", () => {
  const [only] = read({ mcpServers: { s: { command: "x", args: ["${env:A\u001bB}"] } } }).leftOut;
  expect(only?.reason).toBe("the environment variable A\\u{1b}B is not set");
});
