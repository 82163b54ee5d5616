import { isAbsolute, resolve } from "node:path";
import { fieldsOf, isFields } from "../../system/fields.ts";
import type { RawEntry } from "../entry.ts";
import { isBuiltIn } from "./find-servers.ts";
import { type Family, interpolate } from "./interpolation.ts";

export interface Translated {
  /** The server as we would write it; absent when it cannot be used. */
  readonly entry?: RawEntry;
  /** Why it cannot be used here. */
  readonly problem?: string;
  /** What is different from how the client has it. */
  readonly notes: readonly string[];
}

interface Source {
  readonly family: Family;
  /** The project that the file belongs to; its servers run there. */
  readonly folder?: string | undefined;
}

type Texts = Readonly<Record<string, string>>;

const known = new Set([
  ...["type", "transport", "transportType", "source", "name", "description", "disabled", "enabled", "isActive"],
  ...["command", "cmd", "args", "cwd", "workingDirectory", "url", "httpUrl", "serverUrl", "uri"],
  ...["env", "environment", "envs", "env_vars", "env_keys", "envFile"],
  ...["headers", "http_headers", "env_http_headers", "bearer_token_env_var", "requestOptions"],
  ...["tools", "includeTools", "excludeTools", "disabledTools", "enabled_tools", "disabled_tools", "available_tools"],
]);
/** Matters of the client that change nothing about the server. */
const ofClient = new Set([
  ...["alwaysAllow", "autoApprove", "trust", "timeout", "dev", "gallery", "icon", "iconPath", "version", "watchPaths"],
  ...[
    "startup_timeout_sec",
    "startup_timeout_ms",
    "tool_timeout_sec",
    "required",
    "bundled",
    "display_name",
    "settings",
  ],
  ...["connectionTimeout", "requestTimeoutMs", "toolTimeoutMs", "default_tools_approval_mode", "faviconUrl", "id"],
]);

const types: Readonly<Record<string, string | undefined>> = {
  stdio: "stdio",
  local: "stdio",
  http: "http",
  "streamable-http": "http",
  streamable_http: "http",
  streamableHttp: "http",
  "http-stream": "http",
  sse: "sse",
};

/** A client's entry in our format. Nothing is left out in silence. */
export function translateEntry(foreign: unknown, { family, folder }: Source): Translated {
  if (!isFields(foreign)) return { problem: "its entry is not an object", notes: [] };
  const raw = flattened(foreign);
  const part = ownPart(raw);
  if (part !== undefined) return { problem: part, notes: [] };
  const lost: string[] = [];
  const text = (value: unknown): string => {
    const inner = interpolate(String(value), family, folder);
    lost.push(...inner.lost);
    return inner.text;
  };
  const url = raw["url"] ?? raw["httpUrl"] ?? raw["serverUrl"] ?? raw["uri"];
  const [command, ...args] = commandOf(raw);
  if (command === undefined && typeof url !== "string") return { problem: "it has neither command nor url", notes: [] };
  const reach = command === undefined ? remote(raw, text(url), text) : local(raw, [command, ...args], text, folder);
  const entry = { ...reach, ...manners(raw) };
  const notes = notesOn(raw);
  if (lost.length === 0) return { entry, notes };
  const shown = [...new Set(lost)].join(", ");
  // What only stands in plain text there is no reason to leave the server out, but we would read it as a variable.
  const why = family === "none" ? `it has ${shown} as plain text, which would be a variable here` : reasonFor(shown);
  return { problem: why, notes };
}

function reasonFor(shown: string): string {
  return `${shown} has no equivalent here: set an environment variable and write \${NAME} in the client's place`;
}

/** Zed's older entries keep the command in an object. */
function flattened(raw: RawEntry): RawEntry {
  const { command } = raw;
  return isFields(command) ? { ...raw, ...command, command: command["path"] ?? command["command"] } : raw;
}

function ownPart(raw: RawEntry): string | undefined {
  const { source, command, url } = raw;
  if (isBuiltIn(raw)) return "it is a part of the client";
  if (source === "extension" && command === undefined && url === undefined)
    return "an extension of the client brings it";
  return undefined;
}

function commandOf(raw: RawEntry): readonly string[] {
  const written = raw["command"] ?? raw["cmd"];
  const args = texts(raw["args"]);
  if (Array.isArray(written)) return [...texts(written), ...args];
  if (typeof written !== "string" || written === "") return [];
  return args.length > 0 || Array.isArray(raw["args"]) ? [written, ...args] : splitCommand(written);
}

