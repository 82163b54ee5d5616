import { posix, win32 } from "node:path";
import { isUsualPlace } from "../find-config.ts";
import { dataHome, type ProcessEnv } from "../home.ts";
import type { EntryShape, KnownClient } from "./client.ts";

/** The name under which clients have us. */
export const ownName = "mcp-coordinator";

export interface OwnStart {
  readonly platform: NodeJS.Platform;
  readonly env: ProcessEnv;
  /** The program that runs us, and our own file. */
  readonly node: string;
  readonly script: string;
  /** The configuration in force. */
  readonly config: string;
}

interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** How a client starts us: the way we were started, with the configuration that we have. */
export function ownStart({ platform, env, node, script, config }: OwnStart): Start {
  const path = platform === "win32" ? win32 : posix;
  const isNpx = path.normalize(script).split(path.sep).includes("_npx");
  // npx is a script on Windows, which only its shell can start.
  const npx = platform === "win32" ? ["cmd", "/c", "npx", "-y", ownName] : ["npx", "-y", ownName];
  const [command = node, ...args] = isNpx ? npx : [node, script];
  const home = dataHome(env, platform);
  const { MCP_COORDINATOR_HOME: _own, XDG_DATA_HOME: _shared, ...others } = env;
  return {
    command,
    args,
    env: {
      // A client may be started from a desktop, without the variables of this shell.
      ...(home !== dataHome(others, platform) && { MCP_COORDINATOR_HOME: home }),
      ...(!isUsualPlace(config, env) && { MCP_SERVERS_CONFIG: config }),
    },
  };
}

/** The same in the client's own writing. */
export function ownEntry({ shape }: Pick<KnownClient, "shape">, start: Start): Readonly<Record<string, unknown>> {
  const { command, args, env } = start;
  const withEnv = Object.keys(env).length > 0 ? { env } : {};
  const shapes: Readonly<Record<EntryShape, Readonly<Record<string, unknown>>>> = {
    plain: { command, args, ...withEnv },
    table: { command, args, ...withEnv },
    typed: { type: "stdio", command, args, ...withEnv },
    continue: { type: "stdio", command, args, ...withEnv },
    zed: { source: "custom", command, args, env },
    copilot: { type: "local", command, args, tools: ["*"], ...withEnv },
    opencode: { type: "local", command: [command, ...args], environment: env, enabled: true },
    goose: {
      name: ownName,
      type: "stdio",
      cmd: command,
      args,
      envs: env,
      enabled: true,
      timeout: 300,
      description: "",
    },
  };
  return shapes[shape];
}
