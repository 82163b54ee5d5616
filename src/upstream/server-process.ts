import { statSync } from "node:fs";
import { commandFolders } from "../config/command-folders.ts";
import { serverEnv } from "../config/program-env.ts";
import type { StdioServer } from "../config/server.ts";
import { messageOf, systemCode } from "../errors.ts";
import { type RunningProgram, startProgram } from "../system/running-program.ts";
import { cannotStart, findCommand, withCommandFolder } from "./command.ts";

/** Starts a server's program. */
export async function startServer(server: StdioServer): Promise<RunningProgram> {
  const { cwd, args } = server;
  if (cwd !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw cannotStart(server, `its working folder does not exist: ${cwd}`, 'Create it, or correct "cwd".');
  }
  const file = findCommand(server, commandFolders());
  const env = withCommandFolder(serverEnv(server), file);
  try {
    return await startProgram({ file, args, env, cwd });
  } catch (thrown) {
    // Node's own message quotes what it refuses.
    const isNull = systemCode(thrown) === "ERR_INVALID_ARG_VALUE";
    throw cannotStart(
      server,
      isNull ? "an argument or a value of its environment holds a null character" : messageOf(thrown),
    );
  }
}
