import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Fields, fieldsOf } from "../system/fields.ts";
import { readDocument } from "./document.ts";
import type { UnsetVariable } from "./expand.ts";
import { findConfigFile, placeOfConfig, readConfigText, usualPlaces } from "./find-config.ts";
import { dataHome, type ProcessEnv, userHome } from "./home.ts";
import { invalidConfig } from "./invalid-config.ts";
import { apartFrom, type LeftOutServer, leftOutServers, withoutServers } from "./left-out.ts";
import { prepareConfig } from "./prepare-config.ts";
import { openPolicyFiles, type PolicyFiles } from "./rules/policy-files.ts";
import { configSchema, type PinSettings, type ServerEntry, type Settings } from "./schema.ts";
import { schemaProblems } from "./schema-problems.ts";
import { createServer, type ServerConfig, unusedNotes } from "./server.ts";
import type { Toolset } from "./toolsets.ts";
import { workspaceRootProblem } from "./workspace-root.ts";
import { type WrittenServer, writtenServer } from "./written-server.ts";

/** Everything that the user has configured, checked, with defaults filled in. */
export interface Config extends Settings {
  readonly file?: string;
  /** The data folder. */
  readonly home: string;
  /** What a user may want to know and need not change. */
  readonly notes: readonly string[];
  /** The servers that are not disabled, in the order of the file. */
  readonly servers: readonly ServerConfig[];
  /** How each of them is started or reached, as the file has it, and how its definitions are held to what was accepted. */
  readonly pinned: ReadonlyMap<string, PinnedEntry>;
  /** Those that cannot be used, since variables that they name are not set. */
  readonly leftOut: readonly LeftOutServer[];
  readonly skills: Settings["skills"] & { readonly folder: string };
  readonly workspace: Settings["workspace"] & { readonly root: string };
}

interface PinnedEntry {
  readonly written: WrittenServer;
  readonly pins?: PinSettings | undefined;
}

export interface LoadOptions {
  readonly path?: string;
  readonly cwd?: string;
  readonly env?: ProcessEnv;
  /** That there is no file is not a failure: it counts as a file without servers. */
  readonly mayBeMissing?: boolean;
  /** The groups of tools that clients see, whatever the file says. */
  readonly toolsets?: readonly Toolset[] | undefined;
  /** Where the machine's administrator sets rules; the usual place of the platform when absent. */
  readonly managedPolicy?: string | undefined;
  /** False: nothing is read but the file itself, for who examines what is wrong. */
  readonly withRules?: boolean | undefined;
}

/** A configuration and where it comes from. */
export interface ConfigSource {
  readonly config: Config;
  /** Absolute. */
  readonly file: string;
  /** Every file that is the configuration, or would be at another start from here. Absolute. */
  readonly places: readonly string[];
  /** The text of the file as it is now; undefined when there is none. */
  readonly text: () => Promise<string | undefined>;
  /** The user's own file, or one that was found in the working folder. */
  readonly origin: "user" | "project";
  /** The rules that are in force, from this file and from others. */
  readonly policies: PolicyFiles;
  /** What a text of the same file configures, in the same environment; throws as loading does. The same text again, the same object. */
  readonly read: (text: string) => Config;
  /** Whether the environment has the variable. */
  readonly isSet: (variable: string) => boolean;
}

