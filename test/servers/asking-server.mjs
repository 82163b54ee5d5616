// Asks the client during its calls. `node asking-server.mjs legacy|modern`: before 2026-07-28 a question is a request of
// its own, since then it is an answer that the client comes back to.
import { inputRequired, ProtocolError, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [era] = process.argv.slice(2);
const name = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const user = (text) => ({ role: "user", content: { type: "text", text } });
const questions = {
  form: { method: "elicitation/create", params: { mode: "form", message: "Your name?", requestedSchema: name } },
  page: {
    method: "elicitation/create",
    params: { mode: "url", message: "Sign in", url: "https://example.org/in", elicitationId: "page-1" },
  },
  model: { method: "sampling/createMessage", params: { messages: [user("Capital of France?")], maxTokens: 10 } },
  model_with_tools: {
    method: "sampling/createMessage",
    params: { messages: [user("Use it")], maxTokens: 10, tools: [{ name: "t", inputSchema: { type: "object" } }] },
  },
  roots: { method: "roots/list" },
};
let askedAtStart = "nothing";
let calls = 0;
let visited = false;
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const anything = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };

const ask = async (kind, { mcpReq }, server) => {
  if (era === "legacy") {
    const answer = await mcpReq.send(questions[kind], anything);
    if (kind === "page")
      await server.notification({ method: "notifications/elicitation/complete", params: { elicitationId: "page-1" } });
    return answer;
  }
  const { params: { elicitationId: _id, ...params } = {}, method } = questions[kind];
  const answer = mcpReq.inputResponses?.[kind];
  if (answer === undefined)
    return inputRequired({ inputRequests: { [kind]: { method, params } }, requestState: `state of ${kind}` });
  if (mcpReq.requestState() !== `state of ${kind}`) throw new ProtocolError(-32602, "not the state that I gave");
  return answer;
};

serveStdio(
  () => {
    const server = new Server({ name: "asking", version: "1" }, { capabilities: { tools: {} } });
    const tools = ["form", "page", "model", "model_with_tools", "roots", "count", "page_first", "wait", "start"];
    // As the official filesystem server does.
    server.oninitialized = () => {
      server.listRoots().then(
        (answer) => {
          askedAtStart = JSON.stringify(answer);
        },
        (refused) => {
          askedAtStart = refused.message;
        },
      );
    };
    server.setRequestHandler("tools/list", () => ({
      tools: tools.map((tool) => ({ name: tool, inputSchema: { type: "object" } })),
    }));
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      if (params.name === "count") return text({ calls });
      if (params.name === "start") return text({ askedAtStart });
      if (context.mcpReq.inputResponses === undefined) calls++;
      if (params.name === "wait") {
        await new Promise((done) => setTimeout(done, params.arguments?.ms ?? 1000));
        return text({ waited: true });
      }
      if (params.name === "page_first") {
        if (visited) return text({ visited });
        setTimeout(() => {
          visited = true;
          server.notification({ method: "notifications/elicitation/complete", params: { elicitationId: "page-2" } });
        }, 300);
        const page = { mode: "url", message: "First this", url: "https://example.org/first", elicitationId: "page-2" };
        throw new ProtocolError(-32042, "Go to the page first", { elicitations: [page] });
      }
      const answer = await ask(params.name, context, server);
      return answer?.resultType === "input_required" ? answer : text({ answer });
    });
    return server;
  },
  { legacy: era === "legacy" ? "serve" : "reject" },
);
