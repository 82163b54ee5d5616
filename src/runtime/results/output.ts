import { CoordinatorError } from "../../errors.ts";
import type { Language, ResultParts } from "../../sandbox/engine.ts";
import type { Artifacts } from "./artifacts.ts";
import { attachmentsOf } from "./attachments.ts";
import { type Cut, cutText, cutValue, worthShowing } from "./cut.ts";
import type { Printed } from "./printout.ts";
import type { RunResult, Truncation } from "./run-result.ts";

/** What a guest left behind. */
export interface RawOutput {
  readonly stdout: Printed;
  readonly stderr: Printed;
  /** Absent when the last expression had no value. */
  readonly result?: RawResult;
}

interface RawResult {
  readonly value: unknown;
  /** When the value is only the start of what is in the file. */
  readonly parts?: ResultParts | undefined;
  readonly file: Printed;
}

/** The run that the output is of. */
export interface RunSource {
  readonly run: string;
  readonly language: Language;
  readonly source: string;
}

type FittedOutput = Pick<RunResult, "result" | "stdout" | "stderr" | "artifacts" | "attached" | "truncated">;

/** The least that each part may show, however much the others take. */
const leastShare = 0.15;
/** More addresses than these do not help the caller. */
const mostListed = 1000;

/**
 * Fits output into a budget of tokens. What is cut stays whole as an artifact, and the answer says where. Beside what is
 * cut or was saved by the guest, the code and the whole output are kept, so that the folder explains itself.
 */
export async function fitOutput(
  source: RunSource,
  whole: RawOutput,
  maxTokens: number,
  artifacts: Artifacts,
): Promise<FittedOutput> {
  const { run } = source;
  const { value, attached } = await attachmentsOf(whole.result?.value, (name, data) => artifacts.keep(run, name, data));
  const raw = whole.result && attached.length > 0 ? { ...whole, result: { ...whole.result, value } } : whole;
  const written = [whole.stdout, whole.stderr, whole.result?.file].map((printed) => printed?.artifact);
  const listed = (await artifacts.list({ run, limit: mostListed })).map(({ uri }) => uri);
  const saved = listed.filter((uri) => !written.includes(uri));
  const least = Math.floor(maxTokens * leastShare);
  let left = maxTokens;
  const spend = (wanted: number): number => Math.max(least, Math.min(wanted, left));

  const ofStdout = spend(Math.floor(maxTokens * (raw.result === undefined ? 1 : 0.6)));
  const stdout = cutText(raw.stdout, worthShowing(raw.stdout, ofStdout));
  left -= stdout.tokens;
  const ofStderr = spend(Math.floor(maxTokens * 0.25));
  const stderr = cutText(raw.stderr, worthShowing(raw.stderr, ofStderr));
  left -= stderr.tokens;
  const result =
    raw.result && cutResult(raw.result, worthShowing(raw.result, spend(left)), lengthOf(whole.result?.value));

  const keep = (name: string, text: string) => keptWhole(artifacts, run, name, text);
  const truncated = [
    ...(raw.result && result?.kept ? [await resultCut(raw.result, result.kept, keep)] : []),
    ...(await printedCut("stdout", raw.stdout, stdout.kept, keep)),
    ...(await printedCut("stderr", raw.stderr, stderr.kept, keep)),
  ];
  const all = [...saved, ...truncated.flatMap(({ artifact }) => artifact ?? [])];
  if (all.length > 0) await explainFolder(source, raw, { stdout: stdout.shown, stderr: stderr.shown }, keep);
  return {
    ...(result && { result: result.shown }),
    ...(raw.stdout.characters > 0 && { stdout: stdout.shown }),
    ...(raw.stderr.characters > 0 && { stderr: stderr.shown }),
    ...(all.length > 0 && { artifacts: all }),
    ...(attached.length > 0 && { attached }),
    ...(truncated.length > 0 && { truncated }),
  };
}

type Kept = NonNullable<Cut<unknown>["kept"]>;
type Keep = (name: string, text: string) => Promise<{ artifact?: string }>;

/** The start of a long value may fit; it still is only a start. */
function cutResult({ value, parts }: RawResult, budget: number, length: number): Cut<unknown> {
  const cut = cutValue(value, budget);
  if (!parts) return cut;
  const { unit, total } = parts;
  const shown = cut.kept?.shown ?? length;
  return { ...cut, kept: { shown, total, unit } };
}

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : Object.keys(value ?? {}).length;
}

async function resultCut({ value, parts, file }: RawResult, cut: Kept, keep: Keep): Promise<Truncation> {
  if (!parts) return { of: "result", ...cut, ...(await keep("result.json", JSON.stringify(value))) };
  const { total, kept, unit } = parts;
  const dropped = { count: total - kept, unit, setting: "coordinator.sandbox.limits.outputBytes" };
  const artifact = file.artifact !== undefined && { artifact: file.artifact, ...(kept < total && { dropped }) };
  return { of: "result", ...cut, ...artifact };
}

async function printedCut(
  of: "stdout" | "stderr",
  printed: Printed,
  cut: Kept | undefined,
  keep: Keep,
): Promise<Truncation[]> {
  if (!cut) return [];
  const { head, artifact, dropped } = printed;
  const isHeld = head.length === printed.characters && artifact === undefined;
  if (isHeld) return [{ of, ...cut, ...(await keep(`${of}.txt`, head)) }];
  const lost = dropped && { dropped: { count: dropped.bytes, unit: "bytes" as const, setting: dropped.setting } };
  return [{ of, ...cut, ...(artifact !== undefined && { artifact, ...lost }) }];
}

/** The run is over and has its answer, whether or not there is room for the rest. */
async function keptWhole(
  artifacts: Artifacts,
  run: string,
  name: string,
  text: string,
): Promise<{ artifact?: string }> {
  try {
    const { uri } = await artifacts.keep(run, name, text);
    return { artifact: uri };
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) return {};
    throw thrown;
  }
}

/** The code and the output; of long output what was shown, since the rest has a file. */
async function explainFolder(
  { language, source }: RunSource,
  { stdout, stderr, result }: RawOutput,
  shown: { readonly stdout: string; readonly stderr: string },
  keep: Keep,
): Promise<void> {
  const textOf = ({ head, characters }: Printed, cut: string) => (head.length === characters ? head : cut);
  const printed = textOf(stdout, shown.stdout);
  const complaints = stderr.characters === 0 ? "" : `[stderr]\n${textOf(stderr, shown.stderr)}\n`;
  const value = result === undefined ? "" : `[result]\n${JSON.stringify(result.value)}\n`;
  await keep(language === "python" ? "code.py" : "code.ts", source);
  await keep("output.txt", `${printed}${/[^\n]$/.test(printed) ? "\n" : ""}${complaints}${value}`);
}
