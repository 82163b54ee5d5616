import * as z from "zod";
import { firstSentence } from "../../catalog/summary.ts";
import { sketchTools } from "../../codegen/sketch.ts";
import { heavyWork } from "../../runtime/heavy-work.ts";
import type { Language } from "../../sandbox/engine.ts";
import { language } from "../inputs.ts";
import { defineOperation, guestLanguage, type OperationContext, turnOf } from "../operation.ts";
import { facesOf, offeredTools } from "../policy/offered-tools.ts";
import type { Services } from "../services.ts";
import { findResults, findTools, toolsIn, type Wanted, withObserved } from "./find-results.ts";
import { answerFound, answerListing, answerServers, coordinatorModule, type SearchAnswer } from "./search-answer.ts";
import { importable, wordings } from "./show-tools.ts";

const mostResults = 200;
const usualResults = 10;
/** What is searched for. Of a text that is longer than any question the beginning is read. */
const searched = z.string().overwrite((text) => text.slice(0, 10_000));
const searchInput = () =>
  z.strictObject({
    query: searched.optional(),
    server: z.string().optional(),
    detail: z.enum(["names", "signatures", "full"]).optional(),
    language: language.optional(),
    limit: z.int().min(1).max(mostResults).optional(),
  });

/** How long a search waits for servers that were never asked before. */
const patienceMs = 2000;

export function searchTools(services: Services) {
  return defineOperation({
    name: "search_tools",
    description:
      "Find tools of the user's MCP servers and saved skills before writing code. query: words, exact names or /regex/; server alone lists its tools; neither lists the servers. Answers with signatures to import in execute_code; in them a name without a type is a string.",
    toolset: "code",
    readOnly: true,
    input: searchInput,
    async run({ query, server, detail = "signatures", language: asked, limit }, context): Promise<SearchAnswer> {
      const offered = await offeredTools(services, facesOf(services, context));
      const how = { detail, language: asked ?? "typescript", limit, offered };
      const isOwn = server === coordinatorModule && !services.libraries.modules.some(({ name }) => name === server);
      if (server !== undefined && !isOwn) await services.libraries.get(server);
      else await waitForDiscovery(services);
      if (!query) return server === undefined ? answerServers(services, how) : answerListing(services, server, how);
      const most = limit ?? usualResults;
      const wanted = { query, match: matchFor(context), server, limit: most, language: asked, offered };
      return answerFound(services, await findResults(services, wanted), wanted, how);
    },
    present: (answer) => answer,
  });
}

/** The same search for guests: of tools alone, those that the run may call, and as data. */
export function guestSearch(services: Services) {
  return defineOperation({
    name: "search",
    description: "Ranked search over the tools of all servers",
    guest: "search",
    example: { query: "find issues" },
    readOnly: true,
    input: () =>
      z.strictObject({
        query: searched,
        server: z.string().optional(),
        limit: z.int().min(1).max(mostResults).optional(),
        language: language.optional(),
      }),
    output: () =>
      z.array(
        z.object({
          server: z.string(),
          name: z.string(),
          import: z.string(),
          signature: z.string(),
          description: z.string(),
        }),
      ),
    async run({ query, server, limit = usualResults, language: asked }, context) {
      await waitForDiscovery(services);
      const { servers } = context.may ?? {};
      const offered = await offeredTools(
        services,
        context.run ? facesOf(services, context) : [context.via ?? "library"],
      );
      const most = servers ? mostResults : limit;
      const wanted: Wanted = { query, match: matchFor(context), server, limit: most, offered };
      const found = toolsIn((await findTools(services, wanted)).results);
      const reachable = found.filter(({ library }) => servers?.has(library.server) ?? true);
      return describe(await withObserved(services, reachable.slice(0, limit)), asked ?? guestLanguage(context));
    },
  });
}

function describe(found: ReturnType<typeof toolsIn>, language: Language = "typescript") {
  return found.map((one) => ({
    ...importable(one, language),
    signature: `${sketchTools([one.tool], language).calls[0] ?? ""}${one.mark ? ` ${wordings[language].comment} ${one.mark}` : ""}`,
    description: firstSentence(one.tool.description),
  }));
}

/** Waits for servers that were never asked; those that failed are asked again, but not waited for. */
async function waitForDiscovery({ libraries }: Services): Promise<void> {
  const missing = await libraries.missing();
  if (missing.length === 0) return;
  const discovered = libraries.discover();
  if (missing.every(({ failed }) => failed)) return;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([discovered, patience]);
  clearTimeout(timer);
}

/** A pattern of theirs is tried where it holds up nobody else, and in turn with others'. */
function matchFor(context: OperationContext): Wanted["match"] {
  return (pattern, texts) => heavyWork("match", () => ({ pattern, texts }), turnOf(context));
}