/** A whole command line in one string, as some people write it. A path may have spaces of its own. */
function splitCommand(line: string): readonly string[] {
  if (!/\s/.test(line) || /^(?:[/~.\\]|[A-Za-z]:)/.test(line)) return [line];
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

function local(
  raw: RawEntry,
  [command = "", ...args]: readonly string[],
  text: (value: unknown) => string,
  folder: string | undefined,
): RawEntry {
  const named = [...texts(raw["env_vars"]), ...texts(raw["env_keys"])];
  const env = {
    ...Object.fromEntries(named.map((name) => [name, `\${${name}}`])),
    ...mapped({ ...fieldsOf(raw["env"]), ...fieldsOf(raw["environment"]), ...fieldsOf(raw["envs"]) }, text),
  };
  const cwd = raw["cwd"] ?? raw["workingDirectory"];
  const where = typeof cwd === "string" && cwd !== "" ? resolved(text(cwd), folder) : folder;
  return {
    command: text(command),
    ...(args.length > 0 && { args: args.map(text) }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(where !== undefined && { cwd: where }),
  };
}

function resolved(cwd: string, folder: string | undefined): string {
  return folder === undefined || isAbsolute(cwd) || cwd.startsWith("${") ? cwd : resolve(folder, cwd);
}

function remote(raw: RawEntry, url: string, text: (value: unknown) => string): RawEntry {
  const bearer = raw["bearer_token_env_var"];
  const headers = {
    ...(typeof bearer === "string" && { Authorization: `Bearer \${${bearer}}` }),
    ...Object.fromEntries(Object.entries(fieldsOf(raw["env_http_headers"])).map(([key, name]) => [key, `\${${name}}`])),
    ...mapped({ ...fieldsOf(raw["http_headers"]), ...fieldsOf(fieldsOf(raw["requestOptions"])["headers"]) }, text),
    ...mapped(fieldsOf(raw["headers"]), text),
  };
  const written = types[String(raw["type"] ?? raw["transport"] ?? raw["transportType"])];
  const type = written === "stdio" ? undefined : (written ?? (raw["httpUrl"] === undefined ? undefined : "http"));
  return { ...(type !== undefined && { type }), url, ...(Object.keys(headers).length > 0 && { headers }) };
}

/** What holds for servers of both kinds. */
function manners(raw: RawEntry): RawEntry {
  const { tools, description } = raw;
  const list = Array.isArray(tools) ? tools : undefined;
  const allow = list ?? raw["includeTools"] ?? raw["enabled_tools"] ?? emptyAsAll(raw["available_tools"]);
  const deny = [...texts(raw["excludeTools"]), ...texts(raw["disabledTools"]), ...texts(raw["disabled_tools"])];
  const isAll = !Array.isArray(allow) || allow.includes("*");
  const filter = { ...(!isAll && { allow: texts(allow) }), ...(deny.length > 0 && { deny }) };
  const own = isFields(tools) && ("allow" in tools || "deny" in tools) ? tools : undefined;
  return {
    ...(typeof description === "string" && description !== "" && { description }),
    ...(own ? { tools: own } : Object.keys(filter).length > 0 && { tools: filter }),
    ...(isDisabled(raw) && { disabled: true }),
  };
}

/** Goose writes an empty list where nothing is chosen. */
function emptyAsAll(list: unknown): unknown {
  return Array.isArray(list) && list.length === 0 ? undefined : list;
}

function isDisabled({ disabled, enabled, isActive }: RawEntry): boolean {
  return disabled === true || enabled === false || isActive === false;
}

function notesOn(raw: RawEntry): readonly string[] {
  const others = Object.keys(raw).filter((key) => !known.has(key) && !ofClient.has(key) && key !== "path");
  const keyring = texts(raw["env_keys"]);
  return [
    ...("envFile" in raw ? ["its envFile is not read here: write its variables into env"] : []),
    ...(keyring.length > 0
      ? [`${keyring.join(", ")}: from the client's keyring there, from the environment here`]
      : []),
    ...(others.length > 0 ? [`not taken over: ${others.join(", ")}`] : []),
  ];
}

function mapped(values: RawEntry, text: (value: unknown) => string): Texts {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, text(value ?? "")]));
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
