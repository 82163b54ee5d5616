import { unwatchFile, watchFile } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { readDocument } from "../config/document.ts";
import type { RawEntry } from "../config/entry.ts";
import type { LeftOutServer } from "../config/left-out.ts";
import type { Config, ConfigSource } from "../config/load.ts";
import type { ServerConfig } from "../config/server.ts";
import { type FileWithBackup, writeWithBackup } from "../config/write-file.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import { isFields } from "../system/fields.ts";
import { createFileLock } from "../system/file-lock.ts";

/** How long another process may be writing the file. */
const patienceMs = 10_000;
/** How often the file is looked at. */
const intervalMs = 500;

type Changes = ReadonlyMap<string, RawEntry | undefined>;

/** The servers of the configuration file, which can be changed while they are in use. */
export interface ServerList {
  readonly file: string;
  /** Those in use. */
  readonly current: readonly ServerConfig[];
  /** How those are written in the file. */
  readonly pinned: Config["pinned"];
  /** Those that cannot be used as the environment is. */
  readonly leftOut: readonly LeftOutServer[];
  /** The entries as the file has them now. */
  entries(): Promise<Readonly<Record<string, RawEntry>>>;
  /** What the file would configure with these changes; throws config_invalid, and changes nothing. */
  preview(changes: Changes): Promise<Config>;
  /** Writes the changes into the file (undefined takes a server out) and uses what it says from now on. */
  change(changes: Changes): Promise<FileWithBackup>;
  /** From now on a file that others change is used as it is; one that cannot be used is told of once. */
  follow(tell: (message: string) => void): void;
  isSet(variable: string): boolean;
  close(): void;
}

interface ServerListOptions {
  readonly lockFolder: string;
  use(servers: readonly ServerConfig[], leftOut: readonly LeftOutServer[]): void;
  /** A command of ours, which has shown them to the user, has written these into the file, or taken them out. */
  onWritten?(servers: ReadonlyMap<string, "written" | "removed">): Promise<void>;
}

export function createServerList(source: ConfigSource, { lockFolder, use, onWritten }: ServerListOptions): ServerList {
  const { file } = source;
  const withLock = createFileLock(lockFolder);
  let current = source.config;
  let stop: (() => void) | undefined;

  const take = (config: Config): void => {
    current = config;
    use(config.servers, config.leftOut);
  };
  const reload = async (tell: (message: string) => void): Promise<void> => {
    const before = current;
    const config = await readSettled(source);
    // It was changed by us while it was read: what was read may be what it said before.
    if (current !== before) return reload(tell);
    if (typeof config === "string") return tell(`${config}\nThe servers stay as they were.`);
    const message = config === current ? "" : differences(current, config);
    if (message === "") return;
    take(config);
    tell(`${file}: ${message}`);
  };

  return {
    file,
    get current() {
      return current.servers;
    },
    get pinned() {
      return current.pinned;
    },
    get leftOut() {
      return current.leftOut;
    },
    entries: async () => entriesOf(await source.text(), file),
    preview: async (changes) => usable(source.read(await edited(await source.text(), file, changes)), changes),
    change: (changes) =>
      withLock(file, { patienceMs, busy: () => busy(file) }, async () => {
        const text = await edited(await source.text(), file, changes);
        const config = usable(source.read(text), changes);
        const written = await writeWithBackup(file, text, holdsSecrets(entriesOf(text, file)));
        take(config);
        await onWritten?.(new Map([...changes].map(([name, entry]) => [name, entry ? "written" : "removed"])));
        return written;
      }),
    follow(tell) {
      stop = watch(file, tell, reload);
    },
    isSet: source.isSet,
    close: () => stop?.(),
  };
}

/** Calls `reload` whenever the file has changed, one call at a time; what it tells twice in a row is told once. */
function watch(
  file: string,
  tell: (message: string) => void,
  reload: (tell: (message: string) => void) => Promise<void>,
): () => void {
  let turn: Promise<unknown> = Promise.resolve();
  let said = "";
  const tellOnce = (message: string) => {
    if (message !== said) tell(message);
    said = message;
  };
  const look = () => {
    turn = turn.then(() => reload(tellOnce)).catch((thrown) => tellOnce(messageOf(thrown)));
  };
  // By asking and not by events: those differ by system, and are lost when a file is replaced.
  watchFile(file, { interval: intervalMs, persistent: false }, look);
  // What was written before the first of these looks.
  const first = setTimeout(look, intervalMs).unref();
  return () => {
    clearTimeout(first);
    unwatchFile(file, look);
  };
}

