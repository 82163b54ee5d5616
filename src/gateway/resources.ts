import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { Coordinator } from "../app/coordinator.ts";
import { servicesOf } from "../app/services-of.ts";
import { CoordinatorError, messageWithHint } from "../errors.ts";
import type { Artifact } from "../runtime/results/artifacts.ts";
import { isText } from "../runtime/results/media-type.ts";
import type { Handlers } from "./client-request.ts";
import { capabilitiesGuide } from "./guide.ts";

interface FixedResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
  read(): string | Promise<string>;
}

const newestArtifacts = 50;
const mostBytes = 8_000_000;
const firstTools = 5;

const artifactTemplate = {
  uriTemplate: "artifact://{run}/{+name}",
  name: "artifact",
  description: "A file that a run saved, or its output where that was cut",
};

/** Lets clients read the guide, what is known of the servers, and artifacts. */
export function resourceHandlers(coordinator: Coordinator): Handlers {
  const { artifacts } = servicesOf(coordinator);
  const fixed = fixedResources(coordinator);
  return {
    "resources/list": async () => ({
      resources: [
        ...fixed.map(({ read: _read, ...resource }) => resource),
        ...(await artifacts.list({ limit: newestArtifacts })).map(asResource),
      ],
    }),
    "resources/templates/list": () => ({ resourceTemplates: [artifactTemplate] }),
    async "resources/read"({ params }) {
      const uri = String(params["uri"]);
      const known = fixed.find((resource) => resource.uri === uri);
      if (known) return { contents: [{ uri, mimeType: known.mimeType, text: await known.read() }] };
      return { contents: [await readArtifact(coordinator, uri)] };
    },
  };
}

async function readArtifact(coordinator: Coordinator, uri: string) {
  const { artifacts } = servicesOf(coordinator);
  try {
    const { bytes, mediaType } = await artifacts.find(uri);
    if (bytes > mostBytes) throw tooLarge(uri, bytes);
    const about = { uri, mimeType: mediaType };
    if (isText(mediaType)) return { ...about, text: await artifacts.read(uri) };
    return { ...about, blob: (await artifacts.readBytes(uri)).toString("base64") };
  } catch (thrown) {
    if (!(thrown instanceof CoordinatorError)) throw thrown;
    throw new ResourceNotFoundError(uri, messageWithHint(thrown));
  }
}

function tooLarge(uri: string, bytes: number): ProtocolError {
  const message = `${uri} has ${bytes} bytes, more than the ${mostBytes} that can be read as a resource. Read it in execute_code, in parts: artifacts.read, artifacts.lines or artifacts.json from "coordinator".`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** What clients are told of an artifact, in a list or as a link. */
export function asResource({ uri, name, bytes, mediaType }: Artifact) {
  return { uri, name, mimeType: mediaType, size: bytes };
}

function fixedResources(coordinator: Coordinator): readonly FixedResource[] {
  const { libraries } = servicesOf(coordinator);
  return [
    {
      uri: "coordinator://capabilities",
      name: "capabilities",
      description: "What code can do here: languages, functions, limits",
      mimeType: "text/markdown",
      read: () => capabilitiesGuide(coordinator),
    },
    {
      uri: "servers://available",
      name: "available servers",
      description: "The configured MCP servers and the modules that code imports",
      mimeType: "application/json",
      async read() {
        const inventory = await libraries.inventory();
        return JSON.stringify({ servers: inventory, count: inventory.length });
      },
    },
    {
      uri: "servers://summary",
      name: "summary of servers",
      description: `How many tools each server has, and the first ${firstTools} of them, as far as known by now`,
      mimeType: "application/json",
      async read() {
        const listed = new Map((await libraries.toolNames()).map(({ server, names }) => [server, names]));
        const inventory = await libraries.inventory();
        const summary = inventory.map(({ name, tools }) => {
          return { server: name, tools, first_tools: listed.get(name)?.slice(0, firstTools) ?? [] };
        });
        return JSON.stringify(summary);
      },
    },
  ];
}
