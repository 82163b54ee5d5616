import { CoordinatorError } from "../errors.ts";
import { type ProgramEnd, runProgram } from "../system/run-program.ts";

type GitOutput = Pick<ProgramEnd, "code" | "stdout" | "stderr">;

export interface GitOptions {
  /** What git reads from stdin. */
  readonly input?: string;
  /** Settings over all others, for names that an argument could not carry. */
  readonly settings?: readonly (readonly [key: string, value: string])[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Reads the user's own settings too; only for commands that do nothing but read them. */
  readonly asUser?: boolean;
}

/** git on one folder, by argument vector. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<GitOutput>;

const patienceMs = 60_000;
/** Between asking git to end and making it: it takes its locks away first. */
const politeMs = 2000;

/** Whatever a repository's settings or the user's would have git start is off. */
const nothingRuns = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.untrackedCache", "false"],
  ["core.attributesFile", "/dev/null"],
  ["core.editor", "false"],
  ["core.pager", "cat"],
  ["core.sshCommand", "false"],
  ["core.quotePath", "false"],
  ["core.bare", "false"],
  ["commit.gpgSign", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["submodule.recurse", "false"],
  ["safe.bareRepository", "explicit"],
  ["init.defaultBranch", "main"],
].flatMap(([key, value]) => ["-c", `${key}=${value}`]);

/** `home` is where the user's settings are, `longestMs` how long a command may take. Throws commit_failed when there is no git. */
export function createGit(program: string | undefined, folder: string, home: string, longestMs = patienceMs): Git {
  return async (args, { input = "", settings = [], environment = {}, asUser = false } = {}) => {
    if (program === undefined) throw gitMissing();
    const words = ["--no-pager", `--git-dir=${folder}/.git`, `--work-tree=${folder}`, ...nothingRuns, ...args];
    const own = asUser ? { HOME: home } : { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
    const env = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...own, ...environment, ...settingsInEnvironment(settings) };
    const end = await runProgram(program, words, { cwd: folder, env, input, timeoutMs: longestMs, politeMs });
    if (end.startError) throw gitMissing(end.startError);
    return end;
  };
}

function settingsInEnvironment(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(settings.length) };
}

function gitMissing(cause?: unknown): CoordinatorError {
  return new CoordinatorError("commit_failed", "Cannot record the workspace: git was not found on the PATH", {
    hint: "Install git. The files are in the workspace as they are.",
    cause,
  });
}
