import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Coordinator } from "../src/operations/coordinator.ts";

// Skills through the whole system: saved, imported, run, edited as files, with real sandboxes and a real server.

const folder = mkdtempSync(join(tmpdir(), "skills-"));
const server = (name: string) => fileURLToPath(new URL(`servers/${name}`, import.meta.url));
const data = { command: process.execPath, args: [server("data-server.mjs")] };
const opened: Coordinator[] = [];

const open = async (home = "home", mcpServers: object = { data }): Promise<Coordinator> => {
  const config = join(folder, `${home}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const env = { ...process.env, MCP_COORDINATOR_HOME: join(folder, home) };
  const coordinator = await Coordinator.open({ config, env });
  opened.push(coordinator);
  return coordinator;
};

afterAll(async () => {
  await Promise.all(opened.map((coordinator) => coordinator.close()));
  rmSync(folder, { recursive: true, force: true });
});

const total = `import { orders } from "mcp_tools/data";

/**
 * The sum of the first orders.
 * @param count how many
 */
export async function order_total(count: number, factor = 1): Promise<number> {
  const rows = await orders({ count });
  return rows.reduce((sum: number, row: { amount: number }) => sum + row.amount, 0) * factor;
}
`;

const names = `from mcp_tools.aio.data import customers


async def customer_names(limit: int = 3, /, *, upper: bool = False) -> list[str]:
    """The names of the first customers.

    Args:
        limit: how many
    """
    found = await customers()
    names = [row["name"] for row in found["customers"][:limit]]
    return [name.upper() for name in names] if upper else names
`;

describe("saving", () => {
  test("the answer says version, import, parameters, tools and tests", async () => {
    const coordinator = await open();
    const tests = `import { order_total } from "skills/order_total";
if ((await order_total(2)) !== 919) throw new Error(String(await order_total(2)));`;
    const saved = await coordinator.run("save_skill", { name: "order_total", code: total, tags: ["money"], tests });
    expect(saved).toMatchObject({
      name: "order_total",
      version: 1,
      stored: true,
      import: 'import { order_total } from "skills/order_total"',
      parameters: [
        { name: "count", type: "number", optional: false, description: "how many" },
        { name: "factor", optional: true },
      ],
      tools: ["data.orders"],
      tests: "passed",
    });
    const again = await coordinator.run("save_skill", { name: "order_total", code: total, tags: ["money"], tests });
    expect(again).toMatchObject({ version: 1, stored: false });
  });

  test("async Python is saved and run with arguments by name", async () => {
    const coordinator = await open();
    expect(await coordinator.run("save_skill", { name: "customer_names", code: names })).toMatchObject({
      version: 1,
      import: "from skills.customer_names import customer_names",
      tools: ["data.customers"],
    });
    const run = await coordinator.run("run_skill", { name: "customer_names", args: { limit: 2, upper: true } });
    expect(run).toMatchObject({ status: "ok", result: ["CUSTOMER 0", "CUSTOMER 1"], skill: "customer_names@1" });
  });
});
