import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import * as z from "zod";
import { generatedFiles, generatedMarker } from "../codegen/generated-files.ts";
import { CoordinatorError, messageOf, systemCode } from "../errors.ts";
import { replaceFile } from "../replace-file.ts";
import { askServers } from "../runtime/ask-servers.ts";
import { packageFile } from "../sandbox/deno/binary.ts";
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

export function generateTools({ libraries, observations, config }: Services) {
  return defineOperation({
    name: "generate_tools",
    description: "Write mcp_tools/: the tools of all servers as typed functions for programs outside the sandbox",
    toolset: "discovery",
    readOnly: false,
    input: z.strictObject({
      out: z.string().optional().describe("the folder; ./mcp_tools when absent"),
      force: z.boolean().optional().describe("overwrite files that were not generated"),
      force_refresh: z.boolean().optional().describe("ask every server again"),
      language: z.enum(["typescript", "python"]).optional().describe("both when absent"),
    }),
    async run(input, { onProgress }): Promise<Generated> {
      const { out = "mcp_tools", force = false, force_refresh = false, language } = input;
      const folder = resolve(out);
      if (!force) await refuseForeignFiles(folder);
      const missing = libraries.missing().map(({ server }) => server);
      const asked = force_refresh ? libraries.modules.map(({ name }) => name) : missing;
      await askServers(libraries, asked, onProgress); // failures are shown as missing
      const known = libraries.known().map(observations.shown);
      const files = generatedFiles(known, {
        ...(config.file && { config: relative(folder, config.file).split(sep).join("/") }),
        ...(language && { language }),
        pythonCoordinator: await readFile(packageFile("dist/python/_coordinator.py"), "utf8"),
      });
      await replaceGenerated(folder, files);
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
    if (await isGenerated(join(folder, name))) continue;
    throw new CoordinatorError("output_exists", `Cannot write to ${folder}: ${name} there was not generated`, {
      hint: "Choose another folder with --out, or overwrite with --force.",
    });
  }
}

/** The folder of the async twins; no library has that name. */
const subfolder = "aio";
/** Python writes it beside every module that it runs. */
const compiledPython = "__pycache__";

/** The paths of all that is in the folder and its only subfolder, but for what Python leaves there. */
async function filesIn(folder: string): Promise<string[]> {
  const names = (await namesIn(folder)).filter((name) => name !== compiledPython);
  if (!names.includes(subfolder)) return names;
  const below = (await namesIn(join(folder, subfolder))).filter((name) => name !== compiledPython);
  return [...names.filter((name) => name !== subfolder), ...below.map((name) => `${subfolder}/${name}`)];
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return [];
    throw new CoordinatorError("input_invalid", `Cannot write to ${folder}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Each file is moved into place whole. Of what else is there, only what was generated before goes. */
async function replaceGenerated(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await replaceFile(place, text);
  }
  for (const path of await filesIn(folder)) {
    if (!files.has(path) && (await isGenerated(join(folder, path)))) await rm(join(folder, path));
  }
}

async function isGenerated(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => ""); // a folder, or unreadable: not ours
  return text.slice(0, 300).includes(generatedMarker);
}
