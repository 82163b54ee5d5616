// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of the configuration are the subject
import { describe, expect, test } from "vitest";
import { CoordinatorError } from "../errors.ts";
import { readConfig } from "./load.ts";

function failure(content: string | object): CoordinatorError {
  try {
    readConfig(typeof content === "string" ? content : JSON.stringify(content), "/mcp.json", { HOME: "/home/me" });
  } catch (error) {
    if (error instanceof CoordinatorError) return error;
    throw error;
  }
  throw new Error("the configuration was taken");
}

/** The problems of a file, without their lines. */
function problems(content: string | object): string[] {
  const { code, message } = failure(content);
  const [first, ...rest] = message.split("\n");
  expect({ code, first }).toEqual({ code: "config_invalid", first: "Cannot use /mcp.json:" });
  return rest.map((line) => line.trim().replace(/ \(line \d+\)$/, ""));
}

const server = (entry: object) => ({ mcpServers: { s: entry } });
const limits = (values: object) => ({ coordinator: { sandbox: { limits: values } } });
const choices = (...values: string[]) => `expected one of ${values.map((value) => `"${value}"`).join(", ")}`;

describe("each problem is told with its path:", () => {
  test.each<[content: string | object, problem: string]>([
    [[], "the file: expected an object, found a list"],
    ["null", "the file: expected an object, found null"],
    [{ mcpServer: {} }, 'mcpServer: unknown key; did you mean "mcpServers"?'],
    [{ linear: { command: "x" } }, "linear: unknown key; a server belongs inside mcpServers"],
    [{ zzz: 1 }, "zzz: unknown key"],
    [{ mcpServers: [] }, "mcpServers: expected an object, found a list"],
    [{ mcpServers: {}, servers: {} }, "servers: means the same as mcpServers; keep one"],
    [{ mcpServers: { s: "npx" } }, "mcpServers.s: expected an object, found a string"],
    [{ mcpServers: { "": { command: "x" } } }, 'mcpServers[""]: needs a name'],
    [server({ command: "" }), "mcpServers.s.command: must not be empty"],
    [server({ command: ["npx"] }), "mcpServers.s.command: expected a string, found a list"],
    [server({ command: "x", args: "-y" }), "mcpServers.s.args: expected a list, found a string"],
    [server({ command: "x", args: ["-y", 1] }), "mcpServers.s.args[1]: expected a string, found a number"],
    [server({ command: "x", env: { "A B": 123456 } }), 'mcpServers.s.env["A B"]: expected a string, found a number'],
    [server({ command: "x", env: { A: true } }), "mcpServers.s.env.A: expected a string, found true"],
    [server({ command: "x", disabled: "yes" }), "mcpServers.s.disabled: expected true or false, found a string"],
    [server({ command: "x", envFile: ".env" }), "mcpServers.s.envFile: not supported; write its variables into env"],
    [
      server({ command: "x", enabled: false }),
      'mcpServers.s.enabled: not supported; write "disabled": true to leave the server out',
    ],
    [server({}), "mcpServers.s: needs command (a program to start) or url (a server to reach)"],
    [
      server({ command: "x", url: "https://example.org" }),
      "mcpServers.s: has both command and url; keep the one you mean",
    ],
    [
      server({ url: "https://example.org", httpUrl: "https://example.org" }),
      "mcpServers.s.httpUrl: means the same as url; keep one",
    ],
    [
      server({ type: "https", url: "https://example.org" }),
      `mcpServers.s.type: ${choices("stdio", "http", "streamable-http", "streamableHttp", "sse")}; found "https"; did you mean "http"?`,
    ],
    [server({ type: "http", command: "x" }), "mcpServers.s.type: a server of this type has a url, not a command"],
    [
      server({ type: "stdio", url: "https://example.org" }),
      "mcpServers.s.type: a server of this type has a command, not a url",
    ],
    [server({ url: "ftp://example.org/t0ken" }), "mcpServers.s.url: must begin with http:// or https://"],
    [server({ url: "example.org/t0ken" }), "mcpServers.s.url: is not a whole url, such as https://example.org/mcp"],
    [
      server({ url: "https://me:t0ken@example.org" }),
      "mcpServers.s.url: must not hold a user name or password; write headers.Authorization",
    ],
    [
      server({ url: "https://example.org", headers: { A: "t0ken\n" } }),
      "mcpServers.s.headers.A: has a character that no header may hold, such as a line break",
    ],
    [
      server({ url: "https://example.org", headers: { "A:": "x" } }),
      'mcpServers.s.headers["A:"]: is not a legal header name',
    ],
    [
      server({ url: "https://example.org", headers: { A: ["t0ken"] } }),
      "mcpServers.s.headers.A: expected a string, found a list",
    ],
    [server({ command: "x", tools: "*" }), "mcpServers.s.tools: expected an object or a list, found a string"],
    [server({ command: "x", tools: [1] }), "mcpServers.s.tools[0]: expected a string, found a number"],
    [server({ command: "x", tools: { deny: "a" } }), "mcpServers.s.tools.deny: expected a list, found a string"],
    [server({ command: "x", tools: { denny: [] } }), 'mcpServers.s.tools.denny: unknown key; did you mean "deny"?'],
    [
      server({ command: "x", tools: ["a"], includeTools: ["b"] }),
      "mcpServers.s.includeTools: means the same as the allowed tools of tools; keep one",
    ],
    [
      { servers: { s: { command: "x", env: { A: "${input:key}" } } } },
      "servers.s.env.A: ${input:key}: inputs of VS Code are not supported; set an environment variable and write ${NAME}",
    ],
    [{ coordinator: { sandbx: {} } }, 'coordinator.sandbx: unknown key; did you mean "sandbox"?'],
    [{ coordinator: { toolsets: [] } }, "coordinator.toolsets: must not be empty, unless servers are exposed"],
    [
      { coordinator: { sandbox: { typescript: "denno" } } },
      `coordinator.sandbox.typescript: ${choices("auto", "deno", "container")}; found "denno"; did you mean "deno"?`,
    ],
    [
      { coordinator: { sandbox: { isolation: 1 } } },
      `coordinator.sandbox.isolation: ${choices("engine", "os")}; found a number`,
    ],
    [limits({ memoryMb: 0 }), "coordinator.sandbox.limits.memoryMb: expected at least 1, found 0"],
    [limits({ memoryMb: 1.5 }), "coordinator.sandbox.limits.memoryMb: expected a whole number, found 1.5"],
    [limits({ memoryMb: "512" }), "coordinator.sandbox.limits.memoryMb: expected a number, found a string"],
    [limits({ memoryMB: 1 }), 'coordinator.sandbox.limits.memoryMB: unknown key; did you mean "memoryMb"?'],
    [
      limits({ maxTimeoutSeconds: 3_000_000 }),
      "coordinator.sandbox.limits.maxTimeoutSeconds: expected at most 2147483, found 3000000",
    ],
    [
      limits({ timeoutSeconds: 601 }),
      "coordinator.sandbox.limits.timeoutSeconds: 601 is above maxTimeoutSeconds, which is 600",
    ],
    [
      limits({ maxTimeoutSeconds: 10 }),
      "coordinator.sandbox.limits.timeoutSeconds: 30 is above maxTimeoutSeconds, which is 10",
    ],
  ])("%j", (content, problem) => {
    expect(problems(content)).toEqual([problem]);
  });
});

