import { setTimeout as delay } from "node:timers/promises";
import { specTypeSchemas } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Choice } from "./choose-shots.ts";
import { type Field, fieldsOf, type Plausible } from "./fields.ts";
import type { GatewayUnderPressure, Transport } from "./gateway-under-pressure.ts";
import { openGateway } from "./gateway-under-pressure.ts";
import { expand } from "./hostile-inputs.ts";
import { hostileServer } from "./hostile-server.ts";
import type { Battery } from "./press.ts";
import type { Wire } from "./wire.ts";

// What a client says: every field of every tool that the gateway lists, and every field of every message that the
// protocol has for clients.

/** A field of something that is sent to the gateway. */
export interface ClientField extends Field {
  readonly operation: string;
  /** The messages with this JSON text in the field, sent in turn. */
  messages(wire: Wire, json: string): string[];
  /** The protocol has no answer to it, or has none until something happens. */
  readonly mayBeSilent: boolean;
}

export type ClientShot = Choice<ClientField>;

/** What other fields hold while one is attacked. Packages are refused: nothing may be fetched. */
export const plausible: Plausible = {
  server_name: "quiet",
  server: "quiet",
  tool_name: "echo",
  code: "1 + 1",
  content: "1 + 1",
  file_path: "stored.ts",
  filename: "stored.ts",
  path: "stored.txt",
  uri: "artifact://x/y",
  key: "stored",
  packages: ["../refused"],
  variables: { A: "b" },
  timeout: 5,
  protocolVersion: "2025-11-25",
};

/** Given although it is not required: a run's own time. */
const always = ["timeout"];

export async function clientFields(wire: Wire): Promise<ClientField[]> {
  return [
    ...(await toolFields(wire)),
    ...(await listedFields(wire)),
    ...storedFields(),
    ...messageFields(),
    ...envelopeFields(),
  ];
}

async function toolFields(wire: Wire): Promise<ClientField[]> {
  const { tools } = await listOf<{ tools: { name: string; inputSchema: Record<string, unknown> }[] }>(
    wire,
    "tools/list",
  );
  return tools.flatMap(({ name, inputSchema }) =>
    fieldsOf(inputSchema, plausible, always).map((field) => ({
      ...field,
      operation: name,
      mayBeSilent: false,
      messages: (wire, json) => [toolCall(wire, name, field.fill(json))],
    })),
  );
}

/** Prompts and resources by what the gateway lists: their arguments, and more behind their addresses. */
async function listedFields(wire: Wire): Promise<ClientField[]> {
  const { prompts } = await listOf<{ prompts: { name: string }[] }>(wire, "prompts/list");
  const { resources } = await listOf<{ resources: { uri: string }[] }>(wire, "resources/list");
  const schema = { type: "object", additionalProperties: { type: "string" } };
  const ofPrompts = prompts.flatMap(({ name }) =>
    fieldsOf(schema).map((field) => ({
      ...field,
      operation: `prompt ${name}`,
      mayBeSilent: false,
      messages: (wire: Wire, json: string) => [
        message(
          wire,
          `"method":"prompts/get","params":{"name":${JSON.stringify(name)},"arguments":${field.fill(json)}}`,
        ),
      ],
    })),
  );
  const addresses = [...resources.map(({ uri }) => uri), "artifact://run/"];
  const ofResources = addresses.map((uri) => ({
    path: "(more)",
    isName: true,
    longest: undefined,
    fill: (json: string) => `${JSON.stringify(uri).slice(0, -1)}${json.slice(1)}`,
    operation: `resource ${uri}`,
    mayBeSilent: false,
    messages(wire: Wire, json: string) {
      return [message(wire, `"method":"resources/read","params":{"uri":${this.fill(json)}}`)];
    },
  }));
  return [...ofPrompts, ...ofResources];
}

