import { expect, test } from "vitest";
import { writtenServer } from "./written-server.ts";

test("a server is what starts it: its words, and the names of its variables", () => {
  const entry = {
    ...{ command: "npx", args: ["-y", "notes"], cwd: ".", description: "Notes", timeoutSeconds: 5, disabled: false },
    env: { TOKEN: "secret", A: `\${B}`, LD_PRELOAD: "/x.so" },
    tools: { deny: ["delete_*"] },
  };
  expect(writtenServer(entry)).toEqual({
    command: "npx",
    args: ["-y", "notes"],
    cwd: ".",
    env: ["A", "LD_PRELOAD=/x.so", "TOKEN"],
  });
  expect(writtenServer({ command: "x", args: [], env: {} })).toEqual({ command: "x" });
});

test("or what reaches it: its address however it is called, the names of its headers, and no secret", () => {
  const headers = { "X-B": "secret", Authorization: "Bearer secret" };
  const auth = { grant: "client_credentials", clientId: "c", clientSecret: "secret" };
  for (const key of ["url", "serverUrl", "httpUrl"])
    expect(writtenServer({ type: "http", [key]: `https://\${HOST}/mcp`, headers, auth })).toEqual({
      ...{ type: "http", url: `https://\${HOST}/mcp`, headers: ["authorization", "x-b"] },
      auth: { grant: "client_credentials", clientId: "c" },
    });
});
