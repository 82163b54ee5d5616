import { million } from "./row.ts";
import type { Language } from "./stage.ts";

/** What a guest was told of one of its calls. */
export interface Told {
  readonly name?: string;
  readonly code?: string;
  readonly delivery?: string;
  readonly message?: string;
}

/** A program that makes each of these calls, whatever came of those before, and gives what it was told. */
export function callsEach(language: Language, calls: readonly (readonly [tool: string, args: string])[]): string {
  const list = JSON.stringify(JSON.stringify(calls));
  if (language === "typescript") {
    return `import { call } from "mcp_tools";
const told: object[] = [];
for (const [tool, args] of JSON.parse(${list}) as [string, string][]) {
  try {
    await call("counting", tool, JSON.parse(args.replace("${million}", "a".repeat(1_000_000))));
    told.push({});
  } catch (error) {
    const { name, code, delivery, message } = error as Error & { code?: string; delivery?: string };
    told.push({ name, code, delivery, message });
  }
}
told`;
  }
  return `import json
from mcp_tools import call, ToolError
told = []
for tool, args in json.loads(${list}):
    try:
        call("counting", tool, json.loads(args.replace("${million}", "a" * 1_000_000)))
        told.append({})
    except TypeError as error:
        told.append({"name": "TypeError", "message": str(error)})
    except ToolError as error:
        told.append({"name": "ToolError", "code": error.code, "delivery": error.delivery, "message": str(error)})
told`;
}
