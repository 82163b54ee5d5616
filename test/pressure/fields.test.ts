import { specTypeSchemas } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { fieldsOf } from "./fields.ts";
import { expand, recipes } from "./hostile-inputs.ts";
import { sent, serverFields } from "./server-fields.ts";
import { scriptOf } from "./server-script.ts";

test("every field of a schema is found, with the others around it as they should be", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", maxLength: 9 },
      list: { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] } },
      open: { type: "object", additionalProperties: { type: "string" } },
      any: {},
      timeout: { type: "number" },
    },
    required: ["name"],
    additionalProperties: false,
  };
  const fields = fieldsOf(schema, { name: "plain", timeout: 5 }, ["timeout"]);
  expect(fields.map(({ path, fill }) => `${path} ${fill('"X"')}`)).toEqual([
    ' "X"',
    'name {"name":"X","timeout":5}',
    'list {"name":"plain","timeout":5,"list":"X"}',
    'list[]|0 {"name":"plain","timeout":5,"list":["X"]}',
    'list[]|1 {"name":"plain","timeout":5,"list":["X"]}',
    'open {"name":"plain","timeout":5,"open":"X"}',
    'open.(name) {"name":"plain","timeout":5,"open":{"X":"x"}}',
    'open.* {"name":"plain","timeout":5,"open":{"a":"X"}}',
    'any {"name":"plain","timeout":5,"any":"X"}',
    'any.base64 {"name":"plain","timeout":5,"any":{"base64":"X"}}',
    'any[0] {"name":"plain","timeout":5,"any":["X"]}',
    'any.(name) {"name":"plain","timeout":5,"any":{"X":1}}',
    'timeout {"name":"plain","timeout":"X"}',
    '.(name) {"name":"plain","timeout":5,"X":1}',
  ]);
  expect(fields.filter(({ longest }) => longest !== undefined).map(({ path }) => path)).toEqual(["name"]);
});

test("every input is JSON of about the size that is asked for", () => {
  for (const recipe of recipes) {
    for (const size of [60, 5000]) {
      const json = expand(recipe, size);
      expect(() => JSON.parse(json), recipe.name).not.toThrow();
      if (!recipe.isFixed) expect(Math.abs(Buffer.byteLength(json) - size), recipe.name).toBeLessThan(90 + size / 2);
    }
  }
  expect(new Set(recipes.map(({ name }) => name)).size).toBe(recipes.length);
});

test("a server can be hostile in every field, and its script is what the protocol lets it say", () => {
  for (const { of, fields } of serverFields()) {
    const script = scriptOf('"X"', fields);
    const holes = JSON.stringify(script).split("@@hole@@").length - 1;
    expect(holes, of).toBe(fields.length);
  }
});

test("everything that a server may answer is attacked, or is never asked of one", () => {
  const attacked = Object.keys({ ...sent.handshake, ...sent.pages, ...sent.results });
  const neverAsked = [
    "CancelTaskResult",
    "CompleteResult",
    "CreateTaskResult",
    "DiscoverResult",
    "GetTaskPayloadResult",
    "GetTaskResult",
    "ListTasksResult",
    "SubscriptionsListenResult",
  ];
  const answersOfClients = ["ClientResult", "CreateMessageResult", "ElicitResult", "ListRootsResult"];
  const general = ["CompatibilityCallToolResult", "EmptyResult", "PaginatedResult", "Result", "ServerResult"];
  const all = Object.keys(specTypeSchemas).filter((name) => name.endsWith("Result"));
  expect(all.sort()).toEqual([...attacked, ...neverAsked, ...answersOfClients, ...general].sort());
});