/** A file that is hostile as it lies there, and is then read and run. */
function storedFields(): ClientField[] {
  return ["stored.ts", "stored.py"].map((file) => ({
    path: file,
    isName: true,
    longest: undefined,
    fill: (json) => json,
    operation: "a file, read and run",
    mayBeSilent: false,
    messages: (wire, json) => {
      const named = `"file_path":${JSON.stringify(file)}`;
      return [
        toolCall(wire, "overwrite_code_file", `{${named},"content":${json}}`),
        toolCall(wire, "read_code_file", `{${named}}`),
        toolCall(wire, "execute_code_file", `{${named},"timeout":5}`),
      ];
    },
  }));
}

/** Messages of the protocol itself, from the SDK's own schemas. What `_meta` holds is attacked in one of them. */
function messageFields(): ClientField[] {
  const sorts = [specTypeSchemas.ClientRequest, specTypeSchemas.ClientNotification] as unknown as z.ZodType[];
  return sorts.flatMap((sort, index) => {
    const schema = z.toJSONSchema(sort, { unrepresentable: "any" }) as Record<string, unknown>;
    const { anyOf, $defs } = schema as { anyOf: Record<string, { method: { const: string } }>[]; $defs: object };
    return anyOf.flatMap((branch) => {
      const method = branch["properties"]?.method.const ?? "?";
      return fieldsOf({ ...branch, $defs }, plausible)
        .filter(({ path }) => path !== "" && (method === "tools/call" || !path.startsWith("params._meta.")))
        .map((field) => ({
          ...field,
          operation: `message ${method}`,
          mayBeSilent: true,
          messages: (wire: Wire, json: string) => {
            const members = field.fill(json).slice(1, -1);
            return [index === 0 ? message(wire, members) : `{"jsonrpc":"2.0",${members}}`];
          },
        }));
    });
  });
}

function envelopeFields(): ClientField[] {
  const envelopes = {
    jsonrpc: (json: string) => `{"id":"a","method":"ping","jsonrpc":${json}}`,
    id: (json: string) => `{"jsonrpc":"2.0","method":"ping","id":${json}}`,
    batch: (json: string) => `[${json}]`,
    "the whole": (json: string) => json,
  };
  return Object.entries(envelopes).map(([path, fill]) => ({
    path,
    isName: false,
    longest: undefined,
    fill,
    operation: "message",
    mayBeSilent: true,
    messages: (_wire, json) => [fill(json)],
  }));
}

const message = (wire: Wire, members: string) => `{"jsonrpc":"2.0","id":${wire.nextId()},${members}}`;

const toolCall = (wire: Wire, name: string, args: string) =>
  message(wire, `"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${args}}`);

async function listOf<Result>(wire: Wire, method: string): Promise<Result> {
  const text = await wire.ask(method);
  const { result } = JSON.parse(text.slice(text.indexOf("{"))) as { result: Result };
  return result;
}

export function clientBattery(transport: Transport, preload?: string): Battery<ClientShot> {
  return {
    name: `client over ${transport}`,
    answerMs: 30_000,
    open: () =>
      openGateway({ transport, mcpServers: { quiet: hostileServer() }, ...(preload !== undefined && { preload }) }),
    async warmUp({ wire }) {
      for (const language of ["typescript", "python"]) {
        await wire.send(toolCall(wire, "execute_code", `{"code":"undefined_name","language":"${language}"}`));
        await wire.send(toolCall(wire, "execute_code", `{"code":"1 + 1","language":"${language}"}`));
      }
      await wire.send(toolCall(wire, "search_tools", '{"query":"echo"}'));
    },
    fire: async (gateway, shots) => void (await Promise.all(shots.map((shot) => fireOne(gateway, shot)))),
  };
}

/** How long to wait for an answer that may never come. */
const silenceMs = 300;

async function fireOne({ wire }: GatewayUnderPressure, { field, recipe, size }: ClientShot): Promise<void> {
  for (const text of field.messages(wire, expand(recipe, size))) {
    if (!field.mayBeSilent) {
      await wire.send(text);
      continue;
    }
    const stop = new AbortController();
    const silence = delay(silenceMs, undefined, { signal: stop.signal }).catch(() => {});
    await Promise.race([wire.send(text, stop.signal), silence]);
    stop.abort();
  }
}
