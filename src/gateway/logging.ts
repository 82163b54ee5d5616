import type { LoggingLevel } from "@modelcontextprotocol/server";
import { plainLine } from "../catalog/plain-text.ts";
import type { Notices } from "../runtime/notices.ts";
import type { ClientRequest } from "./client-request.ts";

const longestLine = 500;

/** Tells a client, as far as it wants to know, what happens while a request of it is under way. */
export function logDuring(request: ClientRequest, notices: Notices): Disposable & { warn(text: string): void } {
  const log = (level: LoggingLevel, text: string, logger?: string): void => {
    const params = { level, data: plainLine(text, longestLine), ...(logger !== undefined && { logger }) };
    request.notify({ method: "notifications/message", params });
  };
  const stop = notices.listen(({ about, message }) => log("warning", message, about));
  return { warn: (text) => log("warning", text), [Symbol.dispose]: stop };
}
