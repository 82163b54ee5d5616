import { plainText } from "../../catalog/plain-text.ts";
import type { LimitName } from "../../sandbox/engine.ts";
import { listed, type MissingPackage, type Problem } from "../checks/problem.ts";
import { type Attachment, showAttachment } from "./attachments.ts";
import { isText, mediaTypeOf } from "./media-type.ts";

export const runStatuses = [
  "ok",
  "error",
  "check_failed",
  "timeout",
  "limit",
  "denied",
  "needs_approval",
  "cancelled",
] as const;

export type RunStatus = (typeof runStatuses)[number];

/** Why a run did not end well. */
export interface RunError {
  readonly message: string;
  /** The class of what was thrown, or one of our codes. */
  readonly name?: string;
  readonly code?: string;
  readonly hint?: string;
  /** The guest's line. */
  readonly line?: number;
  readonly stack?: string;
  readonly problems?: readonly Problem[];
  /** With the code missing_package: the modules that are not there, and what brings them. */
  readonly packages?: readonly MissingPackage[];
  readonly limit?: LimitName;
  readonly setting?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly delivery?: "not_sent" | "failed" | "unknown";
}

/** An error whose texts, often those of guests and servers, are safe to show to a person, a terminal or a model. */
export function plainError(error: RunError): RunError {
  const plain = (text: string) => plainText(text, Number.POSITIVE_INFINITY);
  const texts = (["message", "name", "hint", "stack"] as const).flatMap((key) =>
    typeof error[key] === "string" ? [[key, plain(error[key])]] : [],
  );
  const problems = error.problems?.map((problem) => ({ ...problem, message: plain(problem.message) }));
  return { ...error, ...Object.fromEntries(texts), ...(problems && { problems }) };
}

/** Everything that a run leaves for its caller. */
export interface RunResult {
  readonly status: RunStatus;
  readonly result?: unknown;
  /** The result as a model reads it, where that is not its JSON. */
  readonly resultText?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly error?: RunError;
  /** The name to go on with its session, where that is not the one it was given. */
  readonly session?: string;
  readonly run: string;
  /** `suspect` are those that did not fail, and whose value was nothing but an error. */
  readonly calls: { readonly total: number; readonly failed: number; readonly suspect?: number };
  /** What its caller should know before going on, each once. */
  readonly notices?: readonly string[];
  /** Addresses of the files that it saved, and of output that was cut. */
  readonly artifacts?: readonly string[];
  /** Images, audio and resources in the result, in their order; each stands there without its bytes. */
  readonly attached?: readonly Attachment[];
  /** Packages that were installed because the code lacked them. */
  readonly installed?: readonly string[];
  /** Tools whose results were unlike those before, and how; without values. */
  readonly drift?: readonly string[];
  /** What was cut, how much of it is shown, and where the whole is. */
  readonly truncated?: readonly Truncation[];
}

export interface Truncation {
  readonly of: "result" | "stdout" | "stderr";
  readonly shown: number;
  readonly total: number;
  readonly unit: "characters" | "items" | "keys";
  /** Where the whole is, but for what was dropped; absent when there was no room for it. */
  readonly artifact?: string;
  /** How much of its end is not there either, and the setting that decided. */
  readonly dropped?: {
    readonly count: number;
    readonly unit: "bytes" | Truncation["unit"];
    readonly setting: string;
  };
}

/** A run as a model reads it: what was printed, the value, and what went wrong, each only if it is there. */
export function showRun(run: RunResult): string {
  const parts = [
    trimEnd(run.stdout),
    run.stderr ? `[stderr]\n${trimEnd(run.stderr)}` : "",
    run.result === undefined ? "" : showResult(run),
    run.error ? showError(run) : "",
    run.session === undefined ? "" : `[a new session: pass session: ${JSON.stringify(run.session)} to continue in it]`,
    showSaved(run),
    run.installed ? `[installed for this run: ${run.installed.join(", ")}]` : "",
    showDrift(run),
    ...(run.notices ?? []).map((notice) => `[${notice}]`),
    ...(run.truncated ?? []).map(showTruncation),
  ].filter((part) => part !== "" && part !== undefined);
  return parts.join("\n") || "(no output; the last expression had no value)";
}

/** What a log should have of a run: that it was ended from outside, or its output cut. */
export function noticesOf({ run, status, error, truncated = [] }: RunResult): readonly string[] {
  const ended = status === "timeout" || status === "limit" ? [`${status}: ${error?.message}`] : [];
  return [...ended, ...truncated.map(showTruncation)].map((notice) => `run ${run}: ${notice}`);
}

