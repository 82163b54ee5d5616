// The server that the official conformance suite's scenarios expect, by the names that they call. It stands behind the
// coordinator. `node fixture.mjs legacy|modern` speaks the protocol before 2026-07-28, or that one, on stdio.
import { createHmac, timingSafeEqual } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { acceptedContent, inputRequired, ProtocolError, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const isLegacy = process.argv[2] === "legacy";
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const anything = { "~standard": { version: 1, vendor: "fixture", validate: (value) => ({ value }) } };

const text = (value) => ({ content: [{ type: "text", text: value }] });
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });
const string = { type: "string" };
const resource = (uri, mimeType, value) => ({ type: "resource", resource: { uri, mimeType, text: value } });

// ——— questions

const form = (message, requestedSchema) => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema },
});
const sampling = (prompt, maxTokens = 100) => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens },
});
const roots = { method: "roots/list" };
const nameQuestion = form("What is your name?", object({ name: string }));

/** Before 2026-07-28 a question is a request of the server's own. */
const ask = (context, request) => context.mcpReq.send(request, anything);

/** Since 2026-07-28 it is a result, which the client comes back to with the answers. */
function asking(context, inputRequests, requestState) {
  const given = context.mcpReq.inputResponses ?? {};
  const isAnswered = Object.entries(inputRequests).every(([key, { method }]) =>
    method === "elicitation/create" ? acceptedContent(given, key) !== undefined : given[key] !== undefined,
  );
  return isAnswered ? given : inputRequired({ inputRequests, ...(requestState && { requestState }) });
}
const isQuestion = (result) => result?.resultType === "input_required";

/** By whichever of the two; `then` makes the result of the answers. */
async function asked(context, inputRequests, then, requestState) {
  if (isLegacy) {
    const answers = {};
    for (const [key, request] of Object.entries(inputRequests)) answers[key] = await ask(context, request);
    return then(answers);
  }
  const answers = asking(context, inputRequests, requestState);
  return isQuestion(answers) ? answers : then(answers);
}

const secret = "of this fixture";
const sign = (value) => `${value}.${createHmac("sha256", secret).update(value).digest("base64url")}`;
function verify(state) {
  const value = state.slice(0, state.lastIndexOf("."));
  const expected = Buffer.from(sign(value));
  const given = Buffer.from(state);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return value;
  throw new ProtocolError(-32602, "The requestState was tampered with");
}
const stateOf = (context) => (isLegacy ? undefined : context.mcpReq.requestState());

function capabilitiesOf(server, context) {
  return isLegacy
    ? (server.getClientCapabilities() ?? {})
    : (context.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {});
}

// ——— tools

const defaults = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const titled = (word) =>
  ["First", "Second", "Third"].map((which, index) => ({ const: `value${index + 1}`, title: `${which} ${word}` }));
const options = ["option1", "option2", "option3"];
const enums = {
  untitledSingle: { type: "string", enum: options },
  titledSingle: { type: "string", oneOf: titled("Option") },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: options } },
  titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
};
const schema2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: string, city: string } } },
  properties: {
    name: string,
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: string,
    email: string,
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};
const completed = ({ result: { action, content } }) =>
  text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);

