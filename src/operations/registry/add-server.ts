import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { plainLine } from "../../catalog/plain-text.ts";
import { localName } from "../../catalog/registry/local-name.ts";
import { makeEntry } from "../../catalog/registry/make-entry.ts";
import type { RegistryServer } from "../../catalog/registry/server-json.ts";
import { hiddenFaults } from "../../config/check-entry.ts";
import { commandFolders } from "../../config/command-folders.ts";
import type { RawEntry } from "../../config/entry.ts";
import type { ServerConfig } from "../../config/server.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { describeEntry, shellQuoted, unshowable } from "../../servers/describe-entry.ts";
import { exactVersion } from "../../servers/exact-version.ts";
import { floatingPackage } from "../../servers/floating-package.ts";
import { onlineRegistry, type RegistrySource, snapshot } from "../../servers/registry-source.ts";
import { plural } from "../../system/plural.ts";
import { askConsent } from "../consent.ts";
import { fewKeys } from "../inputs.ts";
import { defineOperation, type OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";

const text = z.string().max(10_000);
const texts = () => fewKeys(200, z.record(text, text)).optional();
const input = () =>
  z.strictObject({
    name: text.min(1).describe("What mcp_find calls it; with command or url any name"),
    as: text.min(1).optional().describe("Its name in the configuration"),
    command: text.min(1).optional(),
    args: z.array(text).max(1000).optional().describe("Of the command; or name=value for what the registry asks for"),
    env: texts().describe(`Not a secret itself: \${NAME} refers to a variable of the user's`),
    url: text.optional(),
    headers: texts(),
    package: z.enum(["npm", "pypi", "oci", "remote"]).optional(),
  });

/** With what only a user decides: to ask the registry itself, and to add what was not tried. */
const usersInput = () => {
  const flag = () => z.boolean().optional();
  return input().extend({ online: flag(), connect: flag(), floating: flag() });
};

type AddInput = z.output<ReturnType<typeof usersInput>>;

export interface Added {
  readonly name: string;
  readonly file: string;
  readonly backup?: string;
  readonly module?: string;
  /** Absent when the server was not asked. */
  readonly tools?: readonly { readonly name: string; readonly description: string }[];
  readonly notes: readonly string[];
}

/** Guests have the registry only where its tools are shown: it asks the user, and not every client's user wants that. */
export function guestFace({ config }: Services, name: string): { readonly guest?: string } {
  return config.toolsets.includes("registry") ? { guest: `registry.${name}` } : {};
}

/** Adds a server, from the registry or by its command or url, when the user agrees. */
export function mcpAdd(services: Services) {
  return defineOperation({
    name: "mcp_add",
    toolset: "registry",
    ...guestFace(services, "add"),
    description:
      "Add an MCP server, from the registry or by its command or url, after the user's consent; code can import it at once",
    positional: ["name"],
    example: { name: "notes", command: "npx", args: ["-y", "notes-server"] },
    input,
    run: (wanted, context) => asAct(services, wanted, context, true),
    present: (added) => ({ text: showAdded(added) }),
  });
}

/** The same as the user's own command. */
export function addAsUser(services: Services) {
  return defineOperation({
    name: "add_server",
    description: "Add an MCP server, also one that only the registry itself has, or that cannot be tried now",
    input: usersInput,
    run: (wanted, context) => asAct(services, wanted, context, false),
  });
}

/** Variables and headers, which may be secrets, are not in the journal. `isModels`: a model, or code of one, has written it. */
function asAct(services: Services, wanted: AddInput, context: OperationContext, isModels: boolean): Promise<Added> {
  const { env: _env, headers: _headers, ...shown } = wanted;
  return services.door.own("registry.add", shown, context, () => addServer(services, wanted, context, isModels));
}

async function addServer(
  services: Services,
  input: AddInput,
  context: OperationContext,
  isModels: boolean,
): Promise<Added> {
  const { config, servers, libraries } = services;
  const source = input.online ? onlineRegistry(config.registry.url, context.signal) : snapshot;
  const asked = await wantedEntry(services, input, source);
  // Not for models: what they name would leave this machine.
  const wanted = isModels || input.floating ? asked : await withVersion(asked);
  const { name, entry } = wanted;
  refuseHidden(name, entry);
  const server = await previewed(services, name, entry);
  const command = isModels ? commandFor(services, input) : undefined;
  await askConsent({ message: question(services, wanted, isModels), command }, context);
  const tried = (input.connect ?? true) ? await tryOut(services, server, context) : undefined;
  if (tried?.listing) await libraries.learn(server, tried.listing);
  const written = await servers.change(new Map([[name, entry]]));
  const module = libraries.modules.find((known) => known.name === name)?.module;
  const tools = tried?.listing && (await libraries.get(name)).library.tools;
  return {
    name,
    ...written,
    ...(module !== undefined && { module }),
    ...(tools && { tools: tools.map((tool) => ({ name: tool.name, description: tool.description })) }),
    notes: [...wanted.notes, ...(tried?.notes ?? [])],
  };
}

interface Wanted {
  readonly name: string;
  readonly entry: RawEntry;
  readonly notes: readonly string[];
  readonly from?: RegistryServer;
}

async function wantedEntry({ servers }: Services, input: AddInput, source: RegistrySource): Promise<Wanted> {
  const { command, url, args = [], env = {}, headers = {} } = input;
  if (command !== undefined && url !== undefined) throw invalid("A server has a command or a url, not both");
  if (command !== undefined || url !== undefined) {
    const own =
      command === undefined ? { url, ...filled("headers", headers) } : { command, args, ...filled("env", env) };
    return { name: input.as ?? input.name, entry: own, notes: [] };
  }
  const from = await source.named(input.name);
  if (from.status === "deleted") throw invalid(`The registry has deleted ${from.name}`);
  const isSet = (name: string) => servers.isSet(name);
  const { entry, secrets } = makeEntry(from, {
    env,
    headers,
    args,
    kind: input.package,
    containers: containers(),
    isSet,
  });
  const written = { ...(entry["env"] as object), ...(entry["headers"] as object) } as Record<string, string>;
  const literal = secrets.filter((name) => written[name] !== undefined && !written[name].includes("${"));
  const hint = `is in the file as it is; \${NAME} in its place would refer to the environment`;
  return { name: input.as ?? localName(from.name), entry, from, notes: literal.map((name) => `${name} ${hint}`) };
}

/** With the version that a package has now in the place of none: each start would run whatever was published last. */
async function withVersion(wanted: Wanted): Promise<Wanted> {
  const { command, args } = wanted.entry;
  const words = Array.isArray(args) ? args.map(String) : [];
  const found = typeof command === "string" ? floatingPackage(command, words) : undefined;
  if (!found) return wanted;
  const version = await exactVersion(found);
  if (version === undefined) {
    const note = `Its command leaves the version of ${found.name} open: write ${found.exact} when you know which one you want.`;
    return { ...wanted, notes: [...wanted.notes, note] };
  }
  const exact = found.exact.replace("VERSION", version);
  const written = words.map((word, index) =>
    index === found.index ? word.replace(/^(--?[\w-]+=)?.*$/s, `$1${exact}`) : word,
  );
  const note = `${found.name} stays at ${version}, which it is now; --floating leaves its version open.`;
  return { ...wanted, entry: { ...wanted.entry, args: written }, notes: [...wanted.notes, note] };
}

/** What is there of the two; docker when neither is, and the failure to start it says so. */
function containers(): string {
  const has = (name: string) => commandFolders().some((folder) => existsSync(join(folder, name)));
  return !has("docker") && has("podman") ? "podman" : "docker";
}

function filled(key: string, values: Readonly<Record<string, string>>): RawEntry {
  return Object.keys(values).length > 0 ? { [key]: values } : {};
}

function refuseHidden(name: string, entry: RawEntry): void {
  const faults = hiddenFaults(name, entry);
  if (faults.length > 0) throw invalid(`Cannot add the server: ${faults.join("; ")}`);
}

/** The server as the configuration would have it; throws when it cannot be there. */
async function previewed({ servers }: Services, name: string, entry: RawEntry): Promise<ServerConfig> {
  if (Object.hasOwn(await servers.entries(), name)) {
    throw new CoordinatorError("input_invalid", `A server ${JSON.stringify(name)} is configured already`, {
      hint: "Nothing was changed. Give the new one another name (as, --as), or remove the other first.",
    });
  }
  const config = await servers.preview(new Map([[name, entry]]));
  const server = config.servers.find((known) => known.name === name);
  if (server) return server;
  throw invalid("Cannot add the server: it is mcp-coordinator itself");
}

function question({ servers }: Services, { name, entry, from }: Wanted, isModels: boolean): string {
  const status = from && from.status !== "active" ? [`status: ${from.status} ${from.statusMessage ?? ""}`.trim()] : [];
  const origin = from ? [`from the registry: ${from.name} ${from.version}`, ...status] : [];
  const described = describeEntry(entry, { withValues: isModels });
  const problem = isModels ? unshowable(described) : undefined;
  if (problem !== undefined) throw invalid(`Cannot ask the user about the server: ${problem}`);
  const lines = [...described, ...origin.map((line) => plainLine(line, 300))].map((line) => `  ${line}`);
  const rights =
    entry["command"] === undefined
      ? "It is sent what code passes to it."
      : "It runs with your rights, outside the sandbox.";
  return [`Add the MCP server ${JSON.stringify(name)} to ${servers.file}?`, ...lines, rights].join("\n");
}

/** What the user would type for the very same, values included; undefined where no command says it. */
function commandFor({ servers }: Services, input: AddInput): string | undefined {
  const { name, as, command, args = [], env = {}, url, headers = {}, package: kind } = input;
  const isWritable =
    !name.startsWith("-") &&
    Object.keys(env).every((key) => /^[^=]+$/.test(key)) &&
    Object.entries(headers).every(([key, value]) => /^[^=:\s]+$/.test(key) && value === value.trimStart());
  if (!isWritable) return undefined;
  const words = [
    ...["mcp-coordinator", "add", name, `--config=${servers.file}`],
    ...(as === undefined ? [] : [`--as=${as}`]),
    ...(kind === undefined ? [] : [`--package=${kind}`]),
    ...(url === undefined ? [] : [`--url=${url}`]),
    ...Object.entries(env).map(([key, value]) => `--env=${key}=${value}`),
    ...Object.entries(headers).map(([key, value]) => `--header=${key}=${value}`),
    ...(command === undefined ? args.map((arg) => `--arg=${arg}`) : ["--", command, ...args]),
  ];
  return words.map(shellQuoted).join(" ");
}

/** Starts the server once and asks for its tools, apart from those in use. That one must sign in first is not a failure. */
async function tryOut({ tryServer }: Services, server: ServerConfig, { signal, onProgress }: OperationContext) {
  onProgress?.(`starting ${server.name}`);
  try {
    return { listing: await tryServer(server, signal), notes: [] };
  } catch (thrown) {
    const known = thrown instanceof CoordinatorError ? thrown : undefined;
    if (known?.code === "sign_in_needed")
      return { notes: [`It needs a sign-in first: mcp-coordinator auth ${shellQuoted(server.name)}`] };
    const otherwise = "Nothing was added. `add --no-connect` adds a server without trying it.";
    const hint = [known?.hint, otherwise].filter(Boolean).join(" ");
    throw new CoordinatorError(known?.code ?? "server_start_failed", messageOf(thrown), { hint, cause: thrown });
  }
}

function showAdded({ name, file, tools, module, notes }: Added): string {
  const names = tools?.map((tool) => tool.name) ?? [];
  const list = names.length > 12 ? `${names.slice(0, 12).join(", ")} and ${names.length - 12} more` : names.join(", ");
  const what = tools === undefined ? "It was not tried." : `${plural(names.length, "tool")}: ${list}`;
  const use = module === undefined ? "" : `Code imports it as mcp_tools/${module}.`;
  return [`Added ${name} to ${file}. ${what}`, use, ...notes].filter(Boolean).join("\n");
}

function invalid(message: string): CoordinatorError {
  return new CoordinatorError("input_invalid", message, { hint: "Nothing was changed." });
}
