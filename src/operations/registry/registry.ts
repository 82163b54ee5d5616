import * as z from "zod";
import { plainLine } from "../../catalog/plain-text.ts";
import { searchRegistry } from "../../catalog/registry/search-registry.ts";
import type { RegistryServer } from "../../catalog/registry/server-json.ts";
import { CoordinatorError } from "../../errors.ts";
import { describeEntry, shellQuoted } from "../../servers/describe-entry.ts";
import { onlineRegistry, type RegistrySource, snapshot } from "../../servers/registry-source.ts";
import { nearest } from "../../system/nearest.ts";
import { askConsent } from "../consent.ts";
import { type AnyOperation, defineOperation, type OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";
import { addAsUser, guestFace, mcpAdd } from "./add-server.ts";

const findInput = () => z.strictObject({ query: z.string().min(1), limit: z.int().min(1).max(50).optional() });

/** Finding servers and adding them to the configuration, with the user's consent. */
export function registryOperations(services: Services): readonly AnyOperation[] {
  const online = (signal?: AbortSignal) => onlineRegistry(services.config.registry.url, signal);
  return [
    find(services, { name: "mcp_find", source: () => snapshot, toolset: "registry", ...guestFace(services, "find") }),
    // Not for models and guests: what they ask for would leave this machine.
    find(services, { name: "find_online", source: online }),
    mcpAdd(services),
    addAsUser(services),
    remove(services),
  ];
}

interface Face {
  readonly name: string;
  readonly toolset?: "registry";
  readonly guest?: string;
}

function find(services: Services, { source, ...face }: Face & { source: (signal?: AbortSignal) => RegistrySource }) {
  return defineOperation({
    ...face,
    description: "Find MCP servers in the registry that are not configured yet; mcp_add adds one",
    positional: ["query"],
    example: { query: "github" },
    readOnly: true,
    input: findInput,
    output: () =>
      z.array(
        z.object({
          name: z.string(),
          description: z.string(),
          version: z.string(),
          status: z.string(),
          package: z.string(),
        }),
      ),
    async run({ query, limit = 10 }, { signal }) {
      const configured = JSON.stringify(await services.servers.entries());
      return searchRegistry(await source(signal).candidates(query), query, limit).map((server) =>
        foundServer(server, configured),
      );
    },
    present: (found) => ({
      text:
        found.map(showFound).join("\n") ||
        "The registry's snapshot has no server for these words. Any server can be added by its command or url.",
    }),
  });
}

function foundServer(server: RegistryServer, configured: string) {
  const { name, title, description, status, statusMessage, packages, remotes } = server;
  const [first] = packages ?? [];
  const needs = (first?.environmentVariables ?? []).filter(({ isRequired }) => isRequired).map((one) => one.name);
  const reach = first ? `${first.registryType}: ${first.identifier}` : (remotes?.[0]?.url ?? "");
  const isConfigured = first !== undefined && configured.includes(JSON.stringify(first.identifier).slice(1, -1));
  return {
    name: plainLine(name, 200),
    ...(title !== undefined && { title: plainLine(title, 100) }),
    description: plainLine(description, 300),
    version: plainLine(server.version, 50),
    status: plainLine(status, 50),
    ...(statusMessage !== undefined && { statusMessage: plainLine(statusMessage, 200) }),
    package: plainLine(reach, 200),
    ...(needs.length > 0 && { needs }),
    ...(isConfigured && { configured: true }),
  };
}

function showFound({ name, description, status, needs, configured }: ReturnType<typeof foundServer>): string {
  const marks = [
    status === "active" ? "" : status,
    configured ? "configured" : "",
    needs ? `needs ${needs.join(", ")}` : "",
  ];
  const shown = marks.filter(Boolean).join("; ");
  return `${name}: ${description}${shown === "" ? "" : ` (${shown})`}`;
}

function remove(services: Services) {
  return defineOperation({
    name: "mcp_remove",
    toolset: "registry",
    ...guestFace(services, "remove"),
    positional: ["name"],
    example: { name: "notes" },
    description: "Remove a configured MCP server, after the user's consent",
    input: () => z.strictObject({ name: z.string() }),
    run: ({ name }, context) =>
      services.door.own("registry.remove", { name }, context, () => removeServer(services, name, context)),
    present: ({ name, file, backup }) => ({ text: `Removed ${name} from ${file}; the previous file is ${backup}` }),
  });
}

async function removeServer({ servers }: Services, name: string, context: OperationContext) {
  const entries = await servers.entries();
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (!entry) {
    const close = nearest(name, Object.keys(entries));
    const hint = close ? `Did you mean "${close}"?` : `Configured: ${Object.keys(entries).join(", ") || "none"}.`;
    const shown = JSON.stringify(plainLine(name, 200));
    throw new CoordinatorError("server_unknown", `${servers.file} has no server ${shown}`, { hint });
  }
  const lines = describeEntry(entry).map((line) => `  ${plainLine(line, 4000)}`);
  const message = [`Remove the MCP server ${JSON.stringify(name)} from ${servers.file}?`, ...lines].join("\n");
  const command = ["mcp-coordinator", "remove", name, "--config", servers.file].map(shellQuoted).join(" ");
  await askConsent({ message, command }, context);
  return { name, ...(await servers.change(new Map([[name, undefined]]))) };
}
