// What results of real servers cost a model as JSON and as TOON (`output.format`), ten of them, counted in tokens: `node bench/toon.mjs`.
// The git server is a test's (npm run setup:tests), and looks at this repository.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { install } from "./gateway.mjs";
import { printWhenAlone } from "./report.mjs";
import { officialServers } from "./servers.mjs";
import { tokensOf } from "./tokens.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const gitFolder = `${root}test/foreign/node_modules/@cyanheads/git-mcp-server`;

const people = `await create_entities({ entities: ["Ann", "Bob", "Cyd", "Dan"].map((name, n) => ({ name, entityType: "person", observations: ["works in team " + n] })) });
await create_relations({ relations: ["Bob", "Cyd", "Dan"].map((to) => ({ from: "Ann", to, relationType: "knows" })) });`;

const results = {
  "everything: weather":
    'import { get_structured_content } from "mcp_tools/everything"; await get_structured_content({ location: "Chicago" })',
  "filesystem: tree of a folder":
    'import { directory_tree } from "mcp_tools/filesystem"; await directory_tree({ path: FOLDER + "src/door" })',
  "filesystem: listing":
    'import { list_directory } from "mcp_tools/filesystem"; await list_directory({ path: FOLDER + "src/door" })',
  "memory: people": `import { create_entities, create_relations } from "mcp_tools/memory"; ${people.replace("await create_entities", "const made = await create_entities")} made`,
  "memory: graph": 'import { read_graph } from "mcp_tools/memory"; await read_graph({})',
  "git: 20 commits": 'import { git_log } from "mcp_tools/git"; await git_log({ path: FOLDER, maxCount: 20 })',
  "git: commits, three fields":
    'import { git_log } from "mcp_tools/git"; (await git_log({ path: FOLDER, maxCount: 50 })).commits.map(({ shortHash, author, subject }) => ({ shortHash, author, subject }))',
  "git: blame of a file":
    'import { git_blame } from "mcp_tools/git"; await git_blame({ path: FOLDER, filePath: "src/door/gate.ts" })',
  "git: branches": 'import { git_branch } from "mcp_tools/git"; await git_branch({ path: FOLDER, mode: "list" })',
  "git: status": 'import { git_status } from "mcp_tools/git"; await git_status({ path: FOLDER })',
};

export async function measure() {
  const { bin } = JSON.parse(readFileSync(`${gitFolder}/package.json`, "utf8"));
  const git = {
    command: process.execPath,
    args: [`${gitFolder}/${typeof bin === "string" ? bin : Object.values(bin)[0]}`],
  };
  const servers = (folder) => ({ ...officialServers(root), memory: officialServers(folder).memory, git });
  const installation = await install(servers, { output: { format: "toon", maxTokens: 40_000 } });
  const gateway = await installation.start();
  try {
    const rows = [];
    for (const [what, code] of Object.entries(results)) rows.push(await rowOf(gateway, what, code));
    const sum = (of) => rows.reduce((total, row) => total + row[of], 0);
    const all = { what: "all ten", toon: sum("toon"), json: sum("json") };
    return [...rows, all].map(({ what, toon, json }) => ({
      what: `${what}, as TOON`,
      ours: `${toon} tokens`,
      floor: `${json} tokens as JSON`,
      ratio: `${(toon / json).toFixed(2)}x`,
    }));
  } finally {
    await gateway.close();
    await installation.remove();
  }
}

async function rowOf(gateway, what, code) {
  const { content, structuredContent } = await gateway.callTool("execute_code", {
    code: code.replaceAll("FOLDER", JSON.stringify(root)),
  });
  if (structuredContent.status !== "ok") throw new Error(`${what}: ${content[0].text}`);
  if (structuredContent.truncated) throw new Error(`${what} was cut`);
  const text = structuredContent.notices ? content[0].text.split("\n[")[0] : content[0].text;
  return { what, toon: tokensOf(text), json: tokensOf(JSON.stringify(structuredContent.result)) };
}

await printWhenAlone(import.meta.url, measure);
