// The product as a user has it: `dist/cli.js serve` on a configuration, with data of its own, in a temporary folder.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "./mcp-client.mjs";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/**
 * A temporary folder with a configuration and an empty data folder; `remove` leaves nothing of it. `servers` gives the
 * servers' entries for a folder of files that they may work in.
 */
export async function install(servers, coordinator = {}) {
  const folder = await mkdtemp(join(tmpdir(), "mcp-coordinator-"));
  const files = join(folder, "files");
  await mkdir(files);
  const config = join(folder, "mcp_servers.json");
  const env = { MCP_COORDINATOR_HOME: join(folder, "data") };
  await writeFile(config, JSON.stringify({ mcpServers: servers(files), coordinator }));
  return {
    files,
    config,
    env,
    /** Starts a gateway, in a group of bench/cpu-group.mjs if there is one, and shakes hands with it. */
    start(group) {
      const words = [process.execPath, cli, "serve", "--config", config];
      const [command, ...args] = words;
      return connect({ ...(group?.command(...words) ?? { command, args }), env, stderr: "inherit" });
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs guest code through the MCP tool; throws when it did not end well. */
export async function executeCode(gateway, code, language = "typescript") {
  const { content, structuredContent } = await gateway.callTool("execute_code", { code, language });
  if (structuredContent?.status !== "ok") throw new Error(`The guest did not end well: ${content[0].text}`);
  return structuredContent.result;
}

/** Waits until every server has been asked for its tools, so that the next start finds them cached. */
export async function discover(gateway) {
  const deadline = performance.now() + 90_000;
  for (;;) {
    const { structuredContent } = await gateway.callTool("search_tools");
    const missing = structuredContent.missing ?? [];
    if (missing.length === 0) return;
    if (performance.now() > deadline) throw new Error(`Servers did not answer: ${JSON.stringify(missing)}`);
  }
}
