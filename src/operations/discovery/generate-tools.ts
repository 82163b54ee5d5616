import { readFile } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import * as z from "zod";
import type { OnProgress } from "../../actor.ts";
import { generatedFiles, generatedMarker } from "../../codegen/generated-files.ts";
import { CoordinatorError } from "../../errors.ts";
import { askServers } from "../../runtime/libraries/ask-servers.ts";
import { packageFile } from "../../system/package-file.ts";
import { plural } from "../../system/plural.ts";
import { language } from "../inputs.ts";
import { defineOperation } from "../operation.ts";
import { offeredTools } from "../policy/offered-tools.ts";
import type { Services } from "../services.ts";
import { diskFolder, type OutputFolder, workspaceFolder } from "./output-folder.ts";

export interface Generated {
  /** The folder, absolute. */
  readonly out: string;
  readonly servers: number;
  readonly tools: number;
  readonly files: number;
  readonly missing: readonly { readonly server: string; readonly reason: string }[];
  /** Where files went that were in the way. */
  readonly backups?: readonly string[];
}

const options = {
  force_refresh: z.boolean().optional().describe("ask every server again"),
  language: language.optional().describe("both when absent"),
};

/** For a model: in the workspace, where it may write anyway, and over nothing that is somebody else's. */
export function generateTools(services: Services) {
  return defineOperation({
    name: "generate_tools",
    description:
      "Write mcp_tools/ into the workspace: the tools of all servers as typed functions for programs outside the sandbox",
    toolset: "discovery",
    hints: { destructiveHint: false },
    input: () =>
      z.strictObject({
        out: z.string().optional().describe("the folder in the workspace; mcp_tools when absent"),
        ...options,
      }),
    async run({ out = "mcp_tools", ...wanted }, { onProgress }): Promise<Generated> {
      const folder = workspaceFolder(services.workspace, out);
      await refuseForeignFiles(folder, 'Nothing was written. Choose another folder for "out".');
      return generate(services, folder, wanted, onProgress);
    },
    present: (generated) => ({ text: showGenerated(generated) }),
  });
}

/** For the user: anywhere. */
export function generateLibraries(services: Services) {
  return defineOperation({
    name: "generate_libraries",
    description: "Write mcp_tools/: the tools of all servers as typed functions for programs outside the sandbox",
    input: () =>
      z.strictObject({
        out: z.string().optional().describe("the folder; ./mcp_tools when absent"),
        force: z
          .boolean()
          .optional()
          .describe("also write where there are other files; one in the way is kept as a backup"),
        ...options,
      }),
    async run({ out = "mcp_tools", force = false, ...wanted }, { onProgress }): Promise<Generated> {
      const folder = diskFolder(resolve(out));
      const hint = "Choose another folder with --out, or use --force: files in the way are then kept as .backup.";
      if (!force) await refuseForeignFiles(folder, hint);
      return generate(services, folder, wanted, onProgress);
    },
  });
}

async function generate(
  services: Services,
  folder: OutputFolder,
  { force_refresh, language }: { force_refresh?: boolean | undefined; language?: "typescript" | "python" | undefined },
  onProgress: OnProgress | undefined,
): Promise<Generated> {
  const { libraries, observations, config } = services;
  const missing = (await libraries.missing()).map(({ server }) => server);
  const asked = force_refresh ? libraries.modules.map(({ name }) => name) : missing;
  await askServers(libraries, asked, onProgress); // failures are shown as missing
  const known = await Promise.all(Array.from(await libraries.load(), ([, { library }]) => observations.shown(library)));
  const offered = await offeredTools(services, ["library"]);
  const files = generatedFiles(known, {
    markOf: offered?.markOf,
    ...(config.file && { config: relative(folder.path, config.file).split(sep).join("/") }),
    ...(language && { language }),
    pythonCoordinator: await readFile(packageFile("dist/python/_coordinator.py"), "utf8"),
  });
  const backups = await replaceGenerated(folder, files);
  return {
    out: folder.path,
    servers: known.length,
    tools: known.reduce((sum, { tools }) => sum + tools.length, 0),
    files: files.size,
    missing: await libraries.missing(),
    ...(backups.length > 0 && { backups }),
  };
}

function showGenerated({ out, servers, tools, missing, backups = [] }: Generated): string {
  return [
    `Wrote ${plural(tools, "tool")} of ${plural(servers, "server")} to ${out}`,
    ...backups.map((backup) => `kept what was in the way as ${backup}`),
    ...missing.map(({ server, reason }) => `left out ${server}: ${reason}`),
  ].join("\n");
}

async function refuseForeignFiles(folder: OutputFolder, hint: string): Promise<void> {
  for (const path of await folder.files()) {
    if (await isGenerated(folder, path)) continue;
    throw new CoordinatorError("output_exists", `Cannot write to ${folder.path}: ${path} there was not generated`, {
      hint,
    });
  }
}

/** Each file is put in place whole; what is not ours there is moved aside. Of what else is there, only what was generated before goes. */
async function replaceGenerated(folder: OutputFolder, files: ReadonlyMap<string, string>): Promise<string[]> {
  const there = new Set(await folder.files());
  const backups: string[] = [];
  for (const [path, text] of files) {
    const isOurs = there.has(path) && (await isGenerated(folder, path));
    if (there.has(path) && !isOurs) backups.push(await folder.moveAside(path));
    await folder.write(path, text, { onlyNew: !isOurs });
  }
  for (const path of there) {
    if (!files.has(path) && (await isGenerated(folder, path))) await folder.remove(path);
  }
  return backups;
}

async function isGenerated(folder: OutputFolder, path: string): Promise<boolean> {
  return (await folder.read(path))?.slice(0, 300).includes(generatedMarker) ?? false;
}
