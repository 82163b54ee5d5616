import * as z from "zod";
import { requestOf } from "../../door/act.ts";
import { asRun } from "../../door/as-run.ts";
import { asItCame } from "../../door/door.ts";
import { CoordinatorError } from "../../errors.ts";
import { type AnyOperation, defineOperation, type OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";
import { type Entry, listOfServers } from "./list-of-servers.ts";

/** What the upstreams offer to read beside their tools. */
export function upstreamResourceOperations(services: Services): readonly AnyOperation[] {
  return [listResources(services), listTemplates(services), readResource(services)];
}

const server = z.string().optional().describe("all servers when absent");
export const failedServers = z.array(z.object({ server: z.string(), message: z.string() }));

function listResources(services: Services) {
  return defineOperation({
    name: "list_resources",
    description: "The resources of one server or of all; failed has the servers that could not be asked",
    guest: "resources.list",
    readOnly: true,
    input: z.strictObject({ server }),
    output: z.object({
      resources: z.array(z.looseObject({ server: z.string(), uri: z.string(), name: z.string() })),
      failed: failedServers,
    }),
    async run({ server: only }, context) {
      const { entries, failed } = await listOfServers(services, "resources", only, context);
      return { resources: entries, failed };
    },
  });
}

function listTemplates(services: Services) {
  return defineOperation({
    name: "list_resource_templates",
    description: "The addresses, with places to fill in, by which one server or all have further resources",
    guest: "resources.templates",
    readOnly: true,
    input: z.strictObject({ server }),
    output: z.object({
      templates: z.array(z.looseObject({ server: z.string(), uriTemplate: z.string(), name: z.string() })),
      failed: failedServers,
    }),
    async run({ server: only }, context) {
      const { entries, failed } = await listOfServers(services, "resourceTemplates", only, context);
      return { templates: entries, failed };
    },
  });
}

function readResource(services: Services) {
  return defineOperation({
    name: "read_resource",
    description: "The contents of a resource: text, or blob in Base64. The server is found by the address when absent",
    guest: "resources.read",
    positional: ["uri"],
    readOnly: true,
    input: z.strictObject({ uri: z.string(), server: z.string().optional() }),
    output: z.looseObject({
      contents: z.array(
        z.looseObject({
          uri: z.string(),
          mimeType: z.string().optional(),
          text: z.string().optional(),
          blob: z.string().optional(),
        }),
      ),
    }),
    run: ({ uri, server: named }, context): Promise<unknown> =>
      asRun(services.journal, context, async (actor) => {
        const of = named ?? (await serverOf(services, uri, actor));
        const what = `read the resource ${JSON.stringify(uri.slice(0, 200))}`;
        return services.door.pass(requestOf(of, "resources/read", { uri }, what), actor, asItCame);
      }),
  });
}

/** The one server that lists the address, or else has a template that begins like it. */
async function serverOf(services: Services, uri: string, context: OperationContext): Promise<string> {
  const reachable = services.libraries.modules.filter(({ name }) => context.may?.servers?.has(name) ?? true);
  const [only] = reachable;
  if (only && reachable.length === 1) return only.name;
  const resources = await listOfServers(services, "resources", undefined, context);
  const holders = serversOf(resources.entries.filter((entry) => entry["uri"] === uri));
  if (holders.length === 1) return holders[0] as string;
  const templates =
    holders.length > 1 ? undefined : await listOfServers(services, "resourceTemplates", undefined, context);
  const candidates = templates ? serversOf(templates.entries.filter((entry) => beginsLike(uri, entry))) : holders;
  if (candidates.length === 1) return candidates[0] as string;
  const { failed } = resources;
  const asked = failed.length > 0 ? `; ${failed.map((one) => one.server).join(", ")} could not be asked` : "";
  const found = candidates.length > 1 ? `${candidates.join(" and ")} have it` : `no server lists it${asked}`;
  throw new CoordinatorError(
    "input_invalid",
    `Cannot tell whose resource ${JSON.stringify(uri.slice(0, 200))} is: ${found}`,
    {
      hint: 'Nothing was read. Say which: resources.read(uri, { server: "name" }), in Python server="name".',
    },
  );
}

function serversOf(entries: readonly Entry[]): string[] {
  return [...new Set(entries.map(({ server: name }) => name))];
}

function beginsLike(uri: string, template: Entry): boolean {
  const [fixed = ""] = String(template["uriTemplate"] ?? "").split("{");
  return fixed !== "" && uri.startsWith(fixed);
}
