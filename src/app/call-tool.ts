import type { Actor } from "../actor.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import type { CallToolAnswer } from "../operations/discovery/discovery.ts";
import { runOperation } from "../operations/operation.ts";
import { operationNamed } from "./services-of.ts";

/** Calls one tool for a program that embeds us: the value of its result, and all that the server sent. */
export function callTool(
  coordinator: object,
  { server, tool, args }: { readonly server: string; readonly tool: string; readonly args: Record<string, unknown> },
  actor: Partial<Actor> = {},
): Promise<CallToolAnswer> {
  const input = { server_name: server, tool_name: tool, arguments: args };
  return runOperation(operationNamed(coordinator, "call_tool"), plain(input), actor);
}

/** A program may give dates and the like: they are taken as what JSON makes of them. */
export function plain(args: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(args ?? {}, keepNumbers));
  } catch (thrown) {
    throw new CoordinatorError("input_invalid", `The arguments cannot be sent: ${messageOf(thrown)}`);
  }
}

/** JSON.stringify would make null of a number that JSON cannot carry. */
function keepNumbers(_key: string, value: unknown): unknown {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new TypeError(`${value} is beyond what a number in JSON can be here`);
}
