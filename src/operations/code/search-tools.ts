import * as z from "zod";
import { local } from "../../actor.ts";
import { readPattern } from "../../catalog/pattern.ts";
import type { Match } from "../../catalog/search.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import { heavyWork } from "../../runtime/heavy-work.ts";
import { estimateTokens } from "../../runtime/results/tokens.ts";
import type { Language } from "../../sandbox/engine.ts";
import { importLine, signatureLine } from "../../skills/import-line.ts";
import { showFoundSkills } from "../../skills/show-skill.ts";
import type { SkillSummary } from "../../skills/skill-store.ts";
import { language } from "../inputs.ts";
import { defineOperation, guestLanguage, type OperationContext, turnOf } from "../operation.ts";
import type { Services } from "../services.ts";
import { findSkills } from "../skills/skills.ts";
import { type RankedResult as FoundAny, fittingSkills, rankResults } from "./rank-results.ts";
import { type Detail, type FoundTool, firstSentence, showTools, wordings } from "./show-tools.ts";

interface SearchResult {
  readonly kind: "server" | "tool" | "skill";
  readonly server?: string;
  readonly name: string;
  readonly import?: string;
  /** With full detail only. */
  readonly signature?: string;
  readonly description?: string;
}

interface SearchAnswer {
  readonly data: {
    readonly results: readonly SearchResult[];
    readonly total: number;
    readonly truncated?: boolean;
    readonly missing?: readonly { readonly server: string; readonly reason: string }[];
  };
  readonly text: string;
}

