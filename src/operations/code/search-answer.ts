import { identifiers, libraryReserved } from "../../catalog/names.ts";
import { plainLine } from "../../catalog/plain-text.ts";
import { createSearch } from "../../catalog/search/search.ts";
import { words } from "../../catalog/search/words.ts";
import { firstSentence } from "../../catalog/summary.ts";
import type { InventoryEntry } from "../../runtime/libraries/libraries.ts";
import { estimateTokens } from "../../runtime/results/tokens.ts";
import type { Language } from "../../sandbox/engine.ts";
import { importLine, signatureLine } from "../../skills/import-line.ts";
import { showFoundSkills } from "../../skills/show-skill.ts";
import type { SkillSummary } from "../../skills/skill-store.ts";
import { plural } from "../../system/plural.ts";
import type { ApiFunction } from "../guest-api.ts";
import { type OfferedTools, sayDenied } from "../policy/offered-tools.ts";
import type { Services } from "../services.ts";
import { apiIn, type Found, seenTools, skillsIn, toolsIn, type Wanted, withObserved } from "./find-results.ts";
import type { RankedResult } from "./rank-results.ts";
import {
  type Detail,
  type FoundTool,
  importable,
  mostFitting,
  type ShownTools,
  showFound,
  showInOrder,
  showListed,
  wordings,
} from "./show-tools.ts";

export interface SearchAnswer {
  readonly data: {
    readonly results: readonly SearchResult[];
    readonly also?: Found["also"];
    readonly total: number;
    readonly truncated?: boolean;
    /** How many tools are left out because the rules deny them. */
    readonly denied?: number;
    readonly missing?: readonly Missing[];
  };
  readonly text: string;
}

interface SearchResult {
  readonly kind: "server" | "tool" | "skill" | "api";
  readonly server?: string;
  readonly name: string;
  readonly import?: string;
  /** With full detail only. */
  readonly signature?: string;
  readonly description?: string;
}

interface Missing {
  readonly server: string;
  readonly reason: string;
}

/** How the answer is to be. */
export interface How {
  readonly detail: Detail;
  readonly language: Language;
  readonly limit: number | undefined;
  /** What rules say of tools; absent where they say nothing. */
  readonly offered?: OfferedTools | undefined;
}

/** The module of our own functions, which is found and listed like a server. */
export const coordinatorModule = "coordinator";

/** What an answer may cost a model, unless it asks for all that there is. */
const answerTokens = 1_200;
const listingTokens = 2_000;
/** So many of the tools that were found are shown with signatures, unless more are asked for; the others by name. */
const usualSigned = 5;
const mostNearest = 3;
/** What is left for saying what was left out. */
const cutTokens = 20;

/** What a search by words, names or a pattern found. */
export async function answerFound(services: Services, found: Found, wanted: Wanted, how: How): Promise<SearchAnswer> {
  const results = await withObserved(services, found.isWeak ? found.results.slice(0, mostNearest) : found.results);
  if (results.length === 0) return answerNothing(services, wanted, found.denied);
  if (found.isWeak) return answerWeak(services, { ...found, results }, wanted, how);
  const skills = showFoundSkills(skillsIn(results), how.detail);
  const [before, after] = results[0] && "skill" in results[0] ? [skills, ""] : ["", skills];
  const behind = [after, showApi(apiIn(results), how), showAlso(found)];
  const tools = toolsIn(results);
  const shown = showAny(
    tools,
    how,
    budgetFor(services, how) - estimateTokens([before, ...behind].join("\n\n")) - cutTokens,
  );
  const cut = new Set<RankedResult>(tools.slice(shown.shown));
  const listed = results.filter((one) => !cut.has(one));
  return completed(services, {
    results: listed.map((one) => resultOf(one, how)),
    also: found.also,
    total: found.total,
    denied: found.denied,
    texts: [
      tools.length === 0 && !results.some(isNamedIn(wanted)) ? await noTool(services, wanted) : "",
      before,
      shown.text,
      ...behind,
      [showUnsaid(tools, wanted), showCut(listed.length, found.total, how, wanted.server)].filter(Boolean).join(" "),
    ],
  });
}

/** All tools of a server, or all functions of our own. */
export async function answerListing(services: Services, server: string, how: How): Promise<SearchAnswer> {
  const library = services.libraries.peek(server)?.library;
  if (!library && server === coordinatorModule) return answerApi(services, how);
  const listed = library?.tools.map((tool): FoundTool => ({ library, tool })) ?? [];
  const all = how.offered ? seenTools(listed, how.offered) : listed;
  const denied = listed.length - all.length;
  const found = await withObserved(services, all.slice(0, how.limit ?? all.length));
  const shown =
    how.detail === "signatures"
      ? showListed(found, how.language, listingTokens)
      : showAny(found, how, budgetFor(services, how));
  return completed(services, {
    results: found.slice(0, shown.shown).map((one) => resultOf(one, how)),
    total: all.length,
    denied,
    texts: [listed.length === 0 ? "It has no tools." : shown.text, showCut(shown.shown, all.length, how, server)],
  });
}

