import { clients } from "./clients/clients.ts";
import { configNames } from "./find-config.ts";

/** A file or folder of a project that decides what programs outside the sandbox do. */
export interface GoverningFile {
  /** Below any folder of the project; `*` stands for anything in a name, a slash at the end for all that is in a folder. */
  readonly path: string;
  /** What guests and file tools may do with it. */
  readonly access: "none" | "read";
  /** Who goes by it. */
  readonly why: string;
}

const rows = (access: GoverningFile["access"], why: string, ...paths: readonly string[]): GoverningFile[] =>
  paths.map((path) => ({ path, access, why }));

const ours = rows(
  "none",
  "mcp-coordinator goes by it, and it may hold secrets",
  ...configNames,
  "mcp-coordinator.lock.json",
);

/** Where the project is does not matter here: only what is below it. */
const anySystem = { platform: "linux", home: "/home", env: {}, cwd: "/project" } as const;

const ofClients = clients.flatMap((client) => {
  const servers = client
    .places(anySystem)
    .filter(({ scope }) => scope === "project")
    .map(({ path }) => path.slice("/project/".length));
  return [
    ...rows("none", `${client.title} goes by it, and it may hold secrets`, ...servers, ...client.settings),
    ...rows("read", `${client.title} follows it`, ...client.instructions),
  ];
});

/** Clients into which we do not install ourselves and from which we import nothing. */
const otherClients = rows(
  "none",
  "an AI client goes by it, and it may hold secrets",
  ".aider.conf.yml",
  ".amazonq/",
  ".augment/",
  ".crush.json",
  "crush.json",
  ".factory/",
  ".junie/",
  ".openhands/",
  ".qoder/",
  ".qwen/",
  ".trae/",
);

/** What a program does as soon as a person opens the folder, enters it in a shell, or asks for the state of its files. */
const run = [
  ...rows("none", "an editor runs what it says", ".devcontainer/", ".devcontainer.json", ".fleet/", ".idea/", ".vs/"),
  ...rows(
    "none",
    "a version control program goes by it",
    ".bzr/",
    ".hg/",
    ".jj/",
    ".pijul/",
    ".sl/",
    ".svn/",
    "_darcs/",
  ),
  ...rows("none", "git runs what is in it", ".husky/", ".githooks/"),
  ...rows("read", "git goes by it", ".gitmodules", ".lfsconfig"),
  ...rows("read", "git's hooks go by it", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml"),
  ...rows("read", "a shell goes by it", "mise.toml", ".mise.toml", ".mise/"),
  ...rows("read", "an editor runs it", ".dir-locals.el", ".exrc", ".lvimrc", ".nvim.lua", ".nvimrc", ".vimrc"),
  ...rows("read", "a debugger runs it", ".gdbinit", ".lldbinit"),
  ...rows("read", "programs outside the sandbox run what is installed in it", "node_modules/", ".venv/", "venv/"),
  ...rows("read", "a package manager runs it", ".pnpmfile.cjs"),
];

const secrets = rows(
  "none",
  "it may hold secrets",
  ".env",
  ".envrc",
  ".git-credentials",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".yarnrc",
  ".yarnrc.yml",
);

/**
 * Every such file that we know of. What AI clients read as instructions is among them: a text that a server slipped to a
 * guest would be followed there in the next session, with the client's own tools. Reading it harms nobody.
 */
export const governingFiles: readonly GoverningFile[] = [
  ...ours,
  ...ofClients,
  ...otherClients,
  ...rows("read", "AI clients follow it", "AGENTS.md"),
  ...run,
  ...secrets,
];
