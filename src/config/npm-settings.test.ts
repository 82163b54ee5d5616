import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { npmSettings } from "./npm-settings.ts";

describe("the settings of npm", () => {
  it("are where npm looks for them", () => {
    const settings = npmSettings({ HOME: "/home/someone", USERPROFILE: "/home/someone" });
    expect(settings.userFile).toBe(join("/home/someone", ".npmrc"));
    expect(settings.globalFile).toMatch(/[\\/]etc[\\/]npmrc$/);
    expect(settings).not.toHaveProperty("registry");
  });

  it("may be named by the environment, in npm's two spellings", () => {
    const env = {
      HOME: "/home/someone",
      npm_config_userconfig: "/etc/one",
      NPM_CONFIG_REGISTRY: "https://example.org/",
    };
    expect(npmSettings(env)).toMatchObject({ userFile: "/etc/one", registry: "https://example.org/" });
  });
});
