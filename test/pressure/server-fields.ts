import { specTypeSchemas } from "@modelcontextprotocol/server";
import * as z from "zod";
import { type Field, fieldsOf } from "./fields.ts";
import { compatible } from "./merge-fields.ts";

// What a server says: every field of everything that the protocol lets it send, from the SDK's own schemas.

type Type = keyof typeof specTypeSchemas;

/** What servers send, by the type of the protocol; a test compares it with all types that the SDK has. */
export const sent = {
  handshake: { InitializeResult: "initialize" },
  pages: {
    ListToolsResult: "tools/list",
    ListPromptsResult: "prompts/list",
    ListResourcesResult: "resources/list",
    ListResourceTemplatesResult: "resources/templates/list",
  },
  lists: {
    Tool: "tools/list",
    Prompt: "prompts/list",
    Resource: "resources/list",
    ResourceTemplate: "resources/templates/list",
  },
  results: { CallToolResult: "tools/call", GetPromptResult: "prompts/get", ReadResourceResult: "resources/read" },
  messages: ["ServerNotification", "ServerRequest"],
} as const;

/** Keywords whose values are texts, lists or schemas of the server, inside the schema of a tool. */
const keywords = [
  "$ref",
  "$schema",
  "$id",
  "$anchor",
  "$comment",
  "title",
  "description",
  "default",
  "examples",
  "enum",
  "const",
  "pattern",
  "format",
  "contentMediaType",
  "contentEncoding",
  "type",
  "required",
  "properties",
  "items",
  "prefixItems",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "$defs",
  "minimum",
  "maxLength",
  "deprecated",
];

export type ServerField = Pick<Field, "path" | "isName" | "fill"> & {
  /** The type of the protocol that it belongs to. */
  readonly type: string;
};

/** Fields that one server can have at the same time: `serverFields()` gives every field of the protocol once. */
export interface ServerFields {
  readonly of: string;
  readonly fields: readonly ServerField[];
}

export function serverFields(): ServerFields[] {
  const of = (type: string) => fieldsOfType(type as Type).map((field) => ({ ...field, type }));
  const isOfError = ({ path }: Field) => path.startsWith("error");
  const errors = fieldsOfType("JSONRPCErrorResponse")
    .filter(isOfError)
    .map((field) => ({ ...field, type: "error" }));
  const groups = {
    tools: [...of("Tool"), ...keywords.map(keywordField)],
    "results of tools": [...of("CallToolResult"), ...errors],
    "prompts and resources": [
      ...["Prompt", "Resource", "ResourceTemplate"].flatMap(of),
      ...["GetPromptResult", "ReadResourceResult"].flatMap(of),
    ],
    notifications: of("ServerNotification"),
    requests: of("ServerRequest"),
  };
  // What is in the lists has fields of its own above.
  const wholes = Object.keys({ ...sent.handshake, ...sent.pages }).flatMap((type) =>
    compatible(of(type).filter(({ path }) => !path.includes("[]"))),
  );
  const named = wholes.map((fields) => ({ of: `${fields[0]?.type} with ${fields[0]?.path}`, fields }));
  return [...Object.entries(groups).map(([name, fields]) => ({ of: name, fields })), ...named];
}

/** `_meta` may hold anything and is handled in one place: its own fields count once, in tools. Of requests the upper ones do. */
function fieldsOfType(type: Type): Field[] {
  const schema = z.toJSONSchema(specTypeSchemas[type] as unknown as z.ZodType, { unrepresentable: "any" });
  const plausible = { inputSchema: { type: "object" }, uri: "res://a", name: "a", protocolVersion: "2025-11-25" };
  return fieldsOf(schema as Record<string, unknown>, plausible).filter(
    ({ path }) =>
      path !== "" &&
      (type === "Tool" || !path.includes("_meta.")) &&
      (type !== "ServerRequest" || path.split(/[.[]/).length <= 3),
  );
}

function keywordField(keyword: string): ServerField {
  return {
    type: "schema",
    path: keyword,
    isName: false,
    fill: (json) => `{"type":"object","properties":{"a":{"${keyword}":${json}}}}`,
  };
}
