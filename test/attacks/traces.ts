import type { Language } from "../../src/sandbox/engine.ts";

/** A benign run that tells what it finds around it: after an attack it must find what it found before. */
export const traces: Record<Language, string> = {
  typescript: `
    const scope: any = globalThis;
    const look = (at: () => unknown): string => { try { return JSON.stringify(at()) } catch (e) { return (e as Error).name } };
    const fs: any = await import("node:fs");
    const keys = (value: object) => Reflect.ownKeys(value).map(String).sort();
    const all = [scope, Object.prototype, Array.prototype, Function.prototype, Promise.prototype, JSON, console].map(keys).join();
    let hash = 0;
    for (let index = 0; index < all.length; index++) hash = (hash * 31 + all.charCodeAt(index)) | 0;
    ({ hash, env: Object.keys(process.env), cwd: look(() => process.cwd()), left: look(() => fs.readFileSync(%NEXT%, "utf8")), pwned: scope.pwned ?? null })`,
  python: `
import builtins, json, os, sys, zlib
def look(at):
    try:
        return at()
    except BaseException as error:
        return type(error).__name__
known = {"coordinator_guest", *getattr(sys, "stdlib_module_names", sys.modules)}
# The generated module of sysconfig, which is not in that list, comes with the first import that asks for it.
strangers = sorted(name for name in sys.modules if name.partition(".")[0] not in known and not name.startswith("_sysconfigdata_"))
names = [sorted(vars(module)) for module in (builtins, json, os, sys)] + [strangers, sorted(globals())]
{
    "hash": zlib.crc32(repr(names).encode()),
    "env": look(lambda: sorted(os.environ)),
    "cwd": look(os.getcwd),
    "tmp": look(lambda: len(os.listdir("/tmp"))),
    "left": look(lambda: open(%NEXT%).read()),
    "recursion": sys.getrecursionlimit(),
    "pwned": getattr(builtins, "pwned", None),
}
`,
};

/** The smallest run whose answer can be wrong. */
export const probe: Record<Language, { readonly code: string; readonly answer: unknown }> = {
  typescript: { code: "6 * 7", answer: 42 },
  python: { code: "6 * 7", answer: 42 },
};
