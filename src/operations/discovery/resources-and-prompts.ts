import * as z from "zod";
import { requestOf } from "../../door/act.ts";
import { rawResult } from "../../door/door.ts";
import { asRun } from "../../door/run-log.ts";
import { CoordinatorError } from "../../errors.ts";
import type { ListName } from "../../upstream/list-pages.ts";
import { fewKeys } from "../inputs.ts";
import { type AnyOperation, defineOperation, type OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";
import { listFromServers, type ServerItem } from "./list-from-servers.ts";

/** What upstreams have beside tools: resources to read, and texts ready for models. */
export function resourceAndPromptOperations(services: Services): readonly AnyOperation[] {
  return [
    list(services, {
      name: "list_resources",
      description: "The resources of one server or of all; failed lists the servers that could not be asked",
      guest: "resources.list",
      list: "resources",
      key: "resources",
      entry: { uri: z.string(), name: z.string() },
    }),
    list(services, {
      name: "list_resource_templates",
      description: "Templates for the addresses of further resources, of one server or of all",
      guest: "resources.templates",
      list: "resourceTemplates",
      key: "templates",
      entry: { uriTemplate: z.string(), name: z.string() },
    }),
    readResource(services),
    list(services, {
      name: "list_prompts",
      description: "The prompts of one server or of all; failed lists the servers that could not be asked",
      guest: "prompts.list",
      list: "prompts",
      key: "prompts",
      entry: { name: z.string() },
    }),
    getPrompt(services),
  ];
}

interface Listing {
  readonly name: string;
  readonly description: string;
  readonly guest: string;
  readonly list: ListName;
  /** Where the entries are in what guests get. */
  readonly key: string;
  /** What each entry is sure to have, beside its server. */
  readonly entry: Readonly<Record<string, z.ZodString>>;
}

function list(services: Services, { list: name, key, entry, ...face }: Listing) {
  return defineOperation({
    ...face,
    readOnly: true,
    input: () => z.strictObject({ server: z.string().optional().describe("all servers when absent") }),
    output: () =>
      z.object({
        [key]: z.array(z.looseObject({ server: z.string(), ...entry })),
        failed: z.array(z.object({ server: z.string(), message: z.string() })),
      }),
    async run({ server }, context) {
      const { entries, failed } = await listFromServers(services, name, server, context);
      return { [key]: entries, failed };
    },
  });
}

function readResource(services: Services) {
  return defineOperation({
    name: "read_resource",
    description: "The contents of a resource: text, or blob in Base64. The server is found by the address when absent",
    guest: "resources.read",
    positional: ["uri"],
    example: { uri: "file:///notes.md" },
    readOnly: true,
    input: () => z.strictObject({ uri: z.string(), server: z.string().optional() }),
    output: () =>
      z.looseObject({
        contents: z.array(
          z.looseObject({
            uri: z.string(),
            mimeType: z.string().optional(),
            text: z.string().optional(),
            blob: z.string().optional(),
          }),
        ),
      }),
    run: ({ uri, server }, context): Promise<unknown> =>
      asRun(services.journal, context, async (actor) => {
        const of = server ?? (await serverOfResource(services, uri, actor));
        const what = `read the resource ${JSON.stringify(uri.slice(0, 200))}`;
        return services.door.pass(requestOf(of, "resources/read", { uri }, what), actor, rawResult);
      }),
  });
}

function getPrompt(services: Services) {
  return defineOperation({
    name: "get_prompt",
    description: "A prompt filled in with its arguments, as messages. The server is found by the name when absent",
    guest: "prompts.get",
    positional: ["name", "arguments"],
    example: { name: "review", arguments: { language: "Python" } },
    readOnly: true,
    input: () =>
      z.strictObject({
        name: z.string(),
        arguments: fewKeys(1000, z.record(z.string(), z.string())).optional(),
        server: z.string().optional(),
      }),
    output: () =>
      z.looseObject({
        description: z.string().optional(),
        messages: z.array(z.object({ role: z.string(), content: z.any() })),
      }),
    run: ({ name, arguments: args, server }, context): Promise<unknown> =>
      asRun(services.journal, context, async (actor) => {
        const of = server ?? (await serverOfPrompt(services, name, actor));
        const params = { name, ...(args && { arguments: args }) };
        const what = `get the prompt ${JSON.stringify(name.slice(0, 200))}`;
        return services.door.pass(requestOf(of, "prompts/get", params, what), actor, rawResult);
      }),
  });
}

/** The one server that lists the address, or else has a template that begins like it. */
async function serverOfResource(services: Services, uri: string, context: OperationContext): Promise<string> {
  const reachable = services.libraries.modules.filter(({ name }) => context.may?.servers?.has(name) ?? true);
  const [single] = reachable;
  if (single && reachable.length === 1) return single.name;
  const { entries, failed } = await listFromServers(services, "resources", undefined, context);
  const listing = serversOf(entries.filter((entry) => entry["uri"] === uri));
  const holders = listing.length > 0 ? listing : await serversWithTemplate(services, uri, context);
  const [only, ...others] = holders;
  if (only !== undefined && others.length === 0) return only;
  const asked = failed.length > 0 ? `; ${failed.map((one) => one.server).join(", ")} could not be asked` : "";
  const found = holders.length > 1 ? `${holders.join(" and ")} have it` : `no server lists it${asked}`;
  const shown = JSON.stringify(uri.slice(0, 200));
  throw new CoordinatorError("input_invalid", `Cannot tell whose resource ${shown} is: ${found}`, {
    hint: 'Nothing was read. Say which: resources.read(uri, { server: "name" }), in Python server="name".',
  });
}

/** The one server that lists a prompt of that name. */
async function serverOfPrompt(services: Services, name: string, context: OperationContext): Promise<string> {
  const { entries } = await listFromServers(services, "prompts", undefined, context);
  const holders = serversOf(entries.filter((entry) => entry["name"] === name));
  const [only, ...others] = holders;
  if (only !== undefined && others.length === 0) return only;
  const found = holders.length > 1 ? `${holders.join(" and ")} have one` : "no server lists one";
  throw new CoordinatorError("input_invalid", `Cannot tell whose prompt ${JSON.stringify(name)} is: ${found}`, {
    hint: 'Nothing was asked for. Say which: prompts.get(name, {}, { server: "name" }), in Python server="name".',
  });
}

function serversOf(entries: readonly ServerItem[]): string[] {
  return [...new Set(entries.map(({ server }) => server))];
}

async function serversWithTemplate(services: Services, uri: string, context: OperationContext): Promise<string[]> {
  const { entries } = await listFromServers(services, "resourceTemplates", undefined, context);
  return serversOf(entries.filter((entry) => beginsLike(uri, entry)));
}

function beginsLike(uri: string, template: ServerItem): boolean {
  const [fixed = ""] = String(template["uriTemplate"] ?? "").split("{");
  return fixed !== "" && uri.startsWith(fixed);
}
