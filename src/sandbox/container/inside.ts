import { readdir } from "node:fs/promises";
import * as z from "zod";
import { packageFile } from "../../system/package-file.ts";
import { denoBinary } from "../deno/binary.ts";
import { lockedArguments } from "../deno/locked-deno.ts";
import type { Language, Limits } from "../engine.ts";
import { telltales } from "./probe.ts";

/** What runs inside a container: the files it needs of the host, and how it is started. */
export interface Inside {
  readonly readable: ReadonlyMap<string, string>;
  readonly env: ReadonlyMap<string, string>;
  readonly command: readonly string[];
}

const denoEnv: ReadonlyMap<string, string> = new Map([
  ["NO_COLOR", "1"],
  ["DENO_DIR", "/tmp/deno"],
]);

/** The image's own Python. */
export interface ImageInterpreter {
  readonly executable: string;
  readonly version: string;
  readonly modules: readonly string[];
}

/**
 * Prints the telltales as `head -v` does, whether a netlink socket is to be had, which only our own system call filter
 * refuses, and then what this Python is. A constant, so that the bundle carries it.
 */
const pythonProbe = `
import json, pkgutil, socket, sys
for path in sys.argv[1:]:
    try:
        with open(path) as file:
            print(f"==> {path} <==\\n{file.read()}")
    except OSError:
        pass
try:
    socket.socket(16, socket.SOCK_RAW).close()
    print("==> netlink <==\\nopen")
except OSError:
    print("==> netlink <==\\nrefused")
own = set(getattr(sys, "stdlib_module_names", ()))
modules = sorted({module.name for module in pkgutil.iter_modules()} - own)
print("==> python <==")
print(json.dumps({"executable": sys.executable, "version": sys.version_info[:2], "modules": modules}))
`;

/** The same for a container with Deno. */
const denoProbe = `
for (const path of Deno.args) {
  try { console.log("==> " + path + " <==\\n" + Deno.readTextFileSync(path)) } catch {}
}
const parameters = ["i32", "i32", "i32"];
const { socket } = Deno.dlopen("libc.so.6", { socket: { parameters, result: "i32" } }).symbols;
console.log("==> netlink <==\\n" + (socket(16, 3, 0) < 0 ? "refused" : "open"));
`;

/** A container that tells what it got; for Python also which interpreter the image has. */
export function probeInside(language: Language): Inside {
  const program = language === "python" ? ["python3", "-I", "-c", pythonProbe] : ["/deno", "eval", denoProbe];
  return {
    readable: guestFiles(language),
    env: new Map([["PATH", "/usr/local/bin:/usr/bin:/bin"], ...denoEnv]),
    command: [...program, ...telltales],
  };
}

/** A container with the guest of a language, ready to take programs. */
export function guestInside(
  language: Language,
  limits: Limits,
  files: ReadonlyMap<string, string>,
  interpreter: ImageInterpreter | undefined,
  packages: string | undefined,
): Inside {
  if (language === "python") {
    const { executable } = interpreter ?? { executable: "python3" };
    const command = [executable, "-I", "-B", "/guest/main.py"];
    if (packages === undefined) return { readable: files, env: new Map(), command };
    const readable = new Map([...files, ["/packages", packages]]);
    return { readable, env: new Map(), command: [...command, "packages", "/packages"] };
  }
  return {
    readable: files,
    env: denoEnv,
    command: ["/deno", ...lockedArguments([`--max-old-space-size=${limits.memoryMb}`]), "/guest.js"],
  };
}

/** What the probe of a Python image said of itself; undefined when that is no Python that guests can have. */
export function readInterpreter(text: string | undefined): ImageInterpreter | undefined {
  try {
    const { executable, version, modules } = description.parse(JSON.parse(text ?? ""));
    return { executable, version: version.join("."), modules };
  } catch {
    return undefined; // an image may print what it likes
  }
}

const description = z.object({
  executable: z.string().startsWith("/"),
  version: z.tuple([z.literal(3), z.int().min(9)]),
  modules: z.array(z.string()),
});

/** The modules that a folder of Python packages holds, by their names. */
export async function modulesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const [name = "", ending] = [entry.name.split(".")[0], entry.name.split(".").at(-1)];
    const isModule = entry.isFile() ? ending === "py" || ending === "so" : !entry.name.includes(".");
    return isModule && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && name !== "__pycache__" ? [name] : [];
  });
}

/** Our files that a guest is made of, by their place inside. */
export function guestFiles(language: Language): Map<string, string> {
  if (language === "python") return new Map([["/guest", packageFile("dist/guest/python")]]);
  return new Map([
    ["/deno", denoBinary()],
    ["/guest.js", packageFile("dist/guest/deno.js")],
  ]);
}
