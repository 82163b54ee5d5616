import { expect, test } from "vitest";
import { configJsonSchema } from "./schema.ts";

test("the JSON Schema for editors knows every key of the file, its choices and its defaults", () => {
  expect(configJsonSchema()).toMatchObject({
    type: "object",
    additionalProperties: false,
    properties: {
      mcpServers: {
        additionalProperties: {
          additionalProperties: false,
          properties: {
            type: { enum: ["stdio", "http", "streamable-http", "streamableHttp", "sse"] },
            command: { type: "string", minLength: 1 },
            env: { type: "object", additionalProperties: { type: "string" } },
            autoApprove: {},
          },
        },
      },
      coordinator: {
        properties: {
          sandbox: {
            properties: { limits: { properties: { memoryMb: { type: "integer", minimum: 1, default: 512 } } } },
          },
          output: { properties: { format: { enum: ["compact", "json", "toon"], default: "compact" } } },
        },
      },
    },
  });
});

test("nothing in the JSON Schema is compulsory but what makes a rule one", () => {
  const required: unknown[] = [];
  JSON.stringify(configJsonSchema(), (key, value) => {
    if (key === "required") required.push(value);
    return value;
  });
  expect(required).toEqual([["not"], ["host"], ["match", "action"]]);
});