/** All servers: in a line each if they fit, with the first tools of those that say nothing of themselves; else by name. */
export async function answerServers(services: Services, { language, offered }: How): Promise<SearchAnswer> {
  const { specifier } = wordings[language];
  const inventory = await services.libraries.inventory();
  const namesOf = new Map((await services.libraries.toolNames()).map(({ server, names }) => [server, names]));
  const skills = await services.skills.store.count();
  const own = [
    "coordinator: files, memory, skills for your code",
    ...(skills === 0 ? [] : [`${plural(skills, "skill")}; search finds ${skills === 1 ? "it" : "them"}.`]),
  ].join("\n\n");
  const lines = await Promise.all(
    inventory.map(async (entry) => {
      const names = namesOf.get(entry.name) ?? [];
      const seen = entry.description || !offered ? names : await offered.seen(entry.name, names);
      return `${specifier(entry)}: ${describeServer(entry, seen)}`;
    }),
  );
  const room = listingTokens - estimateTokens(own) - cutTokens;
  const whole = lines.length === 0 ? "No servers are configured." : lines.join("\n");
  const names = inventory.map((entry) => specifier(entry));
  const fits = estimateTokens(whole) <= room;
  const shown = fits
    ? inventory.length
    : mostFitting(names.length, (count) => estimateTokens(names.slice(0, count).join(", ")) <= room);
  const cut =
    shown < inventory.length ? `${shown} of ${inventory.length} servers shown; search by words for the others.` : "";
  return completed(services, {
    results: inventory.slice(0, shown).map((entry) => ({ kind: "server", name: entry.name, import: specifier(entry) })),
    total: inventory.length,
    texts: [`${fits ? whole : names.slice(0, shown).join(", ")}\n${own}`, cut],
  });
}

/** So many tools are named in place of a description. */
const mostExamples = 3;

function describeServer({ description, tools }: InventoryEntry, names: readonly string[] = []): string {
  if (tools === undefined) return [description, "not asked yet"].filter(Boolean).join(", ");
  if (description || names.length === 0) return [description, plural(tools, "tool")].filter(Boolean).join(", ");
  const others = names.length > mostExamples ? ", …" : "";
  return `${plural(tools, "tool")} (${importableNames(names.slice(0, mostExamples))}${others})`;
}

async function answerApi(services: Services, how: How): Promise<SearchAnswer> {
  const api = services.api();
  return completed(services, {
    results: api.map((one) => resultOf({ api: one }, how)),
    total: api.length,
    texts: [showApi(api, how)],
  });
}

/** The nearest are named, so that a model can look at one. */
async function answerWeak(
  services: Services,
  { results, denied }: Pick<Found, "results" | "denied">,
  wanted: Wanted,
  how: How,
): Promise<SearchAnswer> {
  const nearest = toolsIn(results).map(({ library, tool }) => `${library.module}.${tool.identifier}`);
  return completed(services, {
    results: results.map((one) => resultOf(one, how)),
    total: 0,
    denied,
    texts: [`${await noMatch(services, wanted)} Nearest: ${nearest.join(", ")}.`],
  });
}

async function answerNothing(services: Services, wanted: Wanted, denied: number): Promise<SearchAnswer> {
  // Where rules leave something out, what is nearest may be just that.
  const similar = denied > 0 ? [] : services.libraries.similarNames(wanted.query, mostSimilar, wanted.server);
  const nearest = similar.length > 0 ? ` Nearest names: ${similar.join(", ")}.` : "";
  const next = wanted.server === undefined ? "no query for the list of servers" : "no query for all of them";
  const text = `${await noMatch(services, wanted)}${nearest} Try other words, or ${next}.`;
  return completed(services, { results: [], total: 0, denied, texts: [text] });
}

/** The answer, with what is told at the end of each. */
async function completed(
  services: Services,
  {
    results,
    total,
    texts,
    also = [],
    denied = 0,
  }: {
    readonly results: readonly SearchResult[];
    readonly total: number;
    readonly texts: readonly string[];
    readonly also?: Found["also"];
    readonly denied?: number;
  },
): Promise<SearchAnswer> {
  const missing = (await services.libraries.missing()).map(({ server, reason }) => ({ server, reason }));
  const data = {
    results,
    ...(also.length > 0 && { also }),
    total,
    ...(results.length < total && { truncated: true }),
    ...(denied > 0 && { denied }),
    ...(missing.length > 0 && { missing }),
  };
  const all = [...texts, sayDenied(denied), showMissing(missing), await services.tellChanges()];
  return { data, text: all.filter(Boolean).join("\n\n") };
}

function budgetFor({ maxTokens }: Services, { detail }: How): number {
  return detail === "full" ? maxTokens : Math.min(maxTokens, answerTokens);
}

function showAny(found: readonly FoundTool[], { detail, language, limit }: How, budget: number): ShownTools {
  if (found.length === 0) return { text: "", shown: 0 };
  if (detail !== "signatures") return showInOrder(found, { detail, language, budget });
  return showFound(found, { language, most: limit ?? usualSigned, budget });
}

