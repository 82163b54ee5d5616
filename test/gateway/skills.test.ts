import { rmSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { connect, createHome, server } from "./connect.ts";

// Two coordinators on the same data, as two AI clients have them.

const place = createHome({ data: server("data-server") }, { toolsets: ["code", "skills"] });
afterAll(() => rmSync(place.home, { recursive: true, force: true }));

test("a skill that one client saves is imported by a guest of another at once, in both languages", async () => {
  await using writer = await connect(place);
  await using reader = await connect(place);
  await reader.call("execute_code", { code: "1" });

  const typescript = {
    name: "count_orders",
    code: 'import { orders } from "mcp_tools/data";\n/** How many. */\nexport const count_orders = async (count: number) => (await orders({ count })).length;',
  };
  expect((await writer.call("save_skill", typescript)).structuredContent).toMatchObject({ version: 1, stored: true });
  const code = 'import { count_orders } from "skills/count_orders";\nawait count_orders(3)';
  expect((await reader.call("execute_code", { code })).structuredContent).toMatchObject({ status: "ok", result: 3 });

  const python = {
    name: "count_rows",
    code: 'from mcp_tools.aio.data import orders\n\nasync def count_rows(count: int) -> int:\n    """How many."""\n    return len(await orders(count=count))\n',
  };
  expect((await writer.call("save_skill", python)).structuredContent).toMatchObject({ version: 1, stored: true });
  const source = "from skills.count_rows import count_rows\nawait count_rows(4)";
  const ran = await reader.call("execute_code", { code: source, language: "python" });
  expect(ran.structuredContent).toMatchObject({ status: "ok", result: 4 });

  const next = { ...typescript, code: typescript.code.replace(".length", ".length * 10") };
  expect((await reader.call("save_skill", next)).structuredContent).toMatchObject({ version: 2 });
  const run = await writer.call("run_skill", { name: "count_orders", args: { count: 2 } });
  expect(run.structuredContent).toMatchObject({ status: "ok", result: 20, skill: "count_orders@2" });
});

test("the toolset has the tools of the contract, and what is wrong is told as an error", async () => {
  await using gateway = await connect(place);
  const { tools } = await gateway.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "search_tools",
    "execute_code",
    "save_skill",
    "list_skills",
    "search_skills",
    "get_skill",
    "get_skill_import",
    "run_skill",
    "delete_skill",
  ]);
  const answer = await gateway.call("get_skill_import", { name: "count_order" });
  expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: "skill_unknown" } } });
  expect(answer.content).toEqual([
    { type: "text", text: 'There is no skill "count_order". Did you mean "count_orders"?' },
  ]);
});
