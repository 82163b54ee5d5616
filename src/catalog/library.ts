import { allowed, type ToolFilter } from "./glob.ts";
import { identifiers, moduleReserved } from "./names.ts";
import { plainLine } from "./plain-text.ts";
import { readTools, type Skipped } from "./read-tools.ts";
import type { Library, Tool } from "./tool.ts";

const maxDescriptionLength = 300;

/** What the configuration says of a server, as far as its library shows it. */
export interface LibraryServer {
  readonly name: string;
  readonly description?: string | undefined;
  readonly tools?: ToolFilter | undefined;
}

/** What a server says of itself: its answer to tools/list, and its title and instructions, all untrusted. */
export interface ServerListing {
  readonly tools: unknown;
  readonly info?: { readonly title?: unknown; readonly instructions?: unknown } | undefined;
}

/** The module of every configured server. Computed from all names at once, so that no two share one. */
export function modules(serverNames: readonly string[]): Map<string, string> {
  return identifiers(serverNames, moduleReserved);
}

/** The library of one server, from what it said. */
export function createLibrary(
  server: LibraryServer,
  listing: ServerListing,
  module: string,
): { library: Library; skipped: Skipped[] } {
  const { tools, skipped } = readTools(listing.tools);
  return { library: libraryOf(server, { tools, info: listing.info }, module), skipped };
}

/**
 * The library of tools that have been read, without those that the configuration denies. Identifiers come from the whole list:
 * a changed filter renames nothing.
 */
export function libraryOf(
  server: LibraryServer,
  { tools, info }: { readonly tools: readonly Tool[]; readonly info?: ServerListing["info"] },
  module: string,
): Library {
  const filter = server.tools ?? { allow: [], deny: [] };
  return {
    server: server.name,
    module,
    description: describe(server, info),
    tools: tools.filter((tool) => allowed(tool.name, filter)),
  };
}

function describe(server: LibraryServer, info: ServerListing["info"]): string {
  if (server.description) return plainLine(server.description, maxDescriptionLength);
  if (typeof info?.title === "string" && info.title.trim() !== "") return plainLine(info.title, maxDescriptionLength);
  return typeof info?.instructions === "string"
    ? plainLine(firstSentence(info.instructions), maxDescriptionLength)
    : "";
}

function firstSentence(text: string): string {
  const start = text.slice(0, 2_000).trim();
  const end = start.search(/[.!?](?=\s)|[。！？]|\n/);
  return end < 0 ? start : start.slice(0, end + 1);
}
