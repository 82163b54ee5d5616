import * as z from "zod";
import { type Actor, local } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";
import type { Toolset } from "../config/toolsets.ts";
import { CoordinatorError } from "../errors.ts";
import type { HeavyOptions } from "../runtime/heavy-work.ts";
import type { Attachment } from "../runtime/results/attachments.ts";
import type { Language } from "../sandbox/engine.ts";
import { JsonPieces, JsonText } from "../sandbox/json-pieces.ts";
import { nearest } from "../system/nearest.ts";
import { watched } from "../system/watched-work.ts";

/** Who asks for an operation. */
export interface OperationContext extends Actor {
  /** Set inside a run: counts what is about to be written towards what it may store, and throws when that is too much. */
  readonly willStore?: ((bytes: number) => void) | undefined;
  /** What its caller knows it by, and how it is called; its own name when absent. */
  readonly calledAs?: { readonly name: string; usage(): string | undefined } | undefined;
}

/**
 * One thing that the coordinator does, defined once and projected onto an MCP tool, a guest function, a command and a
 * library method. No face has logic of its own.
 */
export interface Operation<Input, Output> {
  readonly name: string;
  readonly description: string;
  /** The group of MCP tools in which AI clients see it; absent for what they do not see. */
  readonly toolset?: Toolset;
  /** The name under which guests import it from `coordinator`; a dot makes a group. Absent for what they cannot do. */
  readonly guest?: string;
  /** The arguments that guests give by position, in this order; the others follow by name. */
  readonly positional?: readonly (keyof Input & string)[];
  /** What a call of it may give, shown to guests that called it otherwise; nothing when absent. */
  readonly example?: Partial<Input>;
  /** True: it changes nothing. */
  readonly readOnly?: true;
  /** True: by it something stays on the disk; what a guest gives it, or what it writes where that is more, is counted. */
  readonly stores?: true;
  /** True: its output may be large; a run has one such at a time. */
  readonly heavy?: true;
  /** What clients may tell their users before it is called, where it is not what the protocol takes for granted; in its words. */
  readonly hints?: {
    /** False: what it changes can be had back, or it only adds. */
    readonly destructiveHint?: false;
    /** True: doing it again with the same arguments changes nothing more. */
    readonly idempotentHint?: true;
    /** False: it reaches nothing but our data on this machine. */
    readonly openWorldHint?: false;
  };
  /** What it takes; made when the first face needs it, because a start has no time for schemas. */
  readonly input: () => z.ZodType<Input>;
  /** What guests get, for their types; any when absent. */
  readonly output?: () => z.ZodType;
  run(input: Input, context: OperationContext): Promise<Output>;
  /** What there is to tell of the output beyond the output itself. */
  present?(output: Output): Partial<Presented>;
}

/** What came of an operation, as its faces give it to the caller. */
export interface Presented {
  /** For programs, guests and the structured content of answers; the output itself unless it is presented otherwise. */
  readonly data: unknown;
  /** For models and people; when absent the data is their text. */
  readonly text?: string;
  /** Content items of the protocol, with nothing certain in them; where there are some, AI clients get them for the text. */
  readonly content?: readonly unknown[];
  /** What goes into the protocol's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** The addresses of artifacts that it leaves; AI clients get them as links, and small images as such. */
  readonly artifacts?: readonly string[] | undefined;
  /** Images, audio and resources in the data; AI clients get them as content. */
  readonly attached?: readonly Attachment[] | undefined;
  /** What a log should have of it: that something was cut. */
  readonly notices?: readonly string[];
  /** Whether it tells of a failure. */
  readonly failed?: boolean;
}

/** An operation among others: what it takes is checked by its own schema, not by the compiler. */
// biome-ignore lint/suspicious/noExplicitAny: no other type holds operations of different arguments
export type AnyOperation = Operation<any, any>;

/** Gives an operation the types of its own schemas, each of which is made once. */
export function defineOperation<Input, Output>(operation: Operation<Input, Output>): Operation<Input, Output> {
  let input: z.ZodType<Input> | undefined;
  return {
    ...operation,
    input() {
      input ??= operation.input();
      return input;
    },
  };
}

/** Runs an operation and presents what came of it: all that a face of it does. */
export async function perform(
  operation: AnyOperation,
  args: unknown,
  context: Partial<OperationContext> = {},
): Promise<Presented> {
  const output: unknown = await runOperation(operation, args, context);
  return { data: output, ...operation.present?.(output) };
}

export function textOf({ text, data }: Presented): string {
  return text ?? (typeof data === "string" ? data : JSON.stringify(data));
}

/** Arguments can be wrong in a hundred thousand places; the first few say enough. */
const mostProblems = 10;

/** Checks the arguments and runs; throws input_invalid with the problems in it. */
export function runOperation<Input, Output>(
  operation: Operation<Input, Output>,
  args: unknown,
  context: Partial<OperationContext> = {},
): Promise<Output> {
  return watched(operation.name, () => checkAndRun(operation, args, { ...local, ...context }));
}

async function checkAndRun<Input, Output>(
  operation: Operation<Input, Output>,
  args: unknown,
  context: OperationContext,
): Promise<Output> {
  const parsed = operation.input().safeParse(args ?? {});
  if (parsed.success) return operation.run(parsed.data, context);
  const problems = parsed.error.issues.slice(0, mostProblems).map((issue) => inputProblem(operation, issue));
  const { calledAs } = context;
  const message = `Cannot run ${calledAs?.name ?? operation.name}: ${problems.join("; ")}`;
  throw new CoordinatorError("input_invalid", message, { hint: calledAs?.usage() });
}

/** Whose work it is, for work that goes in turns. */
export function turnOf({ run, caller, signal }: OperationContext): HeavyOptions {
  return { turn: run?.id ?? caller?.id ?? "", signal };
}

/** The language of the guest that asks; undefined where none does. */
export function guestLanguage({ run }: OperationContext): Language | undefined {
  return run && run.language !== "none" ? run.language : undefined;
}

/** JSON text as the output of an operation: to a guest it goes as it is, others get the value. */
export function jsonAnswer(json: Uint8Array | string, { run }: OperationContext): unknown {
  if (run === undefined) return JSON.parse(typeof json === "string" ? json : new TextDecoder().decode(json));
  return typeof json === "string" ? new JsonText(json) : new JsonPieces(json.length, [json]);
}

/** The JSON Schema of an operation's arguments, as MCP clients and generated types need it. */
export function inputSchema(operation: Pick<AnyOperation, "input">): Record<string, unknown> & { type: "object" } {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(operation.input(), { io: "input" });
  return schema as Record<string, unknown> & { type: "object" };
}

function inputProblem(operation: Pick<AnyOperation, "input">, issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys((inputSchema(operation)["properties"] ?? {}) as object);
    return issue.keys
      .slice(0, mostProblems)
      .map((key) => {
        const close = nearest(key, known);
        return `unknown argument ${JSON.stringify(plainLine(key, 200))}${close ? `, did you mean "${close}"?` : `; known: ${known.join(", ")}`}`;
      })
      .join("; ");
  }
  const where = issue.path.join(".");
  if (where === "") return `the arguments: ${issue.message}`;
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined"))
    return `"${where}" is missing (${issue.expected})`;
  if (issue.code === "invalid_value")
    return `"${where}" must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
  return `${where}: ${issue.message.replace(/^Invalid input: /, "")}`;
}
