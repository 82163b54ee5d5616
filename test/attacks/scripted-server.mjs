// An MCP server that does what a file says: `node scripted-server.mjs SCRIPT.json`.
//
//   tools         the list as it is sent; pages: lists by cursor, where one page names the next
//   answers       by tool: the text of the result, unchecked; else the arguments come back
//   lines         by tool: whole lines that are sent before the answer; ID in them is the call's id
//   bytes         by tool: base64 of what is sent in place of an answer
//   stderr        megabytes of noise on stderr before every answer
//   initialize    the text of the result of the handshake
//   log           a file that gets the name of every tool that is called
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const {
  tools = [],
  pages,
  answers = {},
  lines = {},
  bytes = {},
  stderr = 0,
  initialize,
  log,
} = JSON.parse(readFileSync(process.argv[2], "utf8"));
const has = (object, key) => Object.hasOwn(object, key);
const write = (id, json) => process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}\n`);

function call(id, { name, arguments: args }) {
  if (log) appendFileSync(log, `${name}\n`);
  for (let megabyte = 0; megabyte < stderr; megabyte++) process.stderr.write("\u001b[31mnoise ".repeat(85_000));
  for (const line of has(lines, name) ? lines[name] : []) process.stdout.write(`${line.replaceAll("ID", id)}\n`);
  if (has(bytes, name)) return process.stdout.write(Buffer.from(bytes[name].replaceAll("ID", id), "base64"));
  const echoed = JSON.stringify({ content: [], structuredContent: { called: name, args } });
  return write(id, has(answers, name) ? answers[name] : echoed);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  const { protocolVersion, cursor = "" } = params;
  const handshake = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "scripted", version: "1" } };
  if (method === "initialize") write(id, initialize ?? JSON.stringify(handshake));
  else if (method === "tools/list") write(id, JSON.stringify(pages ? pages[cursor] : { tools }));
  else if (method === "tools/call") call(id, params);
  else if (id !== undefined && method !== undefined) write(id, "{}");
});