const tools = {
  test_simple_text: () => text("This is a simple text response for testing."),
  test_image_content: () => ({ content: [{ type: "image", data: png, mimeType: "image/png" }] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      { type: "image", data: png, mimeType: "image/png" },
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  async test_tool_with_logging(_args, context) {
    await context.mcpReq.log("info", "Tool execution started");
    await delay(50);
    await context.mcpReq.log("info", "Tool processing data");
    await delay(50);
    await context.mcpReq.log("info", "Tool execution completed");
    return text("Tool with logging executed successfully");
  },
  async test_tool_with_progress(_args, context) {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await context.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      }
      await delay(50);
    }
    return text(String(progressToken));
  },
  test_sampling: ({ prompt }, context) =>
    asked(context, { result: sampling(prompt) }, ({ result }) => text(`LLM response: ${result.content?.text}`)),
  test_elicitation: ({ message }, context) => {
    const schema = object({
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    });
    return asked(context, { result: form(message, schema) }, ({ result: { action, content } }) =>
      text(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`),
    );
  },
  test_elicitation_sep1034_defaults: (_args, context) =>
    asked(
      context,
      { result: form("Please review", { type: "object", properties: defaults, required: [] }) },
      completed,
    ),
  test_elicitation_sep1330_enums: (_args, context) =>
    asked(context, { result: form("Please choose", { type: "object", properties: enums, required: [] }) }, completed),
  json_schema_2020_12_tool: (args) => text(JSON.stringify(args)),

  // For 2026-07-28 only.
  test_input_required_result_elicitation: (_args, context) =>
    asked(context, { user_name: nameQuestion }, ({ user_name }) => text(`Hello, ${user_name.content?.name}!`)),
  test_input_required_result_sampling: (_args, context) =>
    asked(context, { capital_question: sampling("What is the capital of France?") }, ({ capital_question }) =>
      text(capital_question.content?.text ?? ""),
    ),
  test_input_required_result_list_roots: (_args, context) =>
    asked(context, { client_roots: roots }, ({ client_roots }) => text(JSON.stringify(client_roots.roots))),
  test_input_required_result_request_state: (_args, context) => {
    const state = stateOf(context);
    if (state !== undefined) verify(state);
    const confirm = form("Please confirm", object({ ok: { type: "boolean" } }));
    return asked(context, { confirm }, () => text("state-ok"), sign("confirm"));
  },
  test_input_required_result_tampered_state: (_args, context) =>
    tools.test_input_required_result_request_state({}, context),
  test_input_required_result_multiple_inputs: (_args, context) =>
    asked(
      context,
      { user_name: nameQuestion, greeting: sampling("Generate a greeting", 50), client_roots: roots },
      ({ user_name, greeting }) => text(`${greeting.content?.text} ${user_name.content?.name}`),
      sign("multiple"),
    ),
  test_input_required_result_multi_round: (_args, context) => {
    const first = form("Step 1: What is your name?", object({ name: string }));
    const second = form("Step 2: What is your favorite color?", object({ color: string }));
    if (isLegacy) return asked(context, { step1: first, step2: second }, () => text("done"));
    const state = stateOf(context);
    const reached = state === undefined ? "start" : verify(state);
    if (
      reached === "start" ||
      (acceptedContent(context.mcpReq.inputResponses, "step1") === undefined && reached === "round 1")
    ) {
      return inputRequired({ inputRequests: { step1: first }, requestState: sign("round 1") });
    }
    return asked(context, { step2: second }, () => text("done"), sign("round 2"));
  },
  test_input_required_result_capabilities: (_args, context, server) => {
    const { sampling: canSample, elicitation } = capabilitiesOf(server, context);
    const wanted = {
      ...(elicitation && { user_name: nameQuestion }),
      ...(canSample && { greeting: sampling("Hello") }),
    };
    if (Object.keys(wanted).length === 0) return text("The client can answer nothing");
    return asked(context, wanted, () => text("done"));
  },
  test_missing_capability: (_args, context, server) => {
    if (capabilitiesOf(server, context).sampling) return text("The client can sample");
    throw new ProtocolError(-32021, "This tool needs sampling", { requiredCapabilities: { sampling: {} } });
  },
  test_streaming_elicitation: async (_args, context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      await context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1 } });
    }
    return asked(context, { user_name: nameQuestion }, () => text("done"));
  },
  async test_logging_tool(_args, context) {
    await context.mcpReq.log("info", "A message for whoever has asked for them");
    return text("logged");
  },
  async test_trigger_tool_change(_args, _context, server) {
    await server.notification({ method: "notifications/tools/list_changed" });
    return text("changed");
  },
  async test_trigger_prompt_change(_args, _context, server) {
    await server.notification({ method: "notifications/prompts/list_changed" });
    return text("changed");
  },
};
const inputSchemas = {
  test_sampling: object({ prompt: string }),
  test_elicitation: object({ message: string }),
  json_schema_2020_12_tool: schema2020,
};

// ——— resources and prompts

const resources = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: png },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched." },
};
const message = (content) => ({ role: "user", content });
const prompts = {
  test_simple_prompt: () => [message({ type: "text", text: "This is a simple prompt for testing." })],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    message({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    message(resource(resourceUri, "text/plain", "Embedded resource content for testing.")),
    message({ type: "text", text: "Please process the embedded resource above." }),
  ],
  test_prompt_with_image: () => [
    message({ type: "image", data: png, mimeType: "image/png" }),
    message({ type: "text", text: "Please analyze the image above." }),
  ],
  test_input_required_result_prompt: (_args, context) =>
    asked(
      context,
      { user_context: form("What context should the prompt use?", object({ context: string })) },
      (answers) => [message({ type: "text", text: String(answers.user_context.content?.context) })],
    ),
};
const promptArguments = {
  test_prompt_with_arguments: ["arg1", "arg2"],
  test_prompt_with_embedded_resource: ["resourceUri"],
};

function read(uri) {
  const known = resources[uri];
  if (known) return { contents: [{ uri, ...known }] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ProtocolError(-32602, `Resource not found: ${uri}`, { uri });
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(data) }] };
}

function createServer() {
  const server = new Server(
    { name: "conformance-fixture", version: "1" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
    },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `The scenario's ${name}`,
      inputSchema: inputSchemas[name] ?? { type: "object", properties: {} },
    })),
  }));
  server.setRequestHandler("tools/call", ({ params: { name, arguments: args = {} } }, context) => {
    const tool = tools[name];
    if (!tool) throw new ProtocolError(-32602, `Unknown tool: ${name}`);
    return tool(args, context, server);
  });
  server.setRequestHandler("resources/list", () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, description: uri, mimeType })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      {
        uriTemplate: "test://template/{id}/data",
        name: "template",
        description: "By id",
        mimeType: "application/json",
      },
    ],
  }));
  server.setRequestHandler("resources/read", ({ params }) => read(params.uri));
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.keys(prompts).map((name) => ({
      name,
      description: `The scenario's ${name}`,
      arguments: (promptArguments[name] ?? []).map((argument) => ({
        name: argument,
        description: argument,
        required: true,
      })),
    })),
  }));
  server.setRequestHandler("prompts/get", async ({ params: { name, arguments: args = {} } }, context) => {
    const prompt = prompts[name];
    if (!prompt) throw new ProtocolError(-32602, `Unknown prompt: ${name}`);
    const messages = await prompt(args, context);
    return isQuestion(messages) ? messages : { messages };
  });
  server.setRequestHandler("completion/complete", ({ params: { argument } }) => {
    const values = ["paris", "park", "party"].filter((value) => value.startsWith(argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  if (isLegacy) {
    server.setRequestHandler("resources/subscribe", () => ({}));
    server.setRequestHandler("resources/unsubscribe", () => ({}));
  }
  return server;
}

serveStdio(createServer, { legacy: isLegacy ? "serve" : "reject" });
