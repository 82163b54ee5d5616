import { CoordinatorError } from "../../errors.ts";
import type { Language } from "../../sandbox/engine.ts";
import type { Artifacts } from "./artifacts.ts";
import { attachmentsOf } from "./attachments.ts";
import { cutText, cutValue } from "./cut.ts";
import type { RunResult, Truncation } from "./run-result.ts";

/** What a guest left behind, whole. */
export interface RawOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Absent when the last expression had no value. */
  readonly result?: unknown;
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
  const { value, attached } = await attachmentsOf(whole.result, (name, data) => artifacts.keep(run, name, data));
  const raw = attached.length > 0 ? { ...whole, result: value } : whole;
  const saved = (await artifacts.list({ run, limit: mostListed })).map(({ uri }) => uri);
  const truncated: Truncation[] = [];
  const least = Math.floor(maxTokens * leastShare);
  let left = maxTokens;
  const spend = (wanted: number): number => Math.max(least, Math.min(wanted, left));

  const stdout = cutText(raw.stdout, spend(Math.floor(maxTokens * (raw.result === undefined ? 1 : 0.6))));
  left -= stdout.tokens;
  const stderr = cutText(raw.stderr, spend(Math.floor(maxTokens * 0.25)));
  left -= stderr.tokens;
  const result = raw.result === undefined ? undefined : cutValue(raw.result, spend(left));

  const keep = async (of: Truncation["of"], kept: typeof stdout.kept | undefined, name: string, text: () => string) => {
    if (kept) truncated.push({ of, ...kept, ...(await keptWhole(artifacts, run, name, text())) });
  };
  await keep("result", result?.kept, "result.json", () => JSON.stringify(raw.result));
  await keep("stdout", stdout.kept, "stdout.txt", () => raw.stdout);
  await keep("stderr", stderr.kept, "stderr.txt", () => raw.stderr);
  const all = [...saved, ...truncated.flatMap(({ artifact }) => artifact ?? [])];
  if (all.length > 0) await explainFolder(source, raw, artifacts);
  return {
    ...(result && { result: result.shown }),
    ...(raw.stdout !== "" && { stdout: stdout.shown }),
    ...(raw.stderr !== "" && { stderr: stderr.shown }),
    ...(all.length > 0 && { artifacts: all }),
    ...(attached.length > 0 && { attached }),
    ...(truncated.length > 0 && { truncated }),
  };
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

async function explainFolder(
  { run, language, source }: RunSource,
  raw: RawOutput,
  artifacts: Artifacts,
): Promise<void> {
  const result = raw.result === undefined ? "" : `[result]\n${JSON.stringify(raw.result)}\n`;
  const stderr = raw.stderr === "" ? "" : `[stderr]\n${raw.stderr}\n`;
  await keptWhole(artifacts, run, language === "python" ? "code.py" : "code.ts", source);
  await keptWhole(
    artifacts,
    run,
    "output.txt",
    `${raw.stdout}${/[^\n]$/.test(raw.stdout) ? "\n" : ""}${stderr}${result}`,
  );
}
