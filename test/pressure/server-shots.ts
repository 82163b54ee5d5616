import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GatewayUnderPressure, openGateway, type Transport } from "./gateway-under-pressure.ts";
import { expand, type Recipe } from "./hostile-inputs.ts";
import { hostileServer } from "./hostile-server.ts";
import type { Battery, Shot } from "./press.ts";
import type { ServerField } from "./server-fields.ts";
import { scriptOf } from "./server-script.ts";

// Servers that are hostile: each has one input in many of its fields, and everything that it has is used.

export interface ServerShot extends Shot {
  readonly recipe: Recipe;
  readonly size: number;
  readonly fields: readonly ServerField[];
}

/** Uses everything that a server has, from inside and from outside. */
const useAll = (name: string) => `import * as server from "mcp_tools/${name}";
import { prompts, resources, search } from "coordinator";
const attempt = async (work: () => Promise<unknown>) => { try { return await work() } catch { return [] } };
const tools: any = await attempt(() => server.list_tools());
for (let next = 0; next < tools.length; next += 8)
  await Promise.all(tools.slice(next, next + 8).map((tool: any) => attempt(() => server.call(tool.name, {}))));
const listed = async (list: any) => { const found: any = await attempt(() => list({ server: "${name}" })); return Array.isArray(found) ? found : [] };
for (const prompt of await listed(prompts.list)) await attempt(() => prompts.get(prompt.name, {}));
for (const found of await listed(resources.list)) await attempt(() => resources.read(found.uri));
await listed(resources.templates);
await attempt(() => search({ query: "a" }));
tools.length`;

const useInPython = (name: string) => `import mcp_tools.${name} as server
try:
    print(len(server.list_tools()))
except Exception as error:
    print(error)`;

const runSeconds = 20;

export function serverBattery(transport: Transport): Battery<ServerShot> {
  const folder = mkdtempSync(join(tmpdir(), "pressure-servers-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  let scripts = 0;
  return {
    name: `server, its client over ${transport}`,
    answerMs: (2 * runSeconds + 15) * 1000,
    needsFresh: true,
    open(shots) {
      const entries = shots.map((shot, index) => {
        const script = join(folder, `${++scripts}.json`);
        writeFileSync(script, JSON.stringify(scriptOf(expand(shot.recipe, shot.size), shot.fields)));
        return [`hostile${index}`, hostileServer(script)];
      });
      return openGateway({ transport, mcpServers: { quiet: hostileServer(), ...Object.fromEntries(entries) } });
    },
    async warmUp(gateway) {
      await call(gateway, "execute_code", { code: "undefined_name" });
      await call(gateway, "execute_code", { code: useAll("quiet"), servers: ["quiet"] });
    },
    async fire(gateway, shots) {
      await Promise.all(shots.map(({ of }, index) => useServer(gateway, `hostile${index}`, of)));
      await call(gateway, "search_tools", { query: "a b", detail: "full", limit: 200 });
      await call(gateway, "generate_tools", {});
      for (const uri of ["servers://available", "servers://summary"])
        await gateway.wire.ask("resources/read", JSON.stringify({ uri }));
    },
  };
}

async function useServer(gateway: GatewayUnderPressure, name: string, of: string): Promise<void> {
  await call(gateway, "list_tools", { server_name: name });
  await call(gateway, "search_tools", { query: "a", server: name, detail: "full" });
  await call(gateway, "get_tool_schema", { server_name: name, tool_name: "hostile_1" });
  await call(gateway, "call_tool", { server_name: name, tool_name: "hostile_1", arguments: {} });
  await call(gateway, "execute_code", { code: useAll(name), timeout: runSeconds });
  const isOfTools = of === "tools";
  if (isOfTools)
    await call(gateway, "execute_code", { code: useInPython(name), language: "python", timeout: runSeconds });
}

function call({ wire }: GatewayUnderPressure, name: string, args: object): Promise<string> {
  return wire.ask("tools/call", JSON.stringify({ name, arguments: args }));
}
