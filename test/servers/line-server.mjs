// A server over stdio, line by line and without the SDK, which shows what was sent to it. `node line-server.mjs legacy|modern`
import { createInterface } from "node:readline";

const [era] = process.argv.slice(2);
const seen = [];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const form = { method: "elicitation/create", params: { message: "Well?", requestedSchema: { type: "object" } } };
const info = { serverInfo: { name: "line", version: "1" }, capabilities: { tools: {} } };
const waiting = new Map();

const tools = {
  /** The line of the call as it came. */
  line: (id, line) => send({ id, result: text(line) }),
  /** All lines that came before. */
  seen: (id) => send({ id, result: text(JSON.stringify(seen)) }),
  never() {},
  typed: (id, _line, { arguments: { type } }) => send({ id, result: { ...text("typed"), resultType: type } }),
  /** Answers with its id as a text, and once more. */
  twice(id) {
    send({ id: String(id), result: text("first") });
    send({ id, result: text("second") });
  },
  /** Asks the user first. */
  ask(id, _line, { inputResponses, requestState }) {
    if (era === "legacy") {
      waiting.set(`ask-${id}`, (answer) => send({ id, result: text(JSON.stringify(answer)) }));
      return send({ id: `ask-${id}`, ...form });
    }
    const answer = inputResponses?.well;
    if (answer) return send({ id, result: text(JSON.stringify([answer, requestState])) });
    return send({ id, result: { resultType: "input_required", inputRequests: { well: form }, requestState: "mine" } });
  },
  asks_for_ever: (id) => send({ id, result: { resultType: "input_required", requestState: "more" } }),
  /** Asks, and does not answer after that. */
  ask_only: (id) => send({ id: `ask-${id}`, ...form }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "tools/call") tools[params.name](id, line, params);
  else if (method === "initialize" && era === "modern") send({ id, error: { code: -32601, message: "no handshake" } });
  else if (method === "initialize") send({ id, result: { ...info, protocolVersion: params.protocolVersion } });
  else if (method === "server/discover")
    send({
      id,
      result: { ...info, resultType: "complete", supportedVersions: ["2026-07-28"], ttlMs: 0, cacheScope: "private" },
    });
  else if (method === "ping") send({ id, result: {} });
  else if (method === undefined) waiting.get(id)?.(result);
  seen.push(line);
});
