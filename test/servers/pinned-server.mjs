// An MCP server over stdio that offers what a file says at the moment it is asked: { tools, prompts, templates, instructions }. It
// appends a line for each call of a tool and each prompt that was got to a second file. The tool "change" puts the file "<first>.next"
// into the place of the first one, and tells that the lists have changed before it answers; from then on lists take a while.
import { appendFileSync, readFileSync, renameSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , file, acts] = process.argv;
let listMs = 0;
const offered = () => JSON.parse(readFileSync(file, "utf8"));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (content) => ({ content: [{ type: "text", text: content }] });

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: {} },
    serverInfo: { name: "pinned", version: "1.0.0" },
    instructions: offered().instructions,
  }),
  "tools/list": () => ({ tools: offered().tools ?? [] }),
  "prompts/list": () => ({ prompts: offered().prompts ?? [] }),
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: offered().templates ?? [] }),
  "tools/call"({ name }) {
    appendFileSync(acts, `${name}\n`);
    if (name === "change") {
      renameSync(`${file}.next`, file);
      listMs = 500;
      for (const list of ["tools", "prompts"]) send({ method: `notifications/${list}/list_changed` });
    }
    return text(process.env.TOKEN ? `${name} with ${process.env.TOKEN}` : `${name} is done`);
  },
  "prompts/get"({ name }) {
    appendFileSync(acts, `prompt ${name}\n`);
    return { messages: [{ role: "user", content: { type: "text", text: "say it" } }] };
  },
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = methods[method];
  if (answer && method === "tools/list") setTimeout(() => send({ id, result: answer() }), listMs);
  else if (answer) send({ id, result: answer(params ?? {}) });
  else send({ id, error: { code: -32601, message: "no such method" } });
});
