// An MCP server over stdio that says whatever its script says: `node hostile-server.mjs [SCRIPT.json]`.
//
//   json          the JSON text that is put wherever "@@hole@@" stands in the texts below
//   whole         by method: the text of the whole result, such as that of initialize
//   lists         by method: the texts of the items
//   results       by method, then by name of a tool or prompt, or address of a resource: the text of the result
//   errors        in the same way: the text of an error
//   sent          by name of a tool: texts of messages that are sent before the answer
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const path = process.argv[2];
const script = path === undefined ? {} : JSON.parse(readFileSync(path, "utf8"));
const { json = '""', whole = {}, lists = {}, results = {}, errors = {}, sent = {} } = script;
const fill = (text) => text.split('"@@hole@@"').join(json);
const say = (text) => process.stdout.write(`${text}\n`);

const echo = { name: "echo", description: "Gives back what it gets", inputSchema: { type: "object" } };
const usual = { "tools/list": [JSON.stringify(echo)] };
const members = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
};
const echoed = { content: [{ type: "text", text: "ok" }] };

function answer(id, { method, params = {} }) {
  const result = (text) => say(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`);
  if (whole[method] !== undefined) return result(fill(whole[method]));
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true }, prompts: {}, resources: {}, logging: {} };
    const { protocolVersion } = params;
    const handshake = { protocolVersion, capabilities, serverInfo: { name: "hostile", version: "1" } };
    return result(JSON.stringify(handshake));
  }
  if (members[method]) {
    const items = [...(usual[method] ?? []), ...(lists[method] ?? [])];
    return result(`{"${members[method]}":[${items.map(fill).join()}]}`);
  }
  const name = params.name ?? params.uri;
  for (const text of sent[name] ?? []) say(fill(text));
  const error = errors[method]?.[name];
  if (error !== undefined) return say(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${fill(error)}}`);
  const text = results[method]?.[name];
  return result(text === undefined ? JSON.stringify(method === "tools/call" ? echoed : {}) : fill(text));
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  if (request.id !== undefined && request.method !== undefined) answer(request.id, request);
});
