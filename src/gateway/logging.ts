import type { LoggingLevel, ServerContext } from "@modelcontextprotocol/server";
import { plainLine } from "../catalog/plain-text.ts";
import type { Notices } from "../runtime/notices.ts";

const longestLine = 500;

/** Tells a client, as far as it wants to know, what happens while a request of it is under way. */
export function logDuring(context: ServerContext, notices: Notices): Disposable & { warn(text: string): void } {
  const log = (level: LoggingLevel, text: string, logger?: string): void => {
    context.mcpReq.log(level, plainLine(text, longestLine), logger).catch(() => {}); // the client has gone
  };
  const stop = notices.listen(({ about, message }) => log("warning", message, about));
  return { warn: (text) => log("warning", text), [Symbol.dispose]: stop };
}
