import * as z from "zod";
import { anyData } from "./inputs.ts";
import { type AnyOperation, defineOperation, jsonAnswer } from "./operation.ts";
import type { Services } from "./services.ts";

/** Values that guests keep by key, for all later runs. */
export function memoryOperations(services: Services): readonly AnyOperation[] {
  const made = [getMemory, setMemory, updateMemory, deleteMemory, listMemory, describeMemory];
  return made.map((make) => make(services));
}

/** No line breaks and nothing else that a list of keys could not show. */
const printable = z.string().regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u, "1 to 200 printable characters");
const namespace = printable.default("default");
const metadata = z.record(z.string(), z.unknown());
const revision = z.int().min(0);
const info = () =>
  z.object({
    namespace: z.string(),
    key: z.string(),
    revision: z.int(),
    created: z.string(),
    updated: z.string(),
    bytes: z.int(),
    metadata: metadata.optional(),
  });

function getMemory({ memory }: Services) {
  return defineOperation({
    name: "get_memory",
    description: "The value of a key; the default, or null, when there is none",
    guest: "memory.get",
    positional: ["key"],
    example: { key: "visits", default: 0 },
    readOnly: true,
    input: () => z.strictObject({ key: printable, default: z.unknown().optional(), namespace }),
    run: async ({ default: otherwise = null, ...key }, context): Promise<unknown> => {
      const entry = await memory.get(key);
      return entry ? jsonAnswer(entry.json, context) : otherwise;
    },
  });
}

function setMemory({ memory }: Services) {
  return defineOperation({
    name: "set_memory",
    description:
      "Keep a JSON value under a key, for every later run and conversation; with if_revision only over that revision, 0 for a free key",
    guest: "memory.set",
    positional: ["key", "value"],
    example: { key: "visits", value: 1 },
    stores: true,
    input: () =>
      z.strictObject({
        key: printable,
        value: anyData,
        metadata: metadata.optional().describe("kept beside the value; unchanged when absent"),
        namespace,
        if_revision: revision.optional(),
      }),
    output: info,
    run: async ({ if_revision: ifRevision, ...entry }) => memory.set({ ...entry, ifRevision }),
    present: ({ key, revision: written }) => ({ text: `Kept "${key}", revision ${written}` }),
  });
}

/** Guests get it with a function in place of the patch too: see sandbox/guest/typescript/conveniences.ts. */
function updateMemory({ memory }: Services) {
  return defineOperation({
    name: "update_memory",
    description:
      "Change the value of a key by a function of it, or by an object that is merged into it (null removes a property, RFC 7396); gives the new value",
    guest: "memory.update",
    positional: ["key", "patch"],
    example: { key: "visits", patch: { last: "today" } },
    stores: true,
    input: () => z.strictObject({ key: printable, patch: z.record(z.string(), z.unknown()), namespace }),
    run: async ({ patch, ...key }, context): Promise<unknown> =>
      jsonAnswer((await memory.patch(key, patch)).json, context),
  });
}

function deleteMemory({ memory }: Services) {
  return defineOperation({
    name: "delete_memory",
    description: "Forget a key; answers whether it was there",
    guest: "memory.delete",
    positional: ["key"],
    example: { key: "visits" },
    input: () => z.strictObject({ key: printable, namespace }),
    output: () => z.boolean(),
    run: async (key) => memory.delete(key),
    present: (wasThere) => ({ text: wasThere ? "Deleted" : "There was no such key" }),
  });
}

function listMemory({ memory }: Services) {
  return defineOperation({
    name: "list_memory",
    description: "What is kept, by key, without the values",
    guest: "memory.list",
    example: { prefix: "vis" },
    readOnly: true,
    heavy: true,
    input: () =>
      z.strictObject({
        prefix: z.string().max(200).optional(),
        namespace,
        limit: z.int().min(1).max(10_000).default(1000),
        after: z.string().max(200).optional().describe("the key to go on after"),
      }),
    output: () => z.array(info()),
    // Guests get the entries alone: what is damaged is not looked for.
    async run(page, { run }) {
      const entries = await memory.list(page);
      const none = entries.length === 0 && !run ? await nothingKept(memory, page) : "";
      return { entries, none, damaged: run ? [] : await memory.damaged() };
    },
    present({ entries, none, damaged }) {
      const lines = entries.map(({ key, bytes, updated }) => `${key}  ${bytes} bytes  ${updated}`);
      if (damaged.length > 0)
        lines.push(`Left out, since their rows in the database are damaged: ${damaged.join(", ")}`);
      return { data: entries, text: lines.join("\n") || none };
    },
  });
}

const mostNamed = 10;

/** That a page of a list is empty, and what there would be. */
async function nothingKept(
  memory: Services["memory"],
  {
    namespace,
    prefix,
    after,
  }: { readonly namespace: string; readonly prefix?: string | undefined; readonly after?: string | undefined },
): Promise<string> {
  const others = (await memory.list({ namespace, limit: mostNamed + 1 })).map(({ key }) => key);
  const where = namespace === "default" ? "" : ` in the namespace ${JSON.stringify(namespace)}`;
  if (others.length === 0) return `Nothing is kept${where}.`;
  const begins = prefix === undefined ? "" : ` begins with ${JSON.stringify(prefix)}`;
  const follows = after === undefined ? "" : `${begins && " and"} comes after ${JSON.stringify(after)}`;
  return `No key${where}${begins}${follows}. There are: ${others.slice(0, mostNamed).join(", ")}${others.length > mostNamed ? ", …" : ""}.`;
}

function describeMemory({ memory }: Services) {
  return defineOperation({
    name: "memory_info",
    description: "A key's times, metadata, size and revision, with value: true also the value; null when there is none",
    guest: "memory.info",
    positional: ["key"],
    example: { key: "visits" },
    readOnly: true,
    input: () => z.strictObject({ key: printable, namespace, value: z.boolean().default(false) }),
    output: () => info().extend({ value: z.unknown().optional() }).nullable(),
    run: async ({ value: withValue, ...key }, context): Promise<unknown> => {
      const entry = await memory.get(key);
      if (!entry) return null;
      const { json, ...known } = entry;
      return withValue ? jsonAnswer(`${JSON.stringify(known).slice(0, -1)},"value":${json}}`, context) : known;
    },
  });
}
