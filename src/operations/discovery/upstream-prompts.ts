import * as z from "zod";
import { requestOf } from "../../door/act.ts";
import { asRun } from "../../door/as-run.ts";
import { asItCame } from "../../door/door.ts";
import { CoordinatorError } from "../../errors.ts";
import { fewKeys } from "../few-keys.ts";
import { type AnyOperation, defineOperation, type OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";
import { listOfServers } from "./list-of-servers.ts";
import { failedServers } from "./upstream-resources.ts";

/** The texts that upstreams have ready for models. */
export function upstreamPromptOperations(services: Services): readonly AnyOperation[] {
  return [listPrompts(services), getPrompt(services)];
}

function listPrompts(services: Services) {
  return defineOperation({
    name: "list_prompts",
    description: "The prompts of one server or of all; failed has the servers that could not be asked",
    guest: "prompts.list",
    readOnly: true,
    input: z.strictObject({ server: z.string().optional().describe("all servers when absent") }),
    output: z.object({
      prompts: z.array(z.looseObject({ server: z.string(), name: z.string() })),
      failed: failedServers,
    }),
    async run({ server }, context) {
      const { entries, failed } = await listOfServers(services, "prompts", server, context);
      return { prompts: entries, failed };
    },
  });
}

function getPrompt(services: Services) {
  return defineOperation({
    name: "get_prompt",
    description: "A prompt filled in with its arguments, as messages. The server is found by the name when absent",
    guest: "prompts.get",
    positional: ["name", "arguments"],
    readOnly: true,
    input: z.strictObject({
      name: z.string(),
      arguments: fewKeys(1000, z.record(z.string(), z.string())).optional(),
      server: z.string().optional(),
    }),
    output: z.looseObject({
      description: z.string().optional(),
      messages: z.array(z.object({ role: z.string(), content: z.any() })),
    }),
    run: ({ name, arguments: args, server }, context): Promise<unknown> =>
      asRun(services.journal, context, async (actor) => {
        const of = server ?? (await serverOf(services, name, actor));
        const params = { name, ...(args && { arguments: args }) };
        const what = `get the prompt ${JSON.stringify(name.slice(0, 200))}`;
        return services.door.pass(requestOf(of, "prompts/get", params, what), actor, asItCame);
      }),
  });
}

/** The one server that lists a prompt of that name. */
async function serverOf(services: Services, name: string, context: OperationContext): Promise<string> {
  const { entries } = await listOfServers(services, "prompts", undefined, context);
  const holders = [...new Set(entries.filter((entry) => entry["name"] === name).map(({ server }) => server))];
  if (holders.length === 1) return holders[0] as string;
  const found = holders.length > 1 ? `${holders.join(" and ")} have one` : "no server lists one";
  throw new CoordinatorError("input_invalid", `Cannot tell whose prompt ${JSON.stringify(name)} is: ${found}`, {
    hint: 'Nothing was asked for. Say which: prompts.get(name, {}, { server: "name" }), in Python server="name".',
  });
}
