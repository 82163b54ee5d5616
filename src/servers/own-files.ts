import { resolve } from "node:path";
import { thisSystem } from "../config/clients/client.ts";
import { clients } from "../config/clients/clients.ts";
import type { GoverningFile } from "../config/governing-files.ts";
import type { Config, ConfigSource } from "../config/load.ts";
import type { ServerConfig } from "../config/server.ts";
import { packageFile } from "../system/package-file.ts";
import { holds, realPlace } from "../system/real-place.ts";

/** The files that this coordinator, its servers and the user's clients go by, as far as guests could come near them. */
export function createOwnFiles(
  { config, places }: ConfigSource,
  servers: () => readonly ServerConfig[],
): () => readonly GoverningFile[] {
  const isNear = ({ path }: GoverningFile) => isInside(config.workspace.root, path);
  // Not only those inside: a file there may be another name of one outside.
  const configuration = places.map((path) => row(path, "none", "mcp-coordinator goes by it, and it may hold secrets"));
  let fixed: readonly GoverningFile[] | undefined;
  let known: readonly ServerConfig[] | undefined;
  let files: readonly GoverningFile[] = [];
  return () => {
    const current = servers();
    fixed ??= [...ofClients(), row(packageFile("dist"), "read", "mcp-coordinator runs it")].filter(isNear);
    if (current !== known) files = [...configuration, ...fixed, ...current.flatMap(programRows).filter(isNear)];
    known = current;
    return files;
  };
}

/** The servers that are started from files of the workspace, each with such a file. */
export function serversInside({ workspace: { root }, servers }: Config): { server: string; program: string }[] {
  return servers.flatMap((server) => {
    const program = programsOf(server).find((path) => isInside(root, path));
    return program === undefined ? [] : [{ server: server.name, program }];
  });
}

/** What we cannot look at, guests cannot reach through us. */
function isInside(root: string, path: string): boolean {
  try {
    return holds(realPlace(root), realPlace(path));
  } catch {
    return false;
  }
}

function row(path: string, access: GoverningFile["access"], why: string): GoverningFile {
  return { path, access, why };
}

function programRows(server: ServerConfig): GoverningFile[] {
  return programsOf(server).map((path) => row(path, "read", `the server "${server.name}" is started from it`));
}

/** A path with a `*` stands for files in a folder that can be no workspace. */
function ofClients(): GoverningFile[] {
  return clients.flatMap((client) =>
    client
      .places(thisSystem())
      .filter(({ scope, path }) => scope === "user" && !path.includes("*"))
      .map(({ path }) => row(path, "none", `${client.title} goes by it, and it may hold secrets`)),
  );
}

/** Endings of files that an interpreter runs. Other arguments are data: a database, a folder to serve. */
const script = /\.(?:[cm]?[jt]sx?|pyw?|pyz|sh|bash|rb|pl|php|lua|jar|wasm|exe|bat|cmd|ps1)$/i;

/** The files that a server is started from, as far as its command line names them. Absolute. */
function programsOf(server: ServerConfig): readonly string[] {
  if (server.transport !== "stdio") return [];
  const { command, args, cwd = process.cwd() } = server;
  const named = args.map((arg) => arg.slice(arg.indexOf("=") + 1)).filter((arg) => script.test(arg));
  // A command without a slash is looked for on the PATH.
  return [...(/[/\\]/.test(command) ? [command] : []), ...named].map((path) => resolve(cwd, path));
}
