import { lstatSync } from "node:fs";
import { join } from "node:path";
import { CoordinatorError } from "../errors.ts";
import { temporaryGlob } from "./file-name.ts";
import type { Git, GitOptions } from "./git.ts";
import type { Workspace } from "./workspace.ts";

export interface Commit {
  /** Absent when there was nothing to record. */
  readonly commit?: string;
  readonly files: readonly { readonly path: string; readonly change: "added" | "changed" | "removed" }[];
}

const unfinishedFiles = `:(exclude,glob)**/${temporaryGlob}`;
const changes: Readonly<Record<string, "added" | "removed" | undefined>> = { A: "added", D: "removed" };

/**
 * Records the folder as it is in its git repository, but for what is closed: that stays as it was recorded last. Plumbing
 * alone is used and all that git could start is off: no hook, filter, signature, editor or clean-up runs, whatever the
 * repository or a guest's .gitattributes says.
 */
export async function commitFolder(
  git: Git,
  { root, findClosed }: Pick<Workspace, "root" | "findClosed">,
  { message, init = false }: { readonly message: string; readonly init?: boolean | undefined },
): Promise<Commit> {
  const run = async (args: readonly string[], options: GitOptions = {}): Promise<string> => {
    const { code, stdout, stderr } = await git(args, options);
    if (code === 0) return stdout;
    const [, lock] = /'([^']+\.lock)': File exists/.exec(stderr) ?? [];
    if (lock !== undefined) throw locked(lock);
    const ended = code === null ? "git was ended: it took too long, or said too much" : `git says: ${stderr}`;
    throw failed(`Cannot record the workspace (git ${args[0]}): ${ended}`);
  };
  const find = async (args: readonly string[], options?: GitOptions): Promise<string | undefined> => {
    const { code, stdout } = await git(args, options);
    return code === 0 && stdout.trim() !== "" ? stdout.trim() : undefined;
  };

  if (!lstatSync(join(root, ".git"), { throwIfNoEntry: false })) {
    if (!init) throw notARepository(root);
    await run(["init", "--quiet", "--template="]);
  }
  if (await find(["rev-parse", "--quiet", "--verify", "MERGE_HEAD"])) {
    throw failed("Cannot record the workspace: a merge is under way in it", "End the merge with git first.");
  }
  const paths = await run(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  const settings = await filtersOff(paths, git, run);
  const closed = await findClosed(paths.split("\0").filter(Boolean));
  const wanted = [".", unfinishedFiles, ...closed.map((path) => `:(exclude,literal)${path}`)].join("\0");
  await run(["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"], { settings, input: wanted });
  const tree = (await run(["write-tree"])).trim();
  const parent = await find(["rev-parse", "--quiet", "--verify", "HEAD^{commit}"]);
  const before = parent && (await find(["rev-parse", "--verify", `${parent}^{tree}`]));
  if (tree === before) return { files: [] };
  const parents = parent === undefined ? [] : ["-p", parent];
  const environment = await author(find);
  const commit = (
    await run(["commit-tree", "--no-gpg-sign", tree, ...parents], { input: `${message}\n`, environment })
  ).trim();
  const firstLine = message.split("\n", 1)[0] ?? "";
  await run(["update-ref", "-m", `commit: ${firstLine}`, "HEAD", commit, parent ?? ""], { environment });
  const changed = await run([
    "diff-tree",
    "-r",
    "-z",
    "--root",
    "--no-commit-id",
    "--name-status",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    commit,
  ]);
  return { commit, files: readChanges(changed) };
}

/** Who git says the user is, else us. */
async function author(find: (args: readonly string[], options: GitOptions) => Promise<string | undefined>) {
  const name = await find(["config", "--get", "user.name"], { asUser: true });
  const email = await find(["config", "--get", "user.email"], { asUser: true });
  const GIT_AUTHOR_NAME = name ?? "mcp-coordinator";
  const GIT_AUTHOR_EMAIL = email ?? "mcp-coordinator@localhost";
  return {
    GIT_AUTHOR_NAME,
    GIT_AUTHOR_EMAIL,
    GIT_COMMITTER_NAME: GIT_AUTHOR_NAME,
    GIT_COMMITTER_EMAIL: GIT_AUTHOR_EMAIL,
  };
}

/**
 * Filters are programs that turn files into what is recorded. None is run; and a file that needs one is not recorded
 * without it, because that would not be what the repository means.
 */
async function filtersOff(
  paths: string,
  git: Git,
  run: (args: readonly string[], options?: GitOptions) => Promise<string>,
) {
  const listed = await git(["config", "--null", "--name-only", "--get-regexp", "^filter\\."], { asUser: true });
  const keys = listed.stdout.split("\0").filter(Boolean);
  const drivers = new Set(keys.map((key) => key.slice("filter.".length, key.lastIndexOf("."))));
  const attributes = (await run(["check-attr", "-z", "--stdin", "filter"], { input: paths })).split("\0");
  for (let at = 0; at + 2 < attributes.length; at += 3) {
    const [path, , driver = ""] = attributes.slice(at, at + 3);
    if (drivers.has(driver)) {
      throw failed(
        `Cannot record the workspace: "${path}" goes through the git filter "${driver}", which is not run here`,
        "Commit it with git itself, or change .gitattributes.",
      );
    }
  }
  return [...drivers].flatMap((driver) =>
    [
      ["clean", ""],
      ["smudge", ""],
      ["process", ""],
      ["required", "false"],
    ].map(([key, value]) => [`filter.${driver}.${key}`, value as string] as const),
  );
}

function readChanges(text: string): Commit["files"] {
  const fields = text.split("\0");
  return Array.from({ length: Math.floor(fields.length / 2) }, (_, index) => ({
    path: fields[index * 2 + 1] ?? "",
    change: changes[fields[index * 2] ?? ""] ?? "changed",
  }));
}

function notARepository(root: string): CoordinatorError {
  return failed(`Cannot record the workspace: ${root} is not a git repository`, "Pass init: true to make it one.");
}

function locked(file: string): CoordinatorError {
  return failed(
    `Cannot record the workspace: there is ${file}. Another git is at work there, or one was ended in the middle of it`,
    `Nothing was recorded. Try again; if no git is running in the workspace, remove that file.`,
  );
}

function failed(message: string, hint = "Nothing was recorded; the files are as they are."): CoordinatorError {
  return new CoordinatorError("commit_failed", message, { hint });
}
