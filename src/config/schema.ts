import * as z from "zod";
import { readAllowedHost } from "./allowed-host.ts";
import { policySchema } from "./rules/policy-schema.ts";
import { toolsetNames } from "./toolsets.ts";

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** Keys that other clients write into a server's entry and that have no meaning here. */
export const ignoredServerKeys = [
  "alwaysAllow",
  "autoApprove",
  "dev",
  "gallery",
  "icon",
  "iconPath",
  "timeout",
  "trust",
  "version",
  "watchPaths",
] as const;

const ignored = z.unknown().optional().meta({ description: "Ignored: a setting of another client." });
const names = z.array(z.string());
const count = z.int().min(1);
// Node's timers hold at most 2^31 - 1 milliseconds; a longer one fires at once.
const seconds = count.max(2_147_483);

const openHost = z.string().superRefine((entry, context) => {
  const read = readAllowedHost(entry);
  if (typeof read === "string") context.addIssue({ code: "custom", message: `${JSON.stringify(entry)} ${read}` });
});

const toolFilter = z.strictObject({
  allow: names.optional().describe("Only these tools; * and ? are wildcards."),
  deny: names.optional().describe("Not these tools, whatever is allowed."),
});

const auth = z
  .strictObject({
    clientId: z.string().min(1).optional().describe("A client that you have registered; otherwise one is registered."),
    clientSecret: z.string().min(1).optional(),
    scope: z
      .string()
      .min(1)
      .optional()
      .describe("What to ask for, separated by spaces; when left out, what the server wants."),
    clientMetadataUrl: z
      .url({ protocol: /^https$/, error: "is not a whole https url" })
      .optional()
      .describe("Your client id metadata document, for authorization servers that read those."),
    redirectPort: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe("The port of 127.0.0.1 that the browser comes back to."),
    grant: z
      .enum(["authorization_code", "client_credentials"])
      .optional()
      .describe("client_credentials: tokens for clientId itself, without a user."),
  })
  .superRefine(({ clientId, clientSecret, grant }, context) => {
    const missing = (key: string) => context.addIssue({ code: "custom", path: [key], message: "is missing" });
    if (clientId === undefined && (clientSecret !== undefined || grant === "client_credentials")) missing("clientId");
    if (clientSecret === undefined && grant === "client_credentials") missing("clientSecret");
  });

const pinMode = z.enum(["note", "review", "strict"]);
const ignoredParts = z.enum(["title", "description", "inputSchema", "outputSchema", "annotations"]);

const pins = z.union([
  pinMode.transform((mode) => ({ mode, ignore: {} })),
  z.strictObject({
    mode: pinMode.optional(),
    ignore: z
      .record(z.string(), z.array(ignoredParts).min(1))
      .default({})
      .describe("Parts that tools change by themselves, by the tools' names; * and ? are wildcards."),
  }),
]);

