import * as z from "zod";
import { type RunResult, showRun } from "../runtime/run-result.ts";
import { defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

export function executeCode({ execute, config }: Services) {
  return defineOperation({
    name: "execute_code",
    description: `Run TypeScript in a sandbox; the user's MCP servers are typed modules. Returns only what it prints and its last expression, so chain calls, filter and aggregate in code.
import { tool } from "mcp_tools/<server>"; const data = await tool({ arg: 1 });
Use search_tools for signatures. Top-level await; Promise.all for parallel calls; failed calls throw ToolError. Types are checked before anything runs. No network, no files.`,
    toolset: "code",
    readOnly: false,
    input: z.strictObject({
      code: z.string(),
      language: z.enum(["typescript"]).optional(),
      servers: z.array(z.string()).optional(),
      timeout: z.number().positive().optional(),
    }),
    run({ code, language, servers, timeout }, context): Promise<RunResult> {
      return execute({ code, language, servers, timeoutSeconds: timeout, ...context });
    },
    show: (run) => (config.output.format === "json" ? JSON.stringify(run) : showRun(run)),
    failed: ({ status }) => status !== "ok",
  });
}