/** A run as data for a program: what is attached stands in the result. */
export function dataOf<Run extends RunResult>(run: Run): Omit<Run, "attached" | "resultText"> {
  const { attached: _attached, resultText: _resultText, ...data } = run;
  return data;
}

function showResult({ result, resultText, attached = [] }: RunResult): string {
  if (resultText !== undefined) return resultText;
  if (typeof result === "string") return result;
  const texts = new Map<unknown, string>(attached.map((one, index) => [one, showAttachment(one, index + 1)]));
  return texts.get(result) ?? JSON.stringify(result, (_key, part: unknown) => texts.get(part) ?? part);
}

function trimEnd(text: string | undefined): string {
  return text?.replace(/\n$/, "") ?? "";
}

function showError({ status, error, calls }: RunResult): string {
  const place = placeOf(error);
  const name = error?.name && error.name !== "Error" ? `${error.name}: ` : "";
  const delivery = error?.delivery ? ` [${error.server}.${error.tool}, delivery: ${error.delivery}]` : "";
  const hint = error?.hint ? `\n${error.hint}` : "";
  // What waits has been called too: the message says what is done.
  const made = status === "needs_approval" ? "" : showCalls(calls);
  return `${status}: ${name}${error?.message ?? "the run failed"}${place}${delivery}${hint}${made}`;
}

/** What a run that failed had done by then. */
function showCalls({ total, failed }: RunResult["calls"]): string {
  if (total === 0) return "";
  const made = `\n${total} tool ${total === 1 ? "call was" : "calls were"} made`;
  if (failed === 0) return `${made} before that.`;
  return total === 1 ? `${made}, and it failed.` : `${made}, ${failed} of them failed.`;
}

/** The guest's line; before it the place in a module, when it happened there. */
function placeOf({ line, stack }: Pick<RunError, "line" | "stack"> = {}): string {
  const [innermost = "line "] = stack?.split("\n") ?? [];
  const places = [
    ...(innermost.startsWith("line ") ? [] : [innermost]),
    ...(line === undefined ? [] : [`line ${line}`]),
  ];
  return places.length === 0 ? "" : ` (${places.join(", from ")})`;
}

/** The files that the guest saved: without output that was cut. */
export function savedBy({ artifacts = [], truncated = [] }: RunResult): readonly string[] {
  return artifacts.filter((uri) => !truncated.some(({ artifact }) => artifact === uri));
}

/** The files with the function that opens them, those of one kind together. */
function showSaved(run: RunResult): string {
  const saved = savedBy(run);
  const readers = [...new Set(saved.map(readerOf))];
  const lines = readers.map((reader) => {
    const uris = saved.filter((uri) => readerOf(uri) === reader);
    return `[saved: ${listed(uris, mostShown)}; ${reader}(uri) from "coordinator" opens ${uris.length === 1 ? "it" : "them"}]`;
  });
  return lines.join("\n");
}

function readerOf(uri: string): string {
  const mediaType = mediaTypeOf(uri);
  if (mediaType === "application/json") return "artifacts.json";
  return isText(mediaType) ? "artifacts.read" : "artifacts.read_bytes";
}

const mostShown = 20;
const mostDrifts = 3;

function showDrift({ drift = [] }: RunResult): string {
  if (drift.length === 0) return "";
  const more = drift.length > mostDrifts ? `\nand ${drift.length - mostDrifts} more tools` : "";
  return `[results unlike earlier ones: ${drift.slice(0, mostDrifts).join("\n")}${more}]`;
}

function showTruncation({ of, shown, total, unit, artifact, dropped }: Truncation): string {
  const cut = `${of} cut: ${shown} of ${total} ${unit} shown`;
  if (artifact === undefined) return `[${cut}; there was no room to keep the whole (coordinator.artifacts.maxMb)]`;
  const reader =
    of === "result"
      ? "artifacts.json(uri)"
      : "artifacts.lines(uri, { from, limit }), in Python lines(uri, from_=1, limit=100),";
  const read = `read it with ${reader} or artifacts.read(uri) from "coordinator"`;
  if (!dropped) return `[${cut}; whole in ${artifact}, ${read}]`;
  const end = `the last ${dropped.count} ${dropped.unit}`;
  return `[${cut}; all but ${end} in ${artifact}, ${read}; ${end} were dropped (${dropped.setting})]`;
}
