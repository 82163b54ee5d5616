import { fieldsOf } from "../../system/fields.ts";
import type { Library, Tool } from "../tool.ts";
import { glossed, glosses } from "./glossary.ts";
import { joined, nameWords, words } from "./words.ts";

/** How much a word counts by where it stands, and how many words usually stand there. Those of a tool, then those of its library. */
export const places = {
  name: { weight: 4, usualLength: 3 },
  summary: { weight: 2, usualLength: 8 },
  description: { weight: 1, usualLength: 25 },
  parameters: { weight: 0.5, usualLength: 6 },
  parameterNames: { weight: 6, usualLength: 6 },
  parameterText: { weight: 0.4, usualLength: 20 },
  server: { weight: 2, usualLength: 1 },
  serverText: { weight: 0.8, usualLength: 6 },
} as const;

type Place = keyof typeof places;
export const placeNames = Object.keys(places) as Place[];

type LibraryPlace = "server" | "serverText";
type ToolPlace = Exclude<Place, LibraryPlace>;

/** The words of a tool by place. */
export type ToolText = Readonly<Record<ToolPlace, readonly string[]>>;
export const toolPlaces = placeNames.slice(0, -2) as ToolPlace[];

/** The words that count for every tool of a library, by place. */
export type LibraryText = Readonly<Record<LibraryPlace, readonly string[]>>;

const maxProse = 600;
const maxPatternProse = 4_000;
const maxAbout = 250;
const maxParameters = 15;
const maxParameterText = 60;

/** All that is searched of a tool itself. */
export function toolText(tool: Tool): ToolText {
  const prose = proseOf(tool);
  const summaryEnd = prose.slice(0, 200).search(/[.!?]\s|\n|$/);
  const parameters = parametersOf(tool, { most: maxParameters, longest: maxParameterText });
  return {
    name: [...nameWords(tool.name), ...words(glosses(tool.name)), ...proseWords(tool.title ?? "")],
    summary: proseWords(prose.slice(0, summaryEnd)),
    description: proseWords(prose.slice(summaryEnd)),
    parameters: nameWords(parameters.map(({ name }) => name).join(" ")),
    parameterNames: parameters.flatMap(({ name }) => joined(name) ?? []),
    parameterText: proseWords(parameters.map(({ text }) => text).join(" ")),
  };
}

/** Of Chinese also the English. */
function proseWords(text: string): string[] {
  return [...words(text), ...words(glosses(text))];
}

/** How long a text is. Pairs of Chinese characters are not counted: they overlap, and their English is. */
export function lengthOf(words: readonly string[]): number {
  return words.reduce((length, word) => (isHan(word) ? length : length + 1), 0);
}

function isHan(word: string): boolean {
  return /^\p{sc=Han}+$/u.test(word);
}

/** What tells what a tool is about: its name, and how its description begins; in English where that is known. */
export function aboutText(tool: Tool): string {
  return glossed(`${tool.name} ${tool.title ?? ""} ${proseOf(tool).slice(0, maxAbout)}`);
}

function proseOf({ description }: Tool): string {
  return description
    .slice(0, 3 * maxProse)
    .replace(/```[^`]*```/g, " ")
    .trim()
    .slice(0, maxProse);
}

export function libraryText({ server, description }: Pick<Library, "server" | "description">): LibraryText {
  return { server: nameWords(server), serverText: proseWords(description) };
}

/** What a regular expression is tried on, in the order of what counts. */
export function patternTexts(server: string, tool: Tool): string[] {
  const { name, title = "", description } = tool;
  const parameters = parametersOf(tool, { most: 100, longest: 500 });
  const texts = parameters.map(({ text }) => text).filter(Boolean);
  return [
    name,
    `${server}.${name}`,
    `${title}\n${description.slice(0, maxPatternProse)}`,
    ...parameters.map((parameter) => parameter.name),
    ...texts,
  ];
}

function parametersOf(tool: Tool, { most, longest }: { most: number; longest: number }) {
  return Object.entries(fieldsOf(fieldsOf(tool.inputSchema)["properties"]))
    .slice(0, most)
    .map(([name, schema]) => ({ name: name.slice(0, longest), text: descriptionOf(schema).slice(0, longest) }));
}

function descriptionOf(schema: unknown): string {
  const { description } = fieldsOf(schema);
  return typeof description === "string" ? description : "";
}
