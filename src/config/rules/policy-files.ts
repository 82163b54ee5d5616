import { statSync } from "node:fs";
import { join, posix, win32 } from "node:path";
import type * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import { isFields } from "../../system/fields.ts";
import { printable } from "../../system/printable.ts";
import { type Path, readDocument } from "../document.ts";
import { readConfigText } from "../find-config.ts";
import { dataHome, type ProcessEnv } from "../home.ts";
import { invalidConfig } from "../invalid-config.ts";
import type { Settings } from "../schema.ts";
import { schemaProblems } from "../schema-problems.ts";
import { policySchema } from "./policy-schema.ts";

/** Whose a configuration file is. A project's is somebody else's, as far as we know: it can only tighten what the user set. */
type Origin = "managed" | "user" | "project";

/** The rules of one file, and what holds where none of them fits. */
type PolicySettings = Settings["policy"];

/** The same with where they stand. */
interface PolicyLayer extends PolicySettings {
  readonly origin: Origin;
  readonly file: string;
  /** Where its rules stand in the file. */
  readonly path: Path;
}

/** The files whose rules are in force together. */
export interface PolicyFiles {
  /** As they were when they were read last; the strictest counts. */
  readonly layers: readonly PolicyLayer[];
  /** Whether one of them is another file than then. A look at each: a few microseconds. */
  hasChanged(): boolean;
  /** Reads all of them; throws config_invalid with every problem in every file, and goes on with what was. */
  read(): Promise<readonly PolicyLayer[]>;
}

interface MainFile {
  readonly file: string;
  readonly origin: Origin;
  /** Its rules as they are now, nothing when there is no file or nothing in it; throws what is wrong with the file. */
  readonly policy: () => Promise<PolicySettings | undefined>;
}

/** The rules that the machine's administrator set, those of the user's own file, and those of the file that is used. */
export async function openPolicyFiles(
  main: MainFile,
  { env, managed = managedPolicy(env) }: { readonly env: ProcessEnv; readonly managed?: string | undefined },
): Promise<PolicyFiles> {
  const own = join(dataHome(env), "config.json");
  const sources: readonly Source[] = [
    { file: managed, read: () => readPolicy(managed, "managed", []) },
    ...(own === main.file ? [] : [{ file: own, read: () => readPolicy(own, "user", ownPath) }]),
    {
      file: main.file,
      async read() {
        const policy = await main.policy();
        return policy && { ...main, path: ownPath, ...policy };
      },
    },
  ];
  let marks: readonly string[] = [];
  let layers: readonly PolicyLayer[] = [];
  const look = () => sources.map(({ file }) => markOf(file));
  const read: PolicyFiles["read"] = async () => {
    // Before they are read: what changes meanwhile is read again.
    marks = look();
    const fresh = await readAll(sources);
    const lost = layers.filter(({ file }) => !fresh.some((layer) => layer.file === file));
    if (lost.length > 0) throw lostRules(lost);
    layers = fresh.filter(saysSomething);
    return layers;
  };
  await read();
  return {
    get layers() {
      return layers;
    },
    hasChanged: () => look().some((mark, index) => mark !== marks[index]),
    read,
  };
}

const ownPath = ["coordinator", "policy"] as const;

interface Source {
  readonly file: string;
  read(): Promise<PolicyLayer | undefined>;
}

async function readAll(sources: readonly Source[]): Promise<readonly PolicyLayer[]> {
  const read = await Promise.allSettled(sources.map((source) => source.read()));
  const failures = read.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (failures.length > 1) {
    const messages = failures.map((failure) => (failure instanceof Error ? failure.message : String(failure)));
    const { hint } = failures[0] instanceof CoordinatorError ? failures[0] : {};
    throw new CoordinatorError("config_invalid", messages.join("\n"), { hint });
  }
  if (failures.length > 0) throw failures[0];
  return read.flatMap((one) => (one.status === "fulfilled" && one.value ? [one.value] : []));
}

function saysSomething({ preset, denied, rules, trust }: PolicySettings): boolean {
  return (preset ?? denied) !== undefined || rules.length + trust.length > 0;
}

/** A file may be away for the moment in which it is saved: who wants to do without its rules takes them out of it. */
function lostRules(lost: readonly PolicyLayer[]): CoordinatorError {
  const lines = lost.map(({ file }) => `${printable(file)} is gone, or empty: the rules that it had stay in force`);
  return new CoordinatorError("config_invalid", lines.join("\n"), {
    hint: "Write it again, or start again to do without it.",
  });
}

/** The rules in a file of which nothing else is wanted; undefined when there is no such file, or nothing in it. */
async function readPolicy(file: string, origin: Origin, path: Path): Promise<PolicyLayer | undefined> {
  const text = await readConfigText(file);
  if (text === undefined || text.trim() === "") return undefined;
  const document = readDocument(text, file);
  const value = valueAt(path, document.value) ?? {};
  const { data, error } = policySchema.safeParse(value, { jitless: true });
  const within = (problemPath: Path): boolean => path.every((key, index) => problemPath[index] === key);
  const problems = [
    ...document.problems.filter((problem) => within(problem.path)),
    ...schemaProblems(policySchema, value, (error?.issues ?? []) as readonly z.core.$ZodIssue[]).map((problem) => ({
      ...problem,
      path: [...path, ...problem.path],
    })),
  ];
  if (!data || problems.length > 0) throw invalidConfig(file, document, problems);
  return { origin, file, path, ...data };
}

/** Nothing where an object has no such member; what stands in place of an object is no place for rules. */
function valueAt(path: Path, whole: unknown): unknown {
  let value = whole;
  for (const key of path) {
    if (value === undefined || !isFields(value)) return value;
    value = value[key];
  }
  return value;
}

/** Rules from a file that is not in force: a file of rules alone, or a configuration. Throws config_not_found, config_invalid. */
export async function readDraft(file: string): Promise<PolicyLayer> {
  const text = await readConfigText(file);
  const value = text === undefined ? undefined : readDocument(text, file).value;
  const isConfig = isFields(value) && ["mcpServers", "servers", "coordinator"].some((key) => key in value);
  const draft = await readPolicy(file, "user", isConfig ? ownPath : []);
  if (draft && saysSomething(draft)) return draft;
  const what = text === undefined ? "there is no such file" : "it has no rules";
  throw new CoordinatorError("config_not_found", `Cannot read rules from ${file}: ${what}`, {
    hint: 'Name a file such as { "rules": [{ "match": { "tool": "send_*" }, "action": "ask" }] }.',
  });
}

/** Which file it is, and in which state; what cannot be looked at is told by who reads it. */
function markOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return "";
  }
}

/** Where the machine's administrator sets rules for all users. */
export function managedPolicy(env: ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32")
    return win32.join(env["ProgramData"] || "C:\\ProgramData", "mcp-coordinator", "policy.json");
  const folder = platform === "darwin" ? "/Library/Application Support" : "/etc";
  return posix.join(folder, "mcp-coordinator", "policy.json");
}
