import { plainText } from "../../catalog/plain-text.ts";
import { jsonOfText } from "../../sandbox/text-as-data.ts";
import { isFields } from "../../system/fields.ts";
import { heavyWork } from "../heavy-work.ts";
import { isSameJson } from "./same-json.ts";

/** A tool's answer as the protocol carries it; nothing in it is certain. */
interface ToolResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
  readonly _meta?: unknown;
}

/** The value of a tool's result. */
export type Unwrapped = Value | LoneText;

interface Value {
  /** As JSON. */
  readonly value: string;
  /** The content and `_meta` that the value leaves out, as JSON; absent when that is nothing, or when no object could carry it. */
  readonly rest?: string;
}

/** A text that is data if it is JSON or a literal of Python, else a text: whoever wants to know reads it. Guests do so themselves. */
interface LoneText {
  readonly text: string;
  /** For when it is data. */
  readonly rest?: string;
}

/** A server of the newest protocol names itself in every result. */
const ofEveryResult = "io.modelcontextprotocol/serverInfo";

/** Reading a longer text takes this thread too long: it is read in another. */
const longText = 1_000_000;

/** The structured content if there is one; else a lone text; else the content items, texts as plain strings. */
export function unwrap(result: unknown): Unwrapped {
  const { content, structuredContent } = (result ?? {}) as ToolResult;
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  if (structuredContent !== undefined) {
    const value = JSON.stringify(structuredContent);
    if (typeof structuredContent !== "object" || structuredContent === null) return { value };
    return { value, ...restOf(isCopy(items, structuredContent, value) ? [] : items, result) };
  }
  if (items.length === 0) {
    return { value: content === undefined && isFields(result) ? JSON.stringify(result) : "null" };
  }
  const leftOut = items.every((item) => textOf(item) === undefined || bareText(item) !== undefined) ? [] : items;
  if (items.length > 1) {
    return { value: JSON.stringify(items.map((item) => textOf(item) ?? item)), ...restOf(leftOut, result) };
  }
  const text = textOf(items[0]);
  if (text === undefined) return { value: JSON.stringify(items[0]), ...restOf([], result) };
  // One that happens to be a number or `true` stays the text it is.
  return /^\s*[[{]/.test(text) ? { text, ...restOf(leftOut, result) } : { value: JSON.stringify(text) };
}

/** The same for a reader that is not a guest. A promise only where a text is long; `turn` is whose it is. */
export function decided(unwrapped: Unwrapped, turn: string): Value | Promise<Value> {
  if (!("text" in unwrapped)) return unwrapped;
  const { text, ...rest } = unwrapped;
  const toValue = (json: string | undefined): Value =>
    json === undefined ? { value: JSON.stringify(text) } : { value: json, ...rest };
  return text.length <= longText ? toValue(jsonOfText(text)) : jsonOfLongText(text, turn).then(toValue);
}

/** Without what the value leaves out. */
export function lengthOf(unwrapped: Unwrapped): number {
  return ("text" in unwrapped ? unwrapped.text : unwrapped.value).length;
}

const longestFailure = 8192;
/** plainText looks at no more. */
const lookedAt = longestFailure * 4;

/** The message of a result that says it is an error; undefined for other results. */
export function errorMessageOf(result: unknown): string | undefined {
  const { content, isError } = (result ?? {}) as ToolResult;
  if (isError !== true) return undefined;
  const texts: string[] = [];
  let length = 0;
  for (const item of Array.isArray(content) ? content : []) {
    if (length > lookedAt) break;
    const text = textOf(item)?.slice(0, lookedAt + 1);
    if (text === undefined) continue;
    texts.push(text);
    length += text.length + 1;
  }
  return plainText(texts.join("\n"), longestFailure) || "the tool answered with an error and no text";
}

function restOf(content: readonly unknown[], result: unknown): Pick<Value, "rest"> | undefined {
  const { _meta: meta } = result as ToolResult;
  const hasMeta = isFields(meta) && Object.keys(meta).some((key) => key !== ofEveryResult);
  if (content.length === 0 && !hasMeta) return undefined;
  return { rest: JSON.stringify({ content, ...(hasMeta && { _meta: meta }) }) };
}

/** Whether the items are only what servers send beside structured content for clients that do not know it. */
function isCopy(items: readonly unknown[], data: object, json: string): boolean {
  const texts = items.map(bareText);
  const [first] = texts;
  if (first === undefined) return items.length === 0;
  if (texts.length === 1 && isSameJson(first, json)) return true;
  // Servers made with FastMCP put what is not an object into one, and show it without; a list as one text per item.
  const keys = Object.keys(data);
  const inner = keys.length === 1 && "result" in data ? data.result : data;
  if (texts.length === 1 && isShownAs(inner, first)) return true;
  return (
    Array.isArray(inner) &&
    inner.length === texts.length &&
    texts.every((text, index) => text !== undefined && isShownAs(inner[index], text))
  );
}

function isShownAs(data: unknown, text: string): boolean {
  return typeof data === "string" ? data === text : isSameJson(text, JSON.stringify(data) ?? "");
}

function textOf(item: unknown): string | undefined {
  if (!isFields(item) || item["type"] !== "text") return undefined;
  return typeof item["text"] === "string" ? item["text"] : undefined;
}

/** The text of an item that is nothing but a text. */
function bareText(item: unknown): string | undefined {
  const text = textOf(item);
  return text !== undefined && Object.keys(item as object).length === 2 ? text : undefined;
}

/** What cannot be read there stays a text, which the guest can read if it has the room. */
async function jsonOfLongText(text: string, turn: string): Promise<string | undefined> {
  const json = await heavyWork("jsonOfText", () => ({ text }), { turn }).catch(() => undefined);
  return json === true ? text : json;
}