/** Finds, reads and checks the configuration; throws config_not_found, or config_invalid with every problem in it. */
export async function loadConfig(options: LoadOptions = {}): Promise<ConfigSource> {
  const { path, cwd = process.cwd(), env = process.env, toolsets, managedPolicy, withRules = true } = options;
  const { file, text, origin } = await (options.mayBeMissing ? placeOfConfig : findConfigFile)(path, cwd, env);
  let last: { readonly text: string; readonly config: Config } | undefined;
  const read = (other: string): Config => {
    // Who follows the file reads it once more soon after the start.
    if (last?.text !== other)
      last = { text: other, config: { ...readConfig(other, file, env), ...(toolsets && { toolsets }) } };
    return last.config;
  };
  const isSet = (variable: string) => typeof env[variable] === "string";
  const places = [file, ...usualPlaces(cwd, env)];
  // A pipe can be read only once.
  const isPipe = (await stat(file).catch(() => undefined))?.isFile() === false;
  const now = async () => (isPipe ? text : readConfigText(file));
  const config = read(text ?? "{}");
  const policy = async () => {
    const current = await now();
    return current === undefined || current.trim() === "" ? undefined : read(current).policy;
  };
  const policies = withRules
    ? await openPolicyFiles({ file, origin, policy }, { env, managed: managedPolicy })
    : { layers: [], hasChanged: () => false, read: async () => [] };
  return { config, file, origin, places, policies, text: now, read, isSet };
}

/** The configuration that the text of a file describes; `file` is its absolute path. */
export function readConfig(text: string, file: string, env: ProcessEnv): Config {
  const document = readDocument(text, file);
  const folder = dirname(file);
  const { value, ...prepared } = prepareConfig(document.value, {
    env,
    userHome: userHome(env),
    workspaceFolder: folder,
  });
  const { unset, notes } = prepared;
  const { data, problems } = checkValue(value, unset);
  const all = apartFrom(unset, [...document.problems, ...prepared.problems, ...problems]);
  // One server that cannot be used is no reason to do without the others; but a file with faults is told of whole.
  if (!data || all.length > 0) throw invalidConfig(file, document, [...unset, ...all]);

  const { mcpServers, servers, coordinator } = data;
  const home = dataHome(env);
  const skillsFolder = resolve(folder, coordinator.skills.folder ?? join(home, "skills"));
  const root = resolve(folder, coordinator.workspace.root ?? join(home, "workspace"));
  const misplaced = workspaceRootProblem({ root, home, skills: skillsFolder, userHome: userHome(env) });
  if (misplaced !== undefined) {
    const isRoot = coordinator.workspace.root !== undefined || coordinator.skills.folder === undefined;
    const path = isRoot ? ["coordinator", "workspace", "root"] : ["coordinator", "skills", "folder"];
    throw invalidConfig(file, document, [{ path, text: misplaced }]);
  }
  const key = servers === undefined ? "mcpServers" : "servers";
  const entries = Object.entries(mcpServers ?? servers ?? {});
  const order = new Map(document.keys([key]).map((name, index) => [name, index]));
  const used = entries
    .filter(([, entry]) => entry.disabled !== true)
    .sort(([left], [right]) => (order.get(left) ?? 0) - (order.get(right) ?? 0));
  return {
    ...coordinator,
    file,
    home,
    notes: [...notes, ...used.flatMap(([name, entry]) => unusedNotes([key, name], entry))],
    servers: used.map(([name, entry]) => createServer(name, entry, folder)),
    pinned: pinnedEntries(used, fieldsOf(fieldsOf(document.value)[key])),
    leftOut: leftOutServers(value, unset),
    toolsets: [...new Set(coordinator.toolsets)],
    skills: { ...coordinator.skills, folder: skillsFolder },
    workspace: { ...coordinator.workspace, root },
  };
}

/** `raw` are the entries before variables were put in. */
function pinnedEntries(
  used: readonly (readonly [string, ServerEntry])[],
  raw: Fields,
): ReadonlyMap<string, PinnedEntry> {
  return new Map(used.map(([name, { pins }]) => [name, { written: writtenServer(fieldsOf(raw[name])), pins }]));
}

/** What the schema says of the whole file, and its data without the servers that are left out. */
function checkValue(value: unknown, unset: readonly UnsetVariable[]) {
  // Read once: zod would compile a parser for every object in it.
  const check = (of: unknown) => configSchema.safeParse(of, { jitless: true });
  const whole = check(value);
  const used = unset.length === 0 ? whole : check(withoutServers(value, unset));
  return { data: used.data, problems: schemaProblems(configSchema, value, whole.error?.issues ?? []) };
}
