import { resolve } from "node:path";
import type { ServerConfig } from "./server.ts";

/** Endings of files that an interpreter runs. Other arguments are data: a database, a folder to serve. */
const script = /\.(?:[cm]?[jt]sx?|pyw?|pyz|sh|bash|rb|pl|php|lua|jar|wasm|exe|bat|cmd|ps1)$/i;

/** The files that a server is started from, as far as its command line names them. Absolute. */
export function programsOf(server: ServerConfig): readonly string[] {
  if (server.transport !== "stdio") return [];
  const { command, args, cwd = process.cwd() } = server;
  const named = args.map((arg) => arg.slice(arg.indexOf("=") + 1)).filter((arg) => script.test(arg));
  // A command without a slash is looked for on the PATH.
  return [...(/[/\\]/.test(command) ? [command] : []), ...named].map((path) => resolve(cwd, path));
}
