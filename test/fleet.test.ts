import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Coordinator } from "../src/app/coordinator.ts";
import { doctor } from "../src/app/doctor.ts";
import type { Finding } from "../src/app/finding.ts";
import { servicesOf } from "../src/app/services-of.ts";
import { runOperation } from "../src/operations/operation.ts";
import { createFleet } from "./foreign/fleet.ts";
import { isAlive, processesUnder } from "./gateway/connect.ts";
import { presented } from "./presented.ts";

// 22 servers that others wrote, behind one coordinator. None of them is asked for something that needs the network.

// In lower case: one of the servers makes every path so.
const isLower = tmpdir() === tmpdir().toLowerCase();
const folder = join(isLower ? tmpdir() : "/tmp", `fleet-${process.pid}`);
const { mcpServers, files } = createFleet(folder);
const names = Object.keys(mcpServers) as (keyof typeof mcpServers)[];

let coordinator: Coordinator;
beforeAll(async () => {
  const config = join(folder, "mcp_servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers }));
  coordinator = await Coordinator.open({ config, env: { ...process.env, MCP_COORDINATOR_HOME: join(folder, "home") } });
  await servicesOf(coordinator).libraries.discover();
});
afterAll(async () => {
  await coordinator.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = async (language: "typescript" | "python", code: string) => {
  const { status, result, error } = await coordinator.execute({ language, code, timeoutSeconds: 60 });
  expect([status, error]).toEqual(["ok", undefined]);
  return result;
};

test("all are there, each with its tools, and none has failed", async () => {
  const servers = (await coordinator.run("list_servers", {})) as { name: string; tools: number; state: string }[];
  // Those that were only listed are let go when there are many of them.
  const isWell = (state: string) => state === "ready" || state === "idle";
  expect(servers.filter(({ tools, state }) => tools > 0 && isWell(state)).map(({ name }) => name)).toEqual(names);
  const listed = names.map((server_name) => coordinator.run("list_tools", { server_name }) as Promise<object[]>);
  expect((await Promise.all(listed)).flat().length).toBeGreaterThan(250);
});

test.each([
  ["current time in a timezone", "time"],
  ["commit staged changes", "git"],
  ["multiply two numbers", "calculator"],
  ["search notes", "obsidian"],
  ["take a screenshot of the page", "chrome"],
  ["pie chart", "chart"],
  ["create a merge request", "gitlab"],
  ["post a message to a channel", "slack"],
])("a search for %j finds a tool of %s among the first three", async (query, server) => {
  const { results } = (await coordinator.run("search_tools", { query })) as { results: { server?: string }[] };
  expect(results.slice(0, 3).map((found) => found.server)).toContain(server);
});

test("a search says of which tools the arguments are not known", async () => {
  const { text } = await presented(coordinator, "search_tools", { query: "create a merge request" });
  const undescribed = text.split("\n").filter((line) => line.endsWith("does not say which arguments it takes"));
  expect(undescribed).toContainEqual(expect.stringMatching(/^create_merge_request\(/));
  expect(undescribed).not.toContainEqual(expect.stringMatching(/pull_request/));
});

test("a name that several servers have is imported from each", async () => {
  const code = `
    import { list_tables } from "mcp_tools/airtable";
    import { create_issue } from "mcp_tools/github";
    import { create_issue as create_gitlab_issue, create_branch } from "mcp_tools/gitlab";
    [list_tables, create_issue, create_gitlab_issue, create_branch].map((tool) => typeof tool)`;
  expect(await run("typescript", code)).toEqual(Array(4).fill("function"));
});

test("a guest in TypeScript chains what works without the network", async () => {
  const code = `
    import { obsidian_read_note } from "mcp_tools/vault";
    import { search_notes } from "mcp_tools/obsidian";
    import { mul } from "mcp_tools/calculator";
    import { days_in_month } from "mcp_tools/time";
    import { sequentialthinking } from "mcp_tools/thinking";
    import { write_file } from "mcp_tools/filesystem";
    import { git_add, git_commit, git_log } from "mcp_tools/git";
    import { create_entities } from "mcp_tools/memory";

    const note = await obsidian_read_note({ vault: "notes", path: "plan.md" });
    if (!note.ok) throw new Error(note.error.message);
    const [found, product, days] = await Promise.all([
      search_notes({ query: "plan" }),
      mul({ a: 6, b: 7 }),
      days_in_month({ date: "2026-02-01" }),
    ]);
    const content = [note.data.content.trim(), found, product, days].join("\\n");
    const { thoughtHistoryLength } = await sequentialthinking({
      thought: content, nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1,
    });
    await write_file({ path: ${JSON.stringify(join(files, "plan.txt"))}, content });
    await git_add({ path: ${JSON.stringify(files)}, paths: ["plan.txt"] });
    await git_commit({ path: ${JSON.stringify(files)}, message: "The plan" });
    const { commits } = await git_log({ path: ${JSON.stringify(files)} });
    await create_entities({ entities: [{ name: "plan", entityType: "commit", observations: [commits[0].subject] }] });
    ({ thoughtHistoryLength, commits: commits.length })`;
  expect(await run("typescript", code)).toEqual({ thoughtHistoryLength: 1, commits: 1 });
  expect(readFileSync(join(files, "plan.txt"), "utf8")).toBe(
    "Ship the gateway.\n/plan.md\nThe product of 6 and 7 is 42\nThe number of days in month is 28.",
  );
});

test("a guest in Python goes on with what the other has left", async () => {
  const code = `
import asyncio
from mcp_tools.memory import search_nodes
from mcp_tools.filesystem import read_text_file
from mcp_tools.aio.everything import echo
from mcp_tools.aio.commands import run_command
from mcp_tools.aio.basic_react import get_time
from mcp_tools.aio.map import show_map
from mcp_tools.aio.knip import knip_docs

message = search_nodes(query="plan")["entities"][0]["observations"][0]
first = read_text_file(path=${JSON.stringify(join(files, "plan.txt"))}, head=1)["content"]
answers = await asyncio.gather(echo(message=message), run_command(command="git -C ${files} log --format=%an"), show_map(), get_time(), knip_docs(topic="configuration"))
[first, *(answer.split("\\n")[0] for answer in answers[:2]), answers[2][:16], answers[3][:2], "Knip" in answers[4]]`;
  expect(await run("python", code)).toEqual([
    "Ship the gateway.",
    "Echo: The plan",
    "Fleet",
    "Displaying globe",
    "20",
    true,
  ]);
});

test.each<[keyof typeof mcpServers, string, string]>([
  ["context7", "query-docs", "libraryId"],
  ["gitlab", "create_branch", "Cannot read properties"],
  ["hubspot", "hubspot-list-objects", "objectType"],
  ["notion", "API-get-self", "ECONNREFUSED"],
  ["chart", "generate_pie_chart", "ECONNREFUSED"],
  ["chrome", "click", "uid"],
  ["github", "create_branch", "owner"],
  ["airtable", "list_records", "baseId"],
])("%s, which needs more than this machine, says so itself when it is called", async (server, tool, message) => {
  await expect(coordinator.callTool(server, tool)).rejects.toMatchObject({
    delivery: "failed",
    message: expect.stringContaining(message),
  });
});

test("one that is killed is started again by its next call, and the others do not notice", async () => {
  const { upstreams } = servicesOf(coordinator);
  // It may have been closed for being idle, on a busy machine.
  await run("typescript", `import { mul } from "mcp_tools/calculator"; await mul({ a: 1, b: 1 })`);
  const pids = new Map(names.map((name) => [name, upstreams.state(name).pid]));
  process.kill(pids.get("calculator") as number, "SIGKILL");
  const code = `
    import { mul } from "mcp_tools/calculator";
    import { echo } from "mcp_tools/everything";
    import { current_time } from "mcp_tools/time";
    const again = async () => { for (;;) try { return await mul({ a: 2, b: 2 }); } catch (error) { if (error.delivery !== "not_sent") throw error; } };
    await Promise.all([echo({ message: "still here" }), current_time(), again()])`;
  expect(await run("typescript", code)).toMatchObject([
    "Echo: still here",
    expect.any(String),
    "The product of 2 and 2 is 4",
  ]);
  // One that nobody has called may be closed meanwhile, for being idle.
  const changed = names.filter((name) => (upstreams.state(name).pid ?? pids.get(name)) !== pids.get(name));
  expect(changed).toEqual(["calculator"]);
});

test("doctor names each defect, and closing leaves no process", async () => {
  const pids = names.map((name) => servicesOf(coordinator).upstreams.state(name).pid as number);
  const servers = pids.flatMap((pid) => [pid, ...processesUnder(pid)]);
  const findings = await runOperation(doctor(servicesOf(coordinator)), {});
  await coordinator.close();
  const about = new Map(findings.map((finding) => [finding.server, finding]));
  const defects = names.filter((name) => about.get(name)?.status !== "ok");
  expect(defects).toEqual(["time", "calculator", "gitlab", "hubspot"]);
  const { message } = about.get("gitlab") as Finding;
  expect(message).toMatch(
    /^9 tools; it does not say which arguments these take: create_or_update_file, .*create_branch$/,
  );
  expect(about.get("hubspot")?.message).toBe(
    "21 tools; it says that it has resources, and does not know how to list them",
  );
  for (const loud of ["time", "calculator"]) {
    expect(about.get(loud)?.message).toMatch(/it wrote 1 lines to stdout that are not messages$/);
  }
  await expect.poll(() => servers.filter(isAlive)).toEqual([]);
});
