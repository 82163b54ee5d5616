// Any number of MCP servers of 20 tools each in this one process, over HTTP: real definitions where there is a folder of them, else made up.
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const toolsOfServer = 20;

/** The definitions in a folder of `<server>.json`; made-up ones where there is none. */
export function readDefinitions(folder) {
  try {
    const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
    return files.sort().flatMap((file) => {
      const content = JSON.parse(readFileSync(join(folder, file), "utf8"));
      return Array.isArray(content) ? content : content.tools;
    });
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return Array.from({ length: 400 }, (_, number) => madeUp(number));
  }
}

/** Serves them at `/1`, `/2` and so on; `entries(count)` are the entries of that many servers in a configuration. */
export async function startServers(definitions) {
  let asked = 0;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = JSON.parse(text);
      if (id === undefined) return response.writeHead(202).end();
      if (method === "tools/list") asked++;
      const body = { jsonrpc: "2.0", id, ...answer(method, Number(request.url.slice(1)), definitions) };
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    entries: (count) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, number) => [
          `server-${number}`,
          { url: `http://127.0.0.1:${port}/${number}` },
        ]),
      ),
    /** How many were asked for their tools. */
    asked: () => asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(method, number, definitions) {
  if (method === "initialize") {
    const serverInfo = { name: "bench", version: "1.0.0" };
    return { result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } };
  }
  if (method !== "tools/list") return { error: { code: -32601, message: "Method not found" } };
  const tools = Array.from({ length: toolsOfServer }, (_, index) => {
    const definition = definitions[(number * toolsOfServer + index) % definitions.length];
    return { ...definition, name: `${definition.name}_${number}` };
  });
  return { result: { tools } };
}

const verbs = "get list create update delete search send read write move copy open close start stop merge".split(" ");
const things = "file folder issue user message branch page chart table row query image event task note order".split(
  " ",
);
const parts = "of the given account in the project with its details and history by name or number as text".split(" ");

/** The same for the same number. */
function madeUp(number) {
  let seed = number + 1;
  const pick = (list) => {
    seed = (seed * 48271) % 2147483647;
    return list[seed % list.length];
  };
  const [verb, thing] = [pick(verbs), pick(things)];
  const text = (length) => Array.from({ length }, () => pick([...things, ...parts])).join(" ");
  const names = Array.from({ length: 5 }, () => `${pick(things)}_${pick(["id", "name", "limit", "since"])}`);
  return {
    name: `${verb}_${thing}`,
    description: `${verb} a ${thing}. ${text(40)}.`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string", description: text(12) }])),
    },
  };
}
