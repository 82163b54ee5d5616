import { dirname, join } from "node:path";
import { type ProcessEnv, userHome } from "./home.ts";

/** Where the user's npm finds its settings. */
export interface NpmSettings {
  readonly userFile: string;
  readonly globalFile: string;
  /** The registry that the environment names, before any file. */
  readonly registry?: string;
}

export function npmSettings(env: ProcessEnv = process.env): NpmSettings {
  const named = (name: string) => env[`npm_config_${name}`] || env[`NPM_CONFIG_${name.toUpperCase()}`];
  const registry = named("registry");
  return {
    userFile: named("userconfig") ?? join(userHome(env), ".npmrc"),
    globalFile: named("globalconfig") ?? join(dirname(dirname(process.execPath)), "etc", "npmrc"),
    ...(registry && { registry }),
  };
}
