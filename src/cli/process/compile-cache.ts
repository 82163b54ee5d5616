import module from "node:module";
import { join } from "node:path";
import { dataHome } from "../../config/home.ts";

/** What Node has for it since version 22. */
interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly flushCompileCache?: () => void;
}
const { enableCompileCache, flushCompileCache } = module as object as CompileCache;

/**
 * Modules that are loaded from now on are taken as the last start compiled them, and kept for the next one. In our own
 * folder: what is compiled is run unread, and Node's usual place for it is one that all users write to.
 */
export function useCompileCache(): void {
  const mask = process.umask(0o077);
  enableCompileCache?.(join(dataHome(), "cache", "compiled"));
  process.umask(mask);
}

/** Writes it now; otherwise the end does, and nothing when a process is killed. */
export function saveCompileCache(): void {
  flushCompileCache?.();
}