const server = z.strictObject({
  type: z
    .enum(["stdio", "http", "streamable-http", "streamableHttp", "sse"])
    .optional()
    .describe("Left out: stdio with a command; with a url, streamable HTTP first, then SSE."),
  command: z.string().min(1).optional().describe("The program to start."),
  args: names.optional(),
  env: z.record(z.string(), z.string()).optional().describe("Added to a minimal environment."),
  cwd: z.string().min(1).optional().describe("Relative to the folder of this file."),
  url: z.string().optional(),
  serverUrl: z.string().optional().describe("Windsurf's name for url."),
  httpUrl: z.string().optional().describe("Gemini CLI's name for the url of a streamable HTTP server."),
  headers: z.record(z.string(), z.string()).optional(),
  protocolEra: z
    .enum(["legacy", "modern"])
    .optional()
    .describe("Of a remote server: legacy is up to 2025-11-25, modern is 2026-07-28; detected when left out."),
  auth: auth
    .optional()
    .describe("OAuth, for servers that want you to sign in; needed only where the defaults are not enough."),
  description: z.string().optional(),
  disabled: z.boolean().optional(),
  tools: z.union([toolFilter, names]).optional().describe("Which tools are used; a list is the allowed ones."),
  includeTools: names.optional().describe("Gemini CLI's name for tools.allow."),
  excludeTools: names.optional().describe("Gemini CLI's name for tools.deny."),
  disabledTools: names.optional().describe("Kiro's name for tools.deny."),
  timeoutSeconds: seconds.optional().describe("For one call, the start of the server included; 120 when left out."),
  startTimeoutSeconds: seconds.optional().describe("For the server to become ready; 30 when left out."),
  maxParallelCalls: count.optional().describe("Calls in flight at once; 128 when left out. The rest wait their turn."),
  pins: pins
    .optional()
    .describe(
      "What happens when a tool is no longer defined as it was accepted. note: it is told; review: what is wider or reworded cannot be called; strict: nor what is narrower.",
    ),
  ...(Object.fromEntries(ignoredServerKeys.map((key) => [key, ignored])) as Record<
    (typeof ignoredServerKeys)[number],
    typeof ignored
  >),
});

const limits = z
  .strictObject({
    timeoutSeconds: seconds.default(30),
    maxTimeoutSeconds: seconds.default(600),
    memoryMb: count.default(512),
    cpuSeconds: count.default(60),
    processes: count.default(64).describe("Processes and threads together."),
    openFiles: count.min(64).default(256),
    scratchMb: count.default(16).describe("The private folder that a guest may write to."),
    outputBytes: count
      .default(64_000_000)
      .describe("What is kept of what a run prints, and of its result; at most artifacts.maxMb. The rest is dropped."),
    toolCalls: count.default(1000),
    parallelToolCalls: count.default(128),
    storedMb: count.default(256).describe("What one run may store in all: files, values, skills."),
    parallelRuns: count.default(16).describe("Runs at once, of all clients; the rest wait, and clients take turns."),
  })
  .superRefine(({ timeoutSeconds, maxTimeoutSeconds }, context) => {
    if (timeoutSeconds <= maxTimeoutSeconds) return;
    const message = `${timeoutSeconds} is above maxTimeoutSeconds, which is ${maxTimeoutSeconds}`;
    context.addIssue({ code: "custom", path: ["timeoutSeconds"], message });
  });

const sandbox = z.strictObject({
  typescript: z.enum(["auto", "deno", "container"]).default("auto"),
  python: z.enum(["auto", "cpython", "pyodide", "container"]).default("auto"),
  isolation: z.enum(["engine", "os"]).default("engine").describe("os: an operating-system layer is required."),
  limits: limits.prefault({}),
  container: z
    .strictObject({
      image: z.string().min(1).optional().describe("A local image; mcp-coordinator-sandbox when left out."),
      runtime: z.enum(["auto", "podman", "docker"]).default("auto"),
    })
    .prefault({}),
  network: z
    .strictObject({
      allow: z.array(openHost).default([]).describe("Hosts that guests may fetch from; empty means none."),
    })
    .prefault({}),
  imports: z.strictObject({ allow: names.default(["*"]), deny: names.default([]) }).prefault({}),
});

const output = z.strictObject({
  maxTokens: count.default(4000),
  format: z.enum(["compact", "json", "toon"]).default("compact"),
});

const skills = z.strictObject({
  folder: z
    .string()
    .min(1)
    .optional()
    .describe("Where skills are kept as files; skills/ in the data folder when left out."),
  maxSkills: count.default(5000),
  maxVersions: count.default(500).describe("Of one skill."),
  maxMb: count.default(64).describe("The text of all versions of all skills."),
});

const memory = z.strictObject({ maxMb: count.default(64) });

const journal = z.strictObject({
  keepDays: count.default(30).describe("How long runs stay in the journal, and their artifacts on disk."),
  maxMb: count.default(1024).describe("The size of the database; past it the oldest runs go."),
});

