import type { GuestError, LimitName, Limits, Outcome } from "../../sandbox/engine.ts";
import type { Prepared } from "../prepare-guest.ts";
import type { RunError, RunStatus } from "./run-result.ts";

type Program = Pick<Prepared, "compiled" | "linked">;
type Failure = Exclude<Outcome, { end: "ok" }>;

/** A failed outcome as the caller reads it: what happened, in the guest's lines, and which setting decides. */
export function explainOutcome(
  outcome: Failure,
  program: Program,
  limits: Limits,
  timeoutSeconds: number,
): { status: RunStatus; error: RunError } {
  switch (outcome.end) {
    case "error":
      return { status: "error", error: guestError(outcome.error, program) };
    case "timeout":
      return {
        status: "timeout",
        error: {
          message: `The run took longer than ${timeoutSeconds} ${timeoutSeconds === 1 ? "second" : "seconds"} and was ended`,
          setting: "coordinator.sandbox.limits.timeoutSeconds",
          hint: "Do less in one run, make calls in parallel, or pass a larger timeout (in seconds).",
        },
      };
    case "limit":
      return { status: "limit", error: limitError(outcome.limit, limits) };
    case "cancelled":
      return { status: "cancelled", error: { message: "The run was cancelled" } };
    case "crashed":
      return { status: "error", error: { message: outcome.reason, code: "sandbox_failed" } };
  }
}

function limitError(limit: LimitName, limits: Limits): RunError {
  const setting = (name: keyof Limits) => `coordinator.sandbox.limits.${name}`;
  const errors: Record<LimitName, Omit<RunError, "limit">> = {
    memory: {
      message: `The guest needed more than ${limits.memoryMb} MB of memory`,
      setting: setting("memoryMb"),
      hint: "Hold less at a time: ask tools for less, and go through large artifacts by artifacts.lines.",
    },
    cpu: {
      message: `The guest used more than ${limits.cpuSeconds} seconds of CPU time`,
      setting: setting("cpuSeconds"),
      hint: "Compute less in one run, or split the work over several runs.",
    },
    processes: {
      message: `The guest needed more than ${limits.processes} processes and threads`,
      setting: setting("processes"),
      hint: "Use fewer threads at a time.",
    },
    open_files: {
      message: `The guest opened more than ${limits.openFiles} files`,
      setting: setting("openFiles"),
      hint: "Close files when done with them.",
    },
    scratch: {
      message: `The guest wrote more than ${limits.scratchMb} MB of files`,
      setting: setting("scratchMb"),
      hint: "Keep data in memory, or remove files that are no longer needed.",
    },
    tool_calls: {
      message: `The guest made more than ${limits.toolCalls} tool calls`,
      setting: setting("toolCalls"),
      hint: "Use a tool that takes many items at once, or split the work over several runs.",
    },
    frame: {
      message: "The guest sent a value of more than 16 MB, nested deeper than 512 levels or of more than 500,000 parts",
      hint: "Keep it by artifacts.save as text, and return a summary.",
    },
  };
  return { limit, ...errors[limit] };
}

/** What a guest threw, with the lines that its author wrote. */
export function guestError(error: GuestError, program: Program): RunError {
  const { stack, ...rest } = error;
  // An engine that runs the guest's own text knows its lines; otherwise they are read from the stack.
  if (stack === undefined || !program.compiled.lineOf) return error;
  return { ...rest, ...mapStack(stack, program) };
}

/** Keeps the frames of the guest's own code and of its modules, with the lines that their authors wrote. */
function mapStack(stack: string, { compiled, linked }: Program): { line?: number; stack?: string } {
  const place = /(?:guest|module-(\d+))\.ts(?:, <anonymous>)?:(\d+):(\d+)/;
  const frames = stack.split("\n").flatMap((text) => {
    const [, index, line, column] = place.exec(text) ?? [];
    const module = index === undefined ? undefined : linked.modules[Number(index)];
    const code = index === undefined ? compiled : module?.compiled;
    const own = line && code?.lineOf?.(Number(line), Number(column));
    if (!own) return [];
    const inside = /^\s*at (?:async )?([\w$.<>]+) \(/.exec(text)?.[1];
    const where = inside && inside !== "eval" ? ` in ${inside}` : "";
    return [{ line: own, module, text: `${module ? `${module.id}:${own}` : `line ${own}`}${where}` }];
  });
  const guest = frames.find(({ module }) => !module);
  const isWorthIt = frames.length > 1 || frames[0]?.module;
  return {
    ...(guest && { line: guest.line }),
    ...(isWorthIt && { stack: frames.map(({ text }) => text).join("\n") }),
  };
}