const mostResults = 200;

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
  const { libraries } = services;
  return defineOperation({
    name: "search_tools",
    description:
      "Find tools of the user's MCP servers and saved skills before writing code. query: words, an exact name or /regex/; server alone lists its tools; neither lists the servers. Answers with signatures to import in execute_code.",
    toolset: "code",
    readOnly: true,
    input: searchInput,
    async run({ query, server, detail = "signatures", language: asked, limit: given }, context): Promise<SearchAnswer> {
      const language = asked ?? "typescript";
      const limit = given ?? 10;
      if (server !== undefined) await libraries.get(server);
      else await waitForDiscovery(services);
      const how = { detail, language };
      if (query) {
        const match = matchFor(context);
        const found =
          server === undefined
            ? await findAny(services, query, match, limit, asked)
            : await findTools(services, query, match, server, limit);
        return answerAny(services, found, how, () => showNothing(services, query, server));
      }
      if (server !== undefined)
        return answerAny(services, toolsOf(services, server, given), how, () => "It has no tools.");
      return answerServers(services, language);
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
    async run({ query, server, limit = 10, language }, context) {
      await waitForDiscovery(services);
      const wording = language ?? guestLanguage(context) ?? "typescript";
      const { servers } = context.may ?? {};
      const { found } = await findTools(services, query, matchFor(context), server, servers ? mostResults : limit);
      const reachable = found.filter(({ library }) => servers?.has(library.server) ?? true);
      const shown = await withObserved(services, reachable.slice(0, limit));
      return shown.map((tool) => {
        return { ...importable(tool, wording), ...described(tool, wording) };
      });
    },
  });
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

interface Found<Kind = FoundTool> {
  readonly found: readonly Kind[];
  readonly total: number;
}

/** Tools, and skills beside them: of one language when it was asked for. */
async function findAny(
  services: Services,
  query: string,
  match: Match,
  limit: number,
  asked?: Language,
): Promise<Found<FoundAny>> {
  const { found, total } = await findTools(services, query, match, undefined, limit);
  const isPattern = readPattern(query) !== undefined;
  const skills = isPattern
    ? await fittingSkills(query, match, await services.skills.store.list())
    : await findSkills(services.skills, query, limit, local);
  const usable = skills.filter((skill) => asked === undefined || skill.language === asked);
  if (usable.length === 0) return { found, total };
  return { found: (await rankResults(query, match, found, usable)).slice(0, limit), total: total + usable.length };
}

/** A pattern of theirs is tried where it holds up nobody else, and in turn with others'. */
function matchFor(context: OperationContext): Match {
  return (pattern, texts) => heavyWork("match", () => ({ pattern, texts }), turnOf(context));
}

async function findTools(
  { libraries }: Services,
  query: string,
  match: Match,
  server: string | undefined,
  limit: number,
): Promise<Found> {
  const { results, total } = await libraries.search(query, match, { limit, ...(server !== undefined && { server }) });
  return { found: results, total };
}

function toolsOf({ libraries }: Services, server: string, limit = 200): Found {
  const library = libraries.peek(server)?.library;
  const all = library?.tools.map((tool) => ({ library, tool })) ?? [];
  return { found: all.slice(0, limit), total: all.length };
}

/** What was found, each tool with the type that its results were observed to have. */
async function withObserved<Kind extends FoundAny>(
  { observations }: Services,
  found: readonly Kind[],
): Promise<Kind[]> {
  const known = new Map<Library, Map<string, Tool>>();
  for (const library of new Set(found.flatMap((one) => ("tool" in one ? [one.library] : [])))) {
    const { tools } = await observations.shown(library);
    known.set(library, new Map(tools.map((tool) => [tool.name, tool])));
  }
  return found.map((one) => {
    if (!("tool" in one)) return one;
    return { ...one, tool: known.get(one.library)?.get(one.tool.name) ?? one.tool };
  });
}

function importable({ library, tool }: FoundTool, language: Language) {
  const { server } = library;
  return { server, name: tool.name, import: wordings[language].importing(tool.identifier, library) };
}

function described({ tool }: FoundTool, language: Language) {
  return { signature: wordings[language].signature(tool), description: firstSentence(tool.description) };
}

async function answerAny(
  services: Services,
  { found: bare, total }: Found<FoundAny>,
  { detail, language }: { readonly detail: Detail; readonly language: Language },
  nothing: () => string | Promise<string>,
): Promise<SearchAnswer> {
  const found = await withObserved(services, bare);
  const skills = found.flatMap((one) => ("skill" in one ? [one.skill] : []));
  const tools = found.flatMap((one) => ("tool" in one ? [one] : []));
  const skillText = showFoundSkills(skills, detail);
  const budget = services.maxTokens - (skillText === "" ? 0 : estimateTokens(skillText));
  const { text: toolText, shown: shownTools } = showTools(tools, { detail, language, budget });
  const cut = new Set(tools.slice(shownTools));
  const results = found
    .filter((one) => !("tool" in one && cut.has(one)))
    .map((one) => ("skill" in one ? skillResult(one.skill, detail) : toolResult(one, detail, language)));
  const missing = await missingOf(services);
  const first = found[0] && "skill" in found[0] ? [skillText, toolText] : [toolText, skillText];
  const notes = [
    ...(found.length > 0 ? first : [await nothing()]),
    results.length < total ? showCut(results.length, total, cut.size > 0 ? services.maxTokens : undefined) : "",
    showMissing(missing),
    await services.tellChanges(),
  ];
  const data = {
    results,
    total,
    ...(results.length < total && { truncated: true }),
    ...(missing.length > 0 && { missing }),
  };
  return { data, text: notes.filter(Boolean).join("\n\n") };
}

/** What was left out, why, and how to see it; `budget` when it was the tokens that did not suffice. */
function showCut(shown: number, total: number, budget: number | undefined): string {
  return budget === undefined
    ? `${shown} of ${total} shown; set limit (at most ${mostResults}) for more, or narrow the query.`
    : `${shown} of ${total} shown, as many as fit ${budget} tokens; narrow the query, set server, or set detail "names".`;
}

const mostSimilar = 5;

async function showNothing(
  { libraries, skills }: Services,
  query: string,
  server: string | undefined,
): Promise<string> {
  const known = await libraries.toolNames();
  const searched = server === undefined ? known : known.filter((one) => one.server === server);
  const tools = searched.reduce((sum, { names }) => sum + names.length, 0);
  const skillCount = server === undefined ? await skills.store.count() : 0;
  const where = [
    server === undefined
      ? `${plural(tools, "tool")} of ${plural(searched.length, "server")}`
      : `the ${plural(tools, "tool")} of ${server}`,
    ...(skillCount > 0 ? [plural(skillCount, "skill")] : []),
  ].join(" and ");
  const similar = libraries.similarNames(query, mostSimilar, server);
  const nearest = similar.length > 0 ? ` Nearest names: ${similar.join(", ")}.` : "";
  const next = server === undefined ? "no query for the list of servers" : "no query for all of them";
  return `Nothing matches among ${where}.${nearest} Try other words, or ${next}.`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function toolResult(tool: FoundTool, detail: Detail, language: Language): SearchResult {
  return { kind: "tool", ...importable(tool, language), ...(detail === "full" && described(tool, language)) };
}

function skillResult(skill: SkillSummary, detail: Detail): SearchResult {
  const full = { signature: signatureLine(skill), description: skill.description };
  return { kind: "skill", name: skill.name, import: importLine(skill), ...(detail === "full" && full) };
}

async function answerServers(services: Services, language: Language): Promise<SearchAnswer> {
  const inventory = await services.libraries.inventory();
  const { specifier } = wordings[language];
  const skills = await services.skills.store.count();
  const missing = await missingOf(services);
  const lines = inventory.map((entry) => {
    const { description, tools } = entry;
    const what = [description, tools === undefined ? "" : `${tools} tools`].filter(Boolean).join(", ");
    return `${specifier(entry)}${what ? `: ${what}` : ""}`;
  });
  const notes = [
    lines.join("\n") || "No servers are configured.",
    skills === 0 ? "" : `${plural(skills, "skill")}; search finds ${skills === 1 ? "it" : "them"}.`,
    showMissing(missing),
    await services.tellChanges(),
  ];
  const results = inventory.map((entry) => ({
    kind: "server" as const,
    name: entry.name,
    import: specifier(entry),
  }));
  const data = { results, total: inventory.length, ...(missing.length > 0 && { missing }) };
  return { data, text: notes.filter(Boolean).join("\n\n") };
}

async function missingOf({ libraries }: Services) {
  return (await libraries.missing()).map(({ server, reason }) => ({ server, reason }));
}

const mostMissing = 20;

function showMissing(missing: readonly { server: string; reason: string }[]): string {
  if (missing.length === 0) return "";
  const lines = missing.slice(0, mostMissing).map(({ server, reason }) => `${server}: ${firstSentence(reason)}`);
  if (missing.length > mostMissing) lines.push(`and ${missing.length - mostMissing} more`);
  return `Not searched, their tools are not known yet:\n${lines.join("\n")}`;
}
