/** A tool's answer as the protocol carries it; nothing in it is certain. */
interface ToolResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/**
 * What a guest gets for a tool's result, as JSON text: the structured content if there is one; else a lone text, as data
 * if it is a JSON object or array; else the content items, texts as plain strings.
 */
export function unwrap(result: unknown): string {
  const { content, structuredContent } = (result ?? {}) as ToolResult;
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  const items: readonly unknown[] = Array.isArray(content) ? content : [];
  if (items.length === 0) return content === undefined && isObject(result) ? JSON.stringify(result) : "null";
  if (items.length > 1) return JSON.stringify(items.map((item) => textOf(item) ?? item));
  const text = textOf(items[0]);
  if (text === undefined) return JSON.stringify(items[0]);
  return isJsonData(text) ? text : JSON.stringify(text);
}

/** The message of a result that says it is an error; undefined when it is none. */
export function failureOf(result: unknown): string | undefined {
  const { content, isError } = (result ?? {}) as ToolResult;
  if (isError !== true) return undefined;
  const texts = (Array.isArray(content) ? content : []).flatMap((item) => textOf(item) ?? []);
  return texts.join("\n").slice(0, 8192) || "the tool answered with an error and no text";
}

function textOf(item: unknown): string | undefined {
  if (!isObject(item) || item["type"] !== "text") return undefined;
  return typeof item["text"] === "string" ? item["text"] : undefined;
}

/** Only objects and arrays: a text that happens to be a number or `true` stays the text it is. */
function isJsonData(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // looked like JSON and is not
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
