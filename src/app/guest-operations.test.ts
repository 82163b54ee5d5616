import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Coordinator } from "./coordinator.ts";
import { operationsOf } from "./services-of.ts";

/** Operations of guests that change something and store nothing here; what is installed has a limit of its own. */
const notStoring = [
  ...["call_tool", "fetch", "memory.delete", "session.end", "skills.delete", "workspace.remove"],
  ...["packages.install", "registry.add", "registry.remove"],
];

test("what a guest can store is counted, whichever operation stores it", async () => {
  const home = mkdtempSync(join(tmpdir(), "guest-operations-"));
  const config = join(home, "mcp_servers.json");
  writeFileSync(config, "{}");
  const coordinator = await Coordinator.open({ config, env: { ...process.env, MCP_COORDINATOR_HOME: home } });
  try {
    const changing = operationsOf(coordinator).filter(({ guest, readOnly }) => guest !== undefined && !readOnly);
    const uncounted = changing.flatMap(({ guest, stores }) => (stores ? [] : (guest ?? [])));
    expect(uncounted.filter((name) => !notStoring.includes(name))).toEqual([]);
    expect(changing.filter(({ stores }) => stores)).toHaveLength(6);
  } finally {
    await coordinator.close();
    rmSync(home, { recursive: true, force: true });
  }
});

test("the example of each function of guests is a call that it takes, and says whatever it needs", async () => {
  const home = mkdtempSync(join(tmpdir(), "guest-operations-"));
  const config = join(home, "mcp_servers.json");
  const coordinator = { sandbox: { network: { allow: ["example.org"] } }, toolsets: ["code", "registry"] };
  writeFileSync(config, JSON.stringify({ mcpServers: {}, coordinator }));
  const opened = await Coordinator.open({ config, env: { ...process.env, MCP_COORDINATOR_HOME: home } });
  try {
    const functions = operationsOf(opened).filter(({ guest }) => guest !== undefined);
    const wrong = functions.flatMap(({ guest, input, example = {} }) => {
      const { error } = input().safeParse(example);
      return error ? [`${guest}: ${error.message}`] : [];
    });
    expect(wrong).toEqual([]);
    expect(functions.length).toBeGreaterThan(30);
  } finally {
    await opened.close();
    rmSync(home, { recursive: true, force: true });
  }
});
