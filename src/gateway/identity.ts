import type { Implementation } from "@modelcontextprotocol/server";
import { version } from "../system/version.ts";

/** Three servers that become one: small, because clients of 2026-07-28 get it with every answer. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M5 4v8h14V4m-7 0v16" fill="none" stroke="#38f" stroke-width="3"/></svg>';

/** What clients show of us. */
export const identity: Implementation = {
  name: "mcp-coordinator",
  version,
  icons: [
    {
      src: `data:image/svg+xml;base64,${Buffer.from(icon).toString("base64")}`,
      mimeType: "image/svg+xml",
      sizes: ["any"],
    },
  ],
};
