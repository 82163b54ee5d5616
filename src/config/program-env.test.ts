import { expect, test } from "vitest";
import { serverEnv } from "./program-env.ts";
import type { StdioServer } from "./server.ts";

function server(env: Record<string, string>): StdioServer {
  return { transport: "stdio", name: "s", command: "c", args: [], env, tools: { allow: [], deny: [] } };
}

test("a server gets what any program needs and its own settings, and no other variable of ours", () => {
  const env = {
    HOME: "/home/me",
    PATH: "/bin",
    LANG: "C.UTF-8",
    XDG_RUNTIME_DIR: "/run/user/1",
    TERM: undefined,
    SHELL: "() { :; }; echo",
    GITHUB_TOKEN: "s3cret",
    NODE_OPTIONS: "--require x",
    APPDATA: "x",
  };
  expect(serverEnv(server({ KEY: "1", LANG: "de_DE" }), env, "linux")).toEqual({
    HOME: "/home/me",
    PATH: "/bin",
    LANG: "de_DE",
    XDG_RUNTIME_DIR: "/run/user/1",
    KEY: "1",
  });
});

test("on Windows it gets the folders that programs need there", () => {
  const env = { APPDATA: "a", SYSTEMROOT: "C:\\Windows", PATHEXT: ".EXE", HOME: "h", SECRET: "s" };
  expect(serverEnv(server({}), env, "win32")).toEqual({
    APPDATA: "a",
    PATHEXT: ".EXE",
    SYSTEMROOT: "C:\\Windows",
  });
});

test("the default is the environment of this process", () => {
  expect(serverEnv(server({}))).toMatchObject({ PATH: process.env["PATH"] });
});