const approvals = z.strictObject({
  channels: z
    .array(z.enum(["client", "dashboard", "cli"]))
    .min(1)
    .default(["client", "dashboard", "cli"])
    .describe("By which ways a person may decide what waits for approval."),
  waitSeconds: seconds.default(45).describe("How long a request waits for a person; then it answers needs_approval."),
  parkMinutes: count
    .max(24 * 60)
    .default(10)
    .describe("How long a run that waits keeps its process after that."),
  expireHours: count
    .max(24 * 30)
    .default(24)
    .describe("How long what waits can be decided."),
});

const workspace = z.strictObject({
  root: z.string().min(1).optional().describe("The folder of the files; workspace/ in the data folder when left out."),
  maxMb: count.default(1024),
  maxFiles: count.default(10_000).describe("Files and folders together."),
});

const artifacts = z.strictObject({
  maxMb: count.default(512).describe("Of all runs together; the oldest go first."),
});

const packages = z.strictObject({
  environment: z.string().min(1).default("default").describe("The environment of runs that name none."),
  autoInstall: z.boolean().default(false).describe("Install what a run lacks, and run it once more."),
  allow: names.default(["*"]).describe("Packages that may be installed; * and ? are wildcards."),
  deny: names.default([]).describe("Packages that may not, whatever is allowed."),
  sources: z
    .enum(["index", "any"])
    .default("index")
    .describe("any: also http and https URLs, and absolute paths of archives."),
  hosts: z
    .array(openHost)
    .default([])
    .describe("Hosts that installers may reach beside the index, as host or host:port."),
  timeoutSeconds: seconds.default(600),
  maxMb: count.default(2048).describe("The size of one environment."),
});

const registry = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .default("https://registry.modelcontextprotocol.io")
    .describe("Whom `find --online` asks."),
});

const http = z.strictObject({
  names: names.default([]).describe("Host names under which clients reach `serve --http`, beside this machine's own."),
});

const coordinatorSettings = z.strictObject({
  toolsets: z.array(z.enum(toolsetNames)).default(["code"]).describe("The groups of tools that the AI client sees."),
  expose: names
    .default([])
    .describe("Servers that the AI client sees as they are, as name, or name=prefix for what is put before its names."),
  sessions: z
    .enum(["client", "shared"])
    .default("client")
    .describe("client: each client has sessions of its own; shared: they are common to all, by name."),
  sandbox: sandbox.prefault({}),
  output: output.prefault({}),
  skills: skills.prefault({}),
  memory: memory.prefault({}),
  policy: policySchema.prefault({}),
  approvals: approvals.prefault({}),
  journal: journal.prefault({}),
  workspace: workspace.prefault({}),
  artifacts: artifacts.prefault({}),
  packages: packages.prefault({}),
  registry: registry.prefault({}),
  http: http.prefault({}),
});

const coordinator = coordinatorSettings.superRefine(({ toolsets, expose }, context) => {
  if (toolsets.length > 0 || expose.length > 0) return;
  context.addIssue({ code: "custom", path: ["toolsets"], message: "must not be empty, unless servers are exposed" });
});

const servers = z.record(z.string(), server);

/** The whole file: what is accepted, its defaults and its types come from here and nowhere else. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  mcpServers: servers.optional(),
  servers: servers.optional().describe("VS Code's name for mcpServers."),
  inputs: ignored,
  coordinator: coordinator.prefault({}),
});

/** One entry of mcpServers, its strings expanded. */
export type ServerEntry = DeepReadonly<z.output<typeof server>>;
/** How changes of a server's definitions are taken. */
export type PinSettings = NonNullable<ServerEntry["pins"]>;
/** The block `coordinator`, with its defaults. */
export type Settings = DeepReadonly<z.output<typeof coordinatorSettings>>;
export type SandboxSettings = Settings["sandbox"];
export type PackageSettings = Settings["packages"];

/** The schema as JSON Schema, for editors. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: "input" });
}
