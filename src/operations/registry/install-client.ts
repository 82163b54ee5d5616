import * as z from "zod";
import { type FileWithBackup, writeWithBackup } from "../../config/write-file.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";
import { findClient, importServers } from "./import-servers.ts";

export interface Installed {
  readonly client: string;
  readonly file: string;
  /** What changes in the file; values of others are left out. Empty when nothing does. */
  readonly diff: string;
  readonly written?: FileWithBackup;
  /** Servers of this client that are not configured here. */
  readonly notImported: readonly string[];
}

/** Adds the coordinator to the servers of an AI client, in the client's own file and format, or takes it out. */
export function installClient(services: Services) {
  return defineOperation({
    name: "install_client",
    description: "Add the coordinator to the MCP servers of an AI client, or take it out",
    input: () =>
      z.strictObject({
        client: z.string(),
        uninstall: z.boolean().optional(),
        dry_run: z.boolean().optional(),
      }),
    async run({ client: name, uninstall = false, dry_run = false }, context): Promise<Installed> {
      const { editClientFile } = await import("./edit-client-file.ts"); // with what writes TOML and YAML
      const client = findClient(name);
      const { file, edited, diff } = await editClientFile(client, { uninstall, config: services.servers.file });
      const imported = await importServers(services).run({ client: name }, context);
      const notImported = imported.servers.flatMap((server) => (server.state === "new" ? [server.name] : []));
      const answer = { client: client.title, file, diff, notImported };
      if (diff === "" || dry_run) return answer;
      return { ...answer, written: await writeWithBackup(file, edited, false) };
    },
  });
}
