import { plainLine } from "../../catalog/plain-text.ts";
import { dataOrText } from "../../sandbox/text-as-data.ts";
import { isFields } from "../../system/fields.ts";
import type { Unwrapped } from "./unwrap.ts";

/** A longer value is not looked at: it holds more than an error. */
const longest = 4000;
const longestShown = 200;
/** How what is looked at begins; nothing else is parsed. */
const beginning =
  /^\s*(?:\{\s*["']result["']:\s*)?(?:"?Error(?::| executing )|\{\s*["'](?:is_?)?(?:error\w*|ok|success|status|message|code|data)["'])/i;
/** What may stand beside an error without saying more. */
const about =
  /^(?:error\w*|is_?error|message|msg|reason|details?|description|hint|code|status\w*|type|name|stack|traceback|request_?id|timestamp)$/i;

/** The error that a tool answered with as if it were a value, and nothing beside it; undefined for other values. */
export function errorInValue(unwrapped: Unwrapped): string | undefined {
  const text = "text" in unwrapped ? unwrapped.text : unwrapped.value;
  if (text.length > longest || !beginning.test(text)) return undefined;
  const value = dataOrText(text);
  // Servers made with FastMCP put what is not an object into one.
  const isWrapped = isFields(value) && Object.keys(value).length === 1 && "result" in value;
  const message = messageIn(isWrapped ? value["result"] : value);
  return message === undefined ? undefined : plainLine(message, longestShown);
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === "string") return /^\s*Error(?::| executing )/.test(value) ? value : undefined;
  if (!isFields(value)) return undefined;
  const { error, errors, ok, success, status, message } = value;
  const given = Object.entries(value).filter(([, part]) => part !== null && part !== false);
  const isFailed = ok === false || success === false || (typeof status === "string" && /^(error|fail)/i.test(status));
  if (!given.every(([key]) => about.test(key))) return undefined;
  const reason = error || (Array.isArray(errors) ? errors[0] : errors) || (isFailed && message);
  if (!reason) return undefined;
  if (typeof reason === "string") return reason;
  const inner = isFields(reason) ? reason["message"] : message;
  return typeof inner === "string" ? inner : JSON.stringify(reason);
}
