import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkChanges } from "../src/app/check-changes.ts";
import type { Coordinator } from "../src/app/coordinator.ts";
import { servicesOf } from "../src/app/services-of.ts";
import { folder, openCoordinator, ownServer } from "./open-coordinator.ts";
import { presented } from "./presented.ts";

// A real server that changes its tools between two questions.

const list = join(folder, "tools.json");
const say = (...tools: object[]) => writeFileSync(list, JSON.stringify(tools));
const pay = {
  name: "pay",
  description: "Pays",
  inputSchema: { type: "object", properties: { sum: { type: "number" } } },
};

async function open(): Promise<Coordinator> {
  const coordinator = await openCoordinator({ mcpServers: { shop: ownServer("changing-server", list) } });
  await servicesOf(coordinator).libraries.discover();
  return coordinator;
}

const search = async (coordinator: Coordinator) =>
  (await presented(coordinator, "search_tools", { query: "pay" })).text;

test("what a server changes is noticed, told once with the next search, and shown with a diff", async () => {
  say(pay, { name: "list_bills", description: "Lists bills" });
  const first = await open();
  expect(await search(first)).not.toContain("Changed since");
  await servicesOf(first).libraries.refresh("shop");
  expect(await search(first)).not.toContain("Changed since");
  await first.close();

  say({ ...pay, inputSchema: { type: "object", properties: { sum: { type: "string" } } } }, { name: "refund" });
  const second = await open();
  await servicesOf(second).libraries.refresh("shop");
  expect(await search(second)).toContain(
    "Changed since these servers were last asked:\nshop: pay changed (input), list_bills removed, refund added",
  );
  expect(await search(second)).not.toContain("Changed since");

  const changes = (await second.run("tool_changes", { server_name: "shop" })) as { definitions: { diff: string }[] };
  expect(changes.definitions).toMatchObject([
    { tool: "refund", kind: "added" },
    { tool: "list_bills", kind: "removed" },
    { tool: "pay", kind: "changed", parts: ["input"] },
  ]);
  expect(changes.definitions[2]?.diff).toContain('-      "type": "number"\n+      "type": "string"\n');
  expect(await checkChanges(servicesOf(second))).toEqual([
    {
      area: "server",
      server: "shop",
      status: "warn",
      message: "changed in the last week: refund added, list_bills removed, pay changed (input)",
      fix: "Look at what uses them; `mcp-coordinator tools shop --changes` shows the differences.",
    },
  ]);
});
