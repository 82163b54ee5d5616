import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { programEnvironment } from "../../config/environment.ts";
import { CoordinatorError } from "../../errors.ts";
import type { Interpreter } from "../cpython/interpreter.ts";
import { packageFile } from "../deno/binary.ts";
import type { Reachable } from "./index-proxy.ts";

const run = promisify(execFile);

const settings = z.object({
  index: z.string(),
  isConfigured: z.boolean(),
  extra: z.array(z.string()),
  files: z.string(),
});

/** Where Python packages come from on this machine. */
export interface PipIndex {
  readonly url: string;
  readonly extra: readonly string[];
  readonly reachable: readonly Reachable[];
}

const systemWheels = "/usr/share/python-wheels";

/** A pip of this machine: the wheel that comes with Python, the system's, or the one among its packages. */
export async function findPip({ standardLibrary, packageFolders }: Interpreter): Promise<string> {
  const folders = [...standardLibrary.map((folder) => join(folder, "ensurepip", "_bundled")), systemWheels];
  for (const folder of folders) {
    const wheel = (await namesIn(folder)).find((name) => /^pip-[\w.]+-py[\w.]+-none-any\.whl$/.test(name));
    if (wheel) return join(folder, wheel);
  }
  for (const folder of packageFolders) if ((await namesIn(folder)).includes("pip")) return folder;
  throw new CoordinatorError("environment_unusable", "This Python comes without pip, so nothing can be installed", {
    hint: 'Install it (apt-get install python3-venv), or use an environment of type "uv".',
  });
}

/** Asks pip for its index: the user's settings hold for us too. */
export async function askPip(python: string, pip: string): Promise<PipIndex> {
  const env = programEnvironment(["PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"]);
  const script = packageFile("dist/python/ask_pip.py");
  try {
    const { stdout } = await run(python, ["-I", "-B", "-S", script, pip], { env, cwd: "/", timeout: 20_000 });
    const { index, isConfigured, extra, files } = settings.parse(JSON.parse(stdout));
    const reachable = [
      placeOf(index),
      ...extra.map((url) => placeOf(url)),
      // The usual index keeps its files elsewhere.
      ...(isConfigured ? [] : [{ host: files, port: 443, isTrusted: true }]),
    ];
    return { url: index, extra, reachable };
  } catch (cause) {
    throw new CoordinatorError("environment_unusable", "pip does not say which package index it uses", {
      hint: "Look at `python3 -m pip config list`: the index must be an http or https URL.",
      cause,
    });
  }
}

function placeOf(text: string): Reachable {
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new RangeError("neither http nor https");
  return { host: url.hostname, port: Number(url.port) || (url.protocol === "http:" ? 80 : 443), isTrusted: true };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