function busy(file: string): CoordinatorError {
  return new CoordinatorError("file_busy", `Cannot change ${file}: another process has been writing it for too long`, {
    hint: "Nothing was written: try again.",
  });
}

/** The configuration that the file holds once it is written to its end; a text is why it cannot be used. */
async function readSettled({ file, text, read }: ConfigSource): Promise<Config | string> {
  for (let before: string | undefined; ; ) {
    const now = await text();
    try {
      if (now !== undefined) return read(now);
    } catch (thrown) {
      if (now === before) return messageOf(thrown);
    }
    if (now === undefined && before === "") return `${file} is no longer there.`;
    before = now ?? "";
    // It may be half written.
    await delay(intervalMs, undefined, { ref: false });
  }
}

/** What is added must be of use at once: who adds it can set its variables, too. */
function usable(config: Config, changes: Changes): Config {
  const unusable = config.leftOut.find(({ name }) => changes.has(name));
  if (!unusable) return config;
  const { name, reason, fix } = unusable;
  throw new CoordinatorError("config_invalid", `Cannot use the server "${name}": ${reason}`, {
    hint: `Nothing was changed. ${fix}`,
  });
}

function differences(before: Config, after: Config): string {
  const [old, fresh] = [serversOf(before), serversOf(after)];
  // Rules count from the next call, and who follows them tells of it.
  const settings = ({
    servers: _,
    pinned: _pinned,
    leftOut: _leftOut,
    notes: _notes,
    policy: _policy,
    ...rest
  }: Config) => rest;
  const names = {
    added: [...fresh.keys()].filter((name) => !old.has(name)),
    changed: [...fresh].flatMap(([name, server]) =>
      old.has(name) && !isDeepStrictEqual(old.get(name), server) ? [name] : [],
    ),
    removed: [...old.keys()].filter((name) => !fresh.has(name)),
  };
  const known = new Set(before.leftOut.map(({ name, reason }) => `${name} ${reason}`));
  const leftOut = after.leftOut.filter(({ name, reason }) => !known.has(`${name} ${reason}`));
  return [
    ...Object.entries(names).flatMap(([verb, of]) => (of.length === 0 ? [] : [`${verb} ${of.join(", ")}`])),
    ...leftOut.map(({ name, reason }) => `left out ${name}: ${reason}`),
    ...(isDeepStrictEqual(settings(before), settings(after)) ? [] : ["other settings count from the next start"]),
  ].join("; ");
}

function serversOf({ servers }: Config): ReadonlyMap<string, ServerConfig> {
  return new Map(servers.map((server) => [server.name, server]));
}

async function edited(text: string | undefined, file: string, changes: Changes): Promise<string> {
  const { editServers } = await import("../config/clients/edit-file.ts"); // knows more formats than a start has time for
  const key = isFields(rawOf(text, file)["servers"]) ? "servers" : "mcpServers";
  return editServers(text ?? "", { file, format: "json", key: [key], changes });
}

function rawOf(text = "", file: string): RawEntry {
  const value = text.trim() === "" ? {} : readDocument(text, file).value;
  return isFields(value) ? value : {};
}

function entriesOf(text: string | undefined, file: string): Readonly<Record<string, RawEntry>> {
  const raw = rawOf(text, file);
  const entries = raw["mcpServers"] ?? raw["servers"];
  return isFields(entries) ? Object.fromEntries(Object.entries(entries).filter(isEntry)) : {};
}

function isEntry(pair: [string, unknown]): pair is [string, RawEntry] {
  return isFields(pair[1]);
}

/** Values that are written out; references to variables are none. */
function holdsSecrets(entries: Readonly<Record<string, RawEntry>>): boolean {
  return Object.values(entries)
    .flatMap(({ env, headers }) => [env, headers])
    .flatMap((values) => (isFields(values) ? Object.values(values) : []))
    .some((value) => typeof value === "string" && value.replace(/\$\{[^{}]*\}/g, "").replace(/^Bearer\s*/, "") !== "");
}
