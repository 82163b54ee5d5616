import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { programEnv } from "../../config/program-env.ts";
import { CoordinatorError } from "../../errors.ts";
import { packageFile } from "../../system/package-file.ts";
import type { Interpreter } from "../cpython/interpreter.ts";
import { viewOfInterpreter } from "../cpython/interpreter-view.ts";
import { examineProgram } from "../examine-program.ts";
import { splitLogin } from "./index-login.ts";
import { placeAt, type Reachable } from "./index-proxy.ts";

const settings = z.object({
  index: z.string(),
  isConfigured: z.boolean(),
  extra: z.array(z.string()),
  files: z.string(),
});

/** Where Python packages come from on this machine. No password is in it but in what can be reached. */
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

/** Asks pip for its index, in a sandbox in which it finds its settings: the user's hold for us too. */
export async function askPip(python: string, pip: string, bubblewrap: string): Promise<PipIndex> {
  const env = programEnv(["PIP_CONFIG_FILE", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"]);
  const view = viewOfInterpreter(python).with([pip, ...settingsFiles(python, env)].filter(existsSync));
  try {
    const said = await examineProgram({
      bubblewrap,
      command: [python, "-I", "-B", "-S", "/ask_pip.py", pip],
      view: {
        ...view,
        readable: new Map([...view.readable, ["/ask_pip.py", packageFile("dist/python/ask_pip.py")]]),
        env: new Map(Object.entries(env)),
      },
    });
    const { index, isConfigured, extra, files } = settings.parse(JSON.parse(said));
    const main = readAddress(index);
    const others = extra.map(readAddress);
    const reachable = [
      main.place,
      ...others.map(({ place }) => place),
      // The usual index keeps its files elsewhere.
      ...(isConfigured ? [] : [{ host: files, port: 443, isTrusted: true }]),
    ];
    return { url: main.url, extra: others.map(({ url }) => url), reachable };
  } catch (cause) {
    throw new CoordinatorError("environment_unusable", "pip does not say which package index it uses", {
      hint: "Look at `python3 -m pip config list`: the index must be an http or https URL.",
      cause,
    });
  }
}

/** Where pip looks for its settings. */
function settingsFiles(
  python: string,
  { HOME = "/", XDG_CONFIG_HOME, PIP_CONFIG_FILE }: Record<string, string>,
): string[] {
  return [
    ...["/etc/pip.conf", "/etc/xdg/pip", join(HOME, ".pip"), join(XDG_CONFIG_HOME ?? join(HOME, ".config"), "pip")],
    join(dirname(dirname(python)), "pip.conf"),
    ...(PIP_CONFIG_FILE === undefined ? [] : [PIP_CONFIG_FILE]),
  ];
}

interface Address {
  /** As pip is told. */
  readonly url: string;
  readonly place: Reachable;
}

function readAddress(text: string): Address {
  const address = new URL(text);
  const { protocol } = address;
  if (protocol !== "https:" && protocol !== "http:") throw new RangeError("neither http nor https");
  const { url, login } = splitLogin(text);
  return { url, place: { ...placeAt(address, true), ...(login && { login }) } };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