function showApi(api: readonly ApiFunction[], { detail, language }: How): string {
  if (api.length === 0) return "";
  const groups = [...new Set(api.map(({ name }) => name.split(".")[0] ?? name))];
  const { comment, end } = wordings[language];
  const from =
    language === "python"
      ? `from coordinator import ${groups.join(", ")}`
      : `import { ${groups.join(", ")} } from "coordinator"${end}`;
  const lines = api.map((one) => {
    if (detail === "names") return `${one.name}: ${firstSentence(one.description)}`;
    return `${one.signature(language)} ${comment} ${detail === "full" ? one.description : firstSentence(one.description)}`;
  });
  return [from, ...lines].join("\n");
}

function resultOf(one: RankedResult, { detail, language }: How): SearchResult {
  if ("skill" in one) return skillResult(one.skill, detail);
  if ("api" in one) return apiResult(one.api, detail, language);
  const described = {
    signature: wordings[language].whole(one.tool, one.mark),
    description: firstSentence(one.tool.description),
  };
  return { kind: "tool", ...importable(one, language), ...(detail === "full" && described) };
}

function apiResult(api: ApiFunction, detail: Detail, language: Language): SearchResult {
  const full = { signature: api.signature(language), description: api.description };
  const own = { server: coordinatorModule, name: api.name, import: api.importLine(language) };
  return { kind: "api", ...own, ...(detail === "full" && full) };
}

function skillResult(skill: SkillSummary, detail: Detail): SearchResult {
  const full = { signature: signatureLine(skill), description: skill.description };
  return { kind: "skill", name: skill.name, import: importLine(skill), ...(detail === "full" && full) };
}

/** What was left out, and how to see it. */
function showCut(shown: number, total: number, { limit }: How, server: string | undefined): string {
  if (shown >= total) return "";
  const next = [limit === undefined ? "limit" : "a higher limit", ...(server === undefined ? ["server"] : [])];
  return `${shown} of ${total} matches shown; for others set ${next.join(" or ")}.`;
}

const mostUnsaid = 5;

/** Words of the query that no tool shown has, nor one that means the same: a part of what was asked may not be there. */
function showUnsaid(tools: readonly FoundTool[], { query }: Wanted): string {
  const asked = [...new Set(words(query.slice(0, longestAsked)))].filter((word) => /^[a-z]{3,}$/.test(word));
  if (asked.length < 2 || tools.length === 0 || query.startsWith("/")) return "";
  const search = createSearch(tools.map(({ library, tool }) => ({ ...library, tools: [tool] })));
  const unsaid = asked.filter((word) => search.search(word, { limit: 1 }).total === 0);
  if (unsaid.length === 0 || unsaid.length === asked.length) return "";
  return `None of these says: ${unsaid.slice(0, mostUnsaid).join(", ")}.`;
}

const longestAsked = 200;

function showAlso({ also, alsoLeftOut }: Found): string {
  const lines = also.map(
    ({ server, names }) => `Also in ${plainLine(server, longestServer)}: ${importableNames(names)}`,
  );
  return lines.length === 0 ? "" : `${lines.join("\n")}${alsoLeftOut > 0 ? `, and ${alsoLeftOut} more` : ""}`;
}

const longestServer = 100;

/** Tools by the names under which a program imports them. */
function importableNames(names: readonly string[]): string {
  const identifier = identifiers(names, libraryReserved);
  return names.map((name) => identifier.get(name)).join(", ");
}

const mostSimilar = 5;

/** That nothing answers the query, and what was searched. */
async function noMatch(services: Services, wanted: Wanted): Promise<string> {
  const skills = wanted.server === undefined ? await services.skills.store.count() : 0;
  return noTool(services, wanted, skills > 0 ? ` and ${plural(skills, "skill")}` : "");
}

/** The same of tools alone. */
async function noTool({ libraries }: Services, { query, server }: Wanted, orElse = ""): Promise<string> {
  const known = await libraries.toolNames();
  const searched = server === undefined ? known : known.filter((one) => one.server === server);
  const tools = searched.reduce((sum, { names }) => sum + names.length, 0);
  const where =
    server === undefined
      ? `${plural(tools, "tool")} of ${plural(searched.length, "server")}`
      : `the ${plural(tools, "tool")} of ${server}`;
  const what = query.startsWith("/") ? "names, descriptions and parameters of " : "";
  return `No good match among ${what}${where}${orElse}.`;
}

/** Whether a result is asked for by its name. */
function isNamedIn({ query }: Wanted) {
  return (one: RankedResult): boolean =>
    query.includes("skill" in one ? one.skill.name : "api" in one ? one.api.name : one.tool.name);
}

const mostMissing = 20;

function showMissing(missing: readonly Missing[]): string {
  if (missing.length === 0) return "";
  const lines = missing
    .slice(0, mostMissing)
    .map(({ server, reason }) => `${plainLine(server, longestServer)}: ${firstSentence(reason)}`);
  if (missing.length > mostMissing) lines.push(`and ${missing.length - mostMissing} more`);
  return `Not searched, their tools are not known yet:\n${lines.join("\n")}`;
}
