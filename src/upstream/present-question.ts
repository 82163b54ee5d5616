import type { AskMethod } from "../actor.ts";
import { plainLine, plainText } from "../catalog/plain-text.ts";
import { type Fields, fieldsOf } from "../system/fields.ts";

const mostText = 2000;
const mostLines = 20;
const mostLabel = 300;
const mostExactText = 1000;
const mostUrl = 4000;
const mostParts = 1000;
const deepest = 10;
/** Texts of a form that people read and nobody compares. */
const labels: ReadonlySet<string> = new Set(["title", "description", "enumNames"]);
/** By this, clients that look for it know who asks, also where nothing of a question is shown. */
const serverKey = "mcp-coordinator/server";

/**
 * What a server asks, as the user may see it: it begins with who asks, in words that the server's own text cannot hide,
 * push away or imitate. Throws when it cannot be shown so.
 */
export function presentQuestion(server: string, method: AskMethod, params: Fields | undefined): Fields | undefined {
  if (method === "roots/list") return params;
  const told = { ...params, _meta: { ...fieldsOf(params?.["_meta"]), [serverKey]: server } };
  if (method === "sampling/createMessage") return told;
  const who = `server ${JSON.stringify(plainLine(server, 100))} asks`;
  const text = quotedText(String(params?.["message"] ?? ""));
  if (params?.["mode"] === "url") {
    const host = hostOf(params["url"]);
    return { ...told, message: `${who} you to open a page of ${host}: ${text}` };
  }
  return { ...told, message: `${who}: ${text}`, requestedSchema: presentForm(params?.["requestedSchema"]) };
}

/** Plain, short, and each line after the first marked: only our own words begin a line. */
function quotedText(text: string): string {
  const lines = plainText(text, mostText)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const shown = lines.length > mostLines ? [...lines.slice(0, mostLines), "…"] : lines;
  return shown.join("\n> ");
}

function hostOf(url: unknown): string {
  const isText = typeof url === "string" && url.length <= mostUrl && plainText(url, mostUrl) === url;
  const parsed = isText && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.host !== "") return parsed.host;
  throw new Error("the page's address is not one of http or https that can be shown whole");
}

/** The form with its labels made plain. Names and values are the server's and stay as they are, or it is refused. */
function presentForm(schema: unknown): unknown {
  let parts = 0;
  const present = (value: unknown, key: string, depth: number): unknown => {
    if (++parts > mostParts || depth > deepest) throw tooLarge();
    if (typeof value === "string") return labels.has(key) ? plainLine(value, mostLabel) : exactly(value);
    if (typeof value !== "object" || value === null) return value;
    const count = Array.isArray(value) ? value.length : Object.keys(value).length;
    if (parts + count > mostParts) throw tooLarge();
    if (Array.isArray(value)) return value.map((item) => present(item, key, depth + 1));
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, part]) => [exactly(name), present(part, name, depth + 1)]));
  };
  return present(schema, "", 0);
}

function tooLarge(): Error {
  return new Error("the form is too large to be shown");
}

function exactly(text: string): string {
  if (text.length <= mostExactText && plainText(text, mostExactText) === text) return text;
  throw new Error("the form has a name or a value that cannot be shown as it is");
}
