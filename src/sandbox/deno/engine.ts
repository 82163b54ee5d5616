import { packageFile } from "../../system/package-file.ts";
import type { Engine } from "../engine.ts";
import { createLockedDeno, type LockedDenoOptions } from "./locked-deno.ts";

/** V8 sets address space aside that it never touches; a limit on data must leave room for it. */
const reservedMb = 600;

/** TypeScript in a Deno without permissions. */
export function createDenoEngine(options: LockedDenoOptions): Engine {
  return {
    name: "deno",
    language: "typescript",
    isAutomatic: true,
    takesPackages: true,
    waiting: 2,
    ...createLockedDeno(options, async () => ({
      engine: "deno",
      layer: "Deno without permissions",
      script: packageFile("dist/guest/deno.js"),
      files: new Map(),
      v8Flags: [],
      reservedMb,
      reservedSeconds: 0,
      stackMb: 0,
    })),
  };
}
