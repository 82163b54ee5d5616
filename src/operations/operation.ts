import * as z from "zod";
import { type Actor, local } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";
import type { Toolset } from "../config/schema.ts";
import { CoordinatorError } from "../errors.ts";
import type { HeavyOptions } from "../runtime/heavy-work.ts";
import type { Attachment } from "../runtime/results/attachments.ts";
import type { Language } from "../sandbox/engine.ts";
import { JsonPieces, JsonText } from "../sandbox/json-pieces.ts";
import { nearest } from "../system/nearest.ts";
import { watched } from "../system/watched.ts";

/** Who asks for an operation. */
export interface OperationContext extends Actor {
  /** Set inside a run: counts what is about to be written towards what it may store, and throws when that is too much. */
  readonly willStore?: ((bytes: number) => void) | undefined;
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
  readonly readOnly: boolean;
  /** True: its output may be large; a run has one such at a time. */
  readonly heavy?: true;
  /** What clients may tell their users before it is called, where it is not what the protocol takes for granted. */
  readonly hints?: {
    /** False: what it changes can be had back, or it only adds. */
    readonly destructive?: false;
    /** True: doing it again with the same arguments changes nothing more. */
    readonly idempotent?: true;
    /** False: it reaches nothing but data of ours on this machine. */
    readonly openWorld?: false;
  };
  readonly input: z.ZodType<Input>;
  /** What guests get, for their types; any when absent. */
  readonly output?: z.ZodType;
  run(input: Input, context: OperationContext): Promise<Output>;
  /** The output as a model reads it. */
  show(output: Output): string;
  /** The output as data for a program; the output itself when absent. */
  structure?(output: Output): unknown;
  /** The output as guests get it; the output itself when absent. */
  guestValue?(output: Output): unknown;
  /** The output as content items of the protocol, with nothing certain in them; when absent, or empty, it is shown as text. */
  content?(output: Output): readonly unknown[];
  /** What the output says about itself in the protocol's `_meta`. */
  meta?(output: Output): Readonly<Record<string, unknown>> | undefined;
  /** The addresses of artifacts that the output leaves; AI clients get them as links, and small images as such. */
  artifacts?(output: Output): readonly string[];
  /** What of the output a log should have: that something was cut. */
  notices?(output: Output): readonly string[];
  /** Images, audio and resources in the output; AI clients get them as content. */
  attached?(output: Output): readonly Attachment[];
  /** Whether the output tells of a failure. */
  failed?(output: Output): boolean;
}

/** An operation among others: what it takes is checked by its own schema, not by the compiler. */
// biome-ignore lint/suspicious/noExplicitAny: no other type holds operations of different arguments
export type AnyOperation = Operation<any, any>;

/** Gives an operation the types of its own schemas. */
export function defineOperation<Input, Output>(operation: Operation<Input, Output>): Operation<Input, Output> {
  return operation;
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
  const parsed = operation.input.safeParse(args ?? {});
  if (parsed.success) return operation.run(parsed.data, context);
  const problems = parsed.error.issues.slice(0, mostProblems).map((issue) => inputProblem(operation, issue));
  throw new CoordinatorError("input_invalid", `Cannot run ${operation.name}: ${problems.join("; ")}`);
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
export function inputSchema(operation: { readonly input: z.ZodType }): Record<string, unknown> & { type: "object" } {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(operation.input, { io: "input" });
  return schema as Record<string, unknown> & { type: "object" };
}

function inputProblem(operation: { readonly input: z.ZodType }, issue: z.core.$ZodIssue): string {
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
  return `${issue.path.join(".") || "the arguments"}: ${issue.message}`;
}
