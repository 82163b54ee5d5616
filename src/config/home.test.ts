import { homedir } from "node:os";
import { expect, test } from "vitest";
import { dataHome, type ProcessEnv, userHome } from "./home.ts";

test.each<[platform: NodeJS.Platform, env: ProcessEnv, folder: string]>([
  ["linux", { HOME: "/home/me" }, "/home/me/.local/share/mcp-coordinator"],
  ["linux", { HOME: "/home/me", XDG_DATA_HOME: "/xdg" }, "/xdg/mcp-coordinator"],
  ["linux", { HOME: "/home/me", XDG_DATA_HOME: "" }, "/home/me/.local/share/mcp-coordinator"],
  ["linux", { HOME: "/home/me", XDG_DATA_HOME: "relative" }, "/home/me/.local/share/mcp-coordinator"],
  ["linux", { HOME: "/home/me", XDG_DATA_HOME: "/xdg", MCP_COORDINATOR_HOME: "/own" }, "/own"],
  ["linux", {}, `${homedir()}/.local/share/mcp-coordinator`],
  ["darwin", { HOME: "/Users/me" }, "/Users/me/Library/Application Support/mcp-coordinator"],
  ["darwin", { HOME: "/Users/me", XDG_DATA_HOME: "/xdg" }, "/xdg/mcp-coordinator"],
  ["win32", { USERPROFILE: "C:\\Users\\me", LOCALAPPDATA: "D:\\Local" }, "D:\\Local\\mcp-coordinator"],
  ["win32", { USERPROFILE: "C:\\Users\\me" }, "C:\\Users\\me\\AppData\\Local\\mcp-coordinator"],
  ["win32", { MCP_COORDINATOR_HOME: "E:\\own" }, "E:\\own"],
])("on %s with %j the data folder is %s", (platform, env, folder) => {
  expect(dataHome(env, platform)).toBe(folder);
});

test("the user's folder is that of the platform", () => {
  const env = { HOME: "/home/me", USERPROFILE: "C:\\Users\\me" };
  expect([userHome(env, "linux"), userHome(env, "win32"), userHome({}, "linux")]).toEqual([
    "/home/me",
    "C:\\Users\\me",
    homedir(),
  ]);
});
