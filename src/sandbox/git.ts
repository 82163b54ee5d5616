import { spawn } from "node:child_process";
import { CoordinatorError } from "../errors.ts";
import { signalGroup } from "../upstream/process-group.ts";
import { guardProcessGroup } from "../upstream/reaper.ts";

interface GitOutput {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

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
const mostOutput = 16 * 1024 * 1024;
const mostWords = 8192;

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
  return (args, { input = "", settings = [], environment = {}, asUser = false } = {}) => {
    if (program === undefined) throw gitMissing();
    const words = ["--no-pager", `--git-dir=${folder}/.git`, `--work-tree=${folder}`, ...nothingRuns, ...args];
    const own = asUser ? { HOME: home } : { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
    const env = { LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...own, ...environment, ...settingsInEnvironment(settings) };
    return runGit(program, words, { cwd: folder, env, input, longestMs });
  };
}

function settingsInEnvironment(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(settings.length) };
}

function runGit(
  program: string,
  words: readonly string[],
  { cwd, env, input, longestMs }: { cwd: string; env: Record<string, string>; input: string; longestMs: number },
): Promise<GitOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    const { pid } = child;
    if (pid !== undefined) child.once("exit", guardProcessGroup(pid));
    let isEnding = false;
    const end = () => {
      if (pid === undefined || isEnding) return;
      isEnding = true;
      signalGroup(pid, "SIGTERM");
      clearTimeout(timer);
      timer = setTimeout(() => signalGroup(pid, "SIGKILL"), politeMs);
    };
    let timer = setTimeout(end, longestMs);
    const stdout: Buffer[] = [];
    let bytes = 0;
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostOutput) end();
      else stdout.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-mostWords);
    });
    child.once("error", (cause) => {
      clearTimeout(timer);
      reject(gitMissing(cause));
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: stderr.trim() });
    });
    child.stdin.on("error", () => {}); // it ended before it had read all
    child.stdin.end(input);
  });
}

function gitMissing(cause?: unknown): CoordinatorError {
  return new CoordinatorError("commit_failed", "Cannot record the workspace: git was not found on the PATH", {
    hint: "Install git. The files are in the workspace as they are.",
    cause,
  });
}
