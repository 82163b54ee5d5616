import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import * as z from "zod";
import { generatedFiles, generatedMarker } from "../codegen/generated-files.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import { askServers } from "./ask-servers.ts";
import { defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

export interface Generated {
  /** The folder, absolute. */
  readonly out: string;
  readonly servers: number;
  readonly tools: number;
  readonly files: number;
  readonly missing: readonly { readonly server: string; readonly reason: string }[];
}

export function generateTools({ libraries, config }: Services) {
  return defineOperation({
    name: "generate_tools",
    description: "Write mcp_tools/: the tools of all servers as typed functions for programs outside the sandbox",
    toolset: "discovery",
    readOnly: false,
    input: z.strictObject({
      out: z.string().optional().describe("the folder; ./mcp_tools when absent"),
      force: z.boolean().optional().describe("overwrite files that were not generated"),
      force_refresh: z.boolean().optional().describe("ask every server again"),
      language: z.enum(["typescript"]).optional(),
    }),
    async run({ out = "mcp_tools", force = false, force_refresh = false }, { onProgress }): Promise<Generated> {
      const folder = resolve(out);
      if (!force) await refuseForeignFiles(folder);
      const missing = libraries.missing().map(({ server }) => server);
      const asked = force_refresh ? libraries.modules.map(({ name }) => name) : missing;
      await askServers(libraries, asked, onProgress); // failures are shown as missing
      const known = libraries.known();
      const place = config.file && { config: relative(folder, config.file).split(sep).join("/") };
      const files = generatedFiles(known, place || {});
      await replaceFolder(folder, files);
      return {
        out: folder,
        servers: known.length,
        tools: known.reduce((sum, { tools }) => sum + tools.length, 0),
        files: files.size,
        missing: libraries.missing(),
      };
    },
    show: ({ out, servers, tools, missing }) =>
      [
        `Wrote ${tools} tools of ${servers} servers to ${out}`,
        ...missing.map(({ server, reason }) => `left out ${server}: ${reason}`),
      ].join("\n"),
  });
}

async function refuseForeignFiles(folder: string): Promise<void> {
  for (const name of await filesIn(folder)) {
    const text = await readFile(join(folder, name), "utf8").catch(() => ""); // a folder or unreadable: not ours
    if (text.slice(0, 300).includes(generatedMarker)) continue;
    throw new CoordinatorError("output_exists", `Cannot write to ${folder}: ${name} there was not generated`, {
      hint: "Choose another folder with --out, or overwrite with --force.",
    });
  }
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new CoordinatorError("input_invalid", `Cannot write to ${folder}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Written beside it and moved into place: a reader sees the old libraries or the new ones, never half of each. */
async function replaceFolder(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const fresh = `${folder}.${process.pid}.new`;
  const old = `${folder}.${process.pid}.old`;
  await mkdir(dirname(folder), { recursive: true });
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh);
  for (const [path, text] of files) await writeFile(join(fresh, path), text);
  const had = (await filesIn(folder)).length > 0;
  if (had) await rename(folder, old);
  else await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
  await rm(old, { recursive: true, force: true });
}