test("all problems are told together, in the order of the file, with their lines and without secrets", () => {
  const error = failure(`{
  "mcpServers": {
    "linear": {
      "url": "https://example.org/mcp",
      "headers": {
        "Authorization": "Bearer \${LINEAR_TOKEN}",
        "X-Key": ["hush-1"]
      }
    },
    "slack": { "command": "x", "url": "hush-2", "comand": "y", "env": { "KEY": { "a": "hush-3" } } },
    "git": { "command": "x" },
    "git": { "command": "x", "env": 1 }
  },
  "coordinator": {
    "toolsets": ["code", "cod"],
    "output": { "format": "jsn" },
    "outptu": {}
  }
}`);
  expect({ code: error.code, message: error.message, hint: error.hint }).toEqual({
    code: "config_invalid",
    message: `Cannot use /mcp.json:
  mcpServers.linear.headers.Authorization: the environment variable LINEAR_TOKEN is not set; set it or write \${LINEAR_TOKEN:-default} (line 6)
  mcpServers.linear.headers.X-Key: expected a string, found a list (line 7)
  mcpServers.slack: has both command and url; keep the one you mean (line 10)
  mcpServers.slack.url: is not a whole url, such as https://example.org/mcp (line 10)
  mcpServers.slack.comand: unknown key; did you mean "command"? (line 10)
  mcpServers.slack.env.KEY: expected a string, found an object (line 10)
  mcpServers.git: is written twice; keep one (line 12)
  mcpServers.git.env: expected an object, found a number (line 12)
  coordinator.toolsets[1]: ${choices("code", "discovery", "skills", "files", "environment", "registry", "runs")}; found "cod"; did you mean "code"? (line 15)
  coordinator.output.format: ${choices("compact", "json", "toon")}; found "jsn"; did you mean "json"? (line 16)
  coordinator.outptu: unknown key; did you mean "output"? (line 17)`,
    hint: "Correct the file. `mcp-coordinator config schema` prints what may be in it.",
  });
});

test("of thousands of problems the first hundred and the number of the others are told", () => {
  const told = problems(Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 1])));
  expect([told.length, told[0], told[99], told[100]]).toEqual([
    101,
    "k0: unknown key",
    "k99: unknown key",
    "and 4900 more",
  ]);
});

describe("hostile keys do no harm:", () => {
  test.each<[content: string, problem: string]>([
    ['{ "__proto__": { "mcpServers": {} } }', "__proto__: this name cannot be used"],
    ['{ "mcpServers": { "__proto__": { "command": "x" } } }', "mcpServers.__proto__: this name cannot be used"],
    [
      '{ "mcpServers": { "s": { "command": "x", "env": { "__proto__": "x" } } } }',
      "mcpServers.s.env.__proto__: this name cannot be used",
    ],
    ['{ "constructor": {} }', "constructor: unknown key"],
    ['{ "mcpServers": { "s": { "command": "x", "toString": 1 } } }', "mcpServers.s.toString: unknown key"],
    ['{ "a\\u001b[31m\\u202e\\u009b": 1 }', '["a\\u001b[31m\\u{202e}\\u{9b}"]: unknown key'],
    [
      '{ "coordinator": { "output": { "format": "\\u001b[31m" } } }',
      `coordinator.output.format: ${choices("compact", "json", "toon")}; found "\\u001b[31m"`,
    ],
  ])("%s", (content, problem) => {
    expect(problems(content)).toEqual([problem]);
    expect(Object.getOwnPropertyNames({})).toEqual([]);
  });
});
