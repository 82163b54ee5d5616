import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { servicesOf } from "../src/app/services-of.ts";
import type { RunDetail } from "../src/door/journal.ts";
import { folder, officialServer, openCoordinator, ownServer } from "./open-coordinator.ts";
import { presented } from "./presented.ts";
import { longestStandstill } from "./standstill.ts";

// The whole path, from code to real servers and back, through the library.

const open = (mcpServers: object, coordinator: object = {}, home = "home"): Promise<Coordinator> =>
  openCoordinator({ mcpServers, coordinator, home });

const fleet = {
  data: { ...ownServer("data-server"), tools: { deny: ["delete_*"] } },
  everything: officialServer("everything"),
  "my-memory": { ...officialServer("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
  faulty: ownServer("faulty-server"),
};

let coordinator: Coordinator;
beforeAll(async () => {
  coordinator = await open(fleet);
});

describe("a run", () => {
  test("filters, joins and prints five rows of a 5 MB result", async () => {
    const run = await coordinator.execute({
      code: `
        import { orders, customers } from "mcp_tools/data";
        const [all, { customers: people }] = await Promise.all([orders(), customers()]);
        const names = new Map(people.map((c) => [c.id, c.name]));
        const big = all.filter((o) => o.amount > 900).sort((a, b) => b.amount - a.amount || a.id - b.id);
        for (const o of big.slice(0, 5)) console.log(names.get(o.customer), o.amount);
        all.length`,
    });
    expect(run).toMatchObject({ status: "ok", result: 10_000, calls: { total: 2, failed: 0 } });
    expect(run.stdout?.split("\n").filter(Boolean)).toHaveLength(5);
  });

  test("chains servers, under names that are not identifiers too", async () => {
    const { result, error } = await coordinator.execute({
      code: `
        import { create_entities, read_graph } from "mcp_tools/my_memory";
        import { echo } from "mcp_tools/everything";
        await create_entities({ entities: [{ name: "Ada", entityType: "person", observations: ["wrote notes"] }] });
        const graph = await read_graph();
        await echo({ message: graph.entities.map((e) => e.name).join() })`,
    });
    expect(error).toBeUndefined();
    expect(result).toContain("Ada");
  });

  test("is stopped before it starts when a tool or an argument is wrong", async () => {
    const run = await coordinator.execute({
      code: 'import { orders } from "mcp_tools/data";\nawait orders({ cuont: 3 });',
    });
    expect(run).toMatchObject({ status: "check_failed", calls: { total: 0 }, error: { problems: [{ line: 2 }] } });
    expect(run.error?.message).toContain("Did you mean to write 'count'?");
  });

  test("goes on unchecked when asked to, and then fails where it is wrong", async () => {
    const run = await coordinator.execute({ code: 'import { nope } from "mcp_tools/data";', check: false });
    expect(run).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining('no export named "nope"') },
    });
  });

  test("that is dry ends after the check", async () => {
    expect(await coordinator.execute({ code: "console.log(1); 2", dryRun: true })).toMatchObject({
      status: "ok",
      calls: { total: 0 },
    });
    expect((await coordinator.execute({ code: "nowhere", dryRun: true })).status).toBe("check_failed");
  });

  test("gets a failed call as ToolError and says so when it does not catch it", async () => {
    const run = await coordinator.execute({ code: 'import { fail } from "mcp_tools/faulty";\n\nawait fail();' });
    expect(run).toMatchObject({
      status: "error",
      calls: { total: 1, failed: 1 },
      error: {
        name: "ToolError",
        server: "faulty",
        tool: "fail",
        delivery: "failed",
        line: 3,
        message: "it did not work",
      },
    });
  });

  test("learns whether a call was delivered when the server dies under it, and the next call starts it again", async () => {
    const run = await coordinator.execute({
      code: `
        import { crash, echo } from "mcp_tools/faulty";
        const first = await crash().catch((e) => e.delivery);
        [first, await echo({ still: "here" })]`,
    });
    expect(run).toMatchObject({ status: "ok", result: ["unknown", { still: "here" }] });
  });

  test("arguments that a program gives are sent as what JSON makes of them, or not at all", async () => {
    for (const value of [Number.NaN, 10n]) {
      await expect(coordinator.callTool("data", "customers", { value })).rejects.toMatchObject({
        code: "input_invalid",
        message: expect.stringContaining("cannot be sent"),
      });
    }
    await coordinator.callTool("data", "customers", { at: new Date(0), none: undefined }).catch(() => {});
    const [run] = (await coordinator.run("list_runs", { limit: 1 })) as { id: string }[];
    const { toolCalls } = (await coordinator.run("get_run", { run: run?.id })) as { toolCalls: { args: string }[] };
    expect(toolCalls.map(({ args }) => args)).toEqual(['{"at":"1970-01-01T00:00:00.000Z"}']);
  });

  test("cannot reach a tool that the configuration denies, by any path", async () => {
    const run = await coordinator.execute({
      check: false,
      code: `
        import { call } from "mcp_tools/data";
        import { call_tool } from "coordinator";
        import * as root from "mcp_tools";
        const tried = [() => call("delete_everything"), () => root.call("data", "delete_everything"),
          () => call_tool({ server_name: "data", tool_name: "delete_everything" })];
        const ends = [];
        for (const attempt of tried) ends.push(await attempt().then(() => "acted", (e) => e.delivery));
        ends`,
    });
    expect(run.result).toEqual(["not_sent", "not_sent", "not_sent"]);
    await expect(coordinator.callTool("data", "delete_everything")).rejects.toMatchObject({ code: "tool_denied" });
  });

  test("cannot reach servers that it was not given", async () => {
    const code = 'import { echo } from "mcp_tools/everything"; await echo({ message: "x" })';
    expect(await coordinator.execute({ code, servers: ["data"] })).toMatchObject({ status: "check_failed" });
    expect(
      await coordinator.execute({
        code: 'import { call } from "mcp_tools"; await call("everything", "echo", { message: "x" })',
        servers: ["data"],
      }),
    ).toMatchObject({ status: "error", error: { code: "tool_denied", delivery: "not_sent" } });
    await expect(coordinator.execute({ code, servers: ["dta"] })).rejects.toMatchObject({
      hint: 'Did you mean "data"?',
    });
  });

  test("shows a picture as an object", async () => {
    const { result } = await coordinator.execute({ code: 'import { picture } from "mcp_tools/data"; await picture()' });
    const artifact = expect.stringMatching(/^artifact:.*\/image-1\.png$/);
    expect(result).toEqual({ type: "image", mimeType: "image/png", bytes: 2, artifact });
  });

  test("has its output cut to the budget, still data, and whole as an artifact that a later run pages through", async () => {
    const run = await coordinator.execute({
      code: "Array.from({ length: 9000 }, (_, id) => ({ id, text: 'row ' + id }))",
    });
    const [cut] = run.truncated ?? [];
    expect(run.status).toBe("ok");
    expect(cut).toMatchObject({
      of: "result",
      total: 9000,
      unit: "items",
      artifact: `artifact://${run.run}/result.json`,
    });
    expect(run.result).toHaveLength(cut?.shown ?? -1);
    const later = await coordinator.execute({
      code: `
        import { artifacts } from "coordinator";
        const uri = ${JSON.stringify(cut?.artifact)};
        const rows = JSON.parse(await artifacts.read(uri));
        [rows.length, rows.at(-1).id, (await artifacts.read(uri, { offset: 1, limit: 7 }))]`,
    });
    expect(later.result).toEqual([9000, 8999, '{"id":0']);
  });

  test("ends when it is cancelled, and its calls with it", async () => {
    const controller = new AbortController();
    const running = coordinator.execute(
      { code: 'import { slow } from "mcp_tools/data"; await slow({ ms: 20_000 })' },
      { signal: controller.signal, onProgress: () => controller.abort() },
    );
    expect(await running).toMatchObject({ status: "cancelled" });
  });

  test("that is given too long a time is refused with the setting", async () => {
    await expect(coordinator.execute({ code: "1", timeoutSeconds: 10_000 })).rejects.toMatchObject({
      code: "input_invalid",
    });
    expect(await coordinator.execute({ code: "for(;;);", timeoutSeconds: 0.3 })).toMatchObject({
      status: "timeout",
      error: { setting: "coordinator.sandbox.limits.timeoutSeconds" },
    });
  });

  test("is in the journal with its code, its end and each call", async () => {
    const { run } = await coordinator.execute({
      code: 'import { fail } from "mcp_tools/faulty"; await fail({ a: 1 })',
    });
    const detail = (await coordinator.run("get_run", { run })) as RunDetail;
    expect(detail).toMatchObject({
      status: "error",
      engine: "deno",
      toolCalls: [{ server: "faulty", tool: "fail", args: '{"a":1}', outcome: "failed", error: "it did not work" }],
    });
    expect(detail.code).toContain("mcp_tools/faulty");
  });

  test("may come in a code fence", async () => {
    expect((await coordinator.execute({ code: "```ts\n40 + 2\n```" })).result).toBe(42);
  });
});

test("the answer of execute_code is text, or JSON where the configuration says so", async () => {
  const json = await open({}, { output: { format: "json" } }, "json");
  const shown = async (from: Coordinator) => (await presented(from, "execute_code", { code: "[1]" })).text;
  expect(await shown(coordinator)).toBe("[1]");
  expect(JSON.parse(await shown(json))).toMatchObject({ status: "ok", result: [1] });
  await json.close();
});

describe("search_tools", () => {
  type Found = { total: number; results: { name: string; import?: string }[] };
  const search = async (args: object, of: Coordinator = coordinator) => {
    const { data, text } = await presented<Found>(of, "search_tools", args);
    return { ...data, text };
  };

  test("lists the servers, then a server's tools, then what a query finds, ready to import", async () => {
    expect((await search({})).results.map(({ name }) => name)).toEqual(["data", "everything", "my-memory", "faulty"]);
    expect((await search({ server: "data" })).results.map(({ name }) => name)).toEqual([
      "orders",
      "customers",
      "slow",
      "picture",
    ]);
    const { results, text } = await search({ query: "create new entities in the graph" });
    expect(results[0]).toMatchObject({
      name: "create_entities",
      import: 'import { create_entities } from "mcp_tools/my_memory"',
    });
    expect(text).toContain("create_entities({ entities: Entities[] })");
  });

  test("groups by server, with the best first as data, and says how many of how many are shown", async () => {
    const { results, total, text } = await search({ query: "/get|create/", limit: 4 });
    expect(total).toBeGreaterThan(4);
    expect(results).toHaveLength(4);
    expect(text).toContain(`4 of ${total} matches shown; for others set a higher limit or server.`);
    const modules = [...text.matchAll(/^import \{ … \} from "(.*)";/gm)].map(([, module]) => module);
    expect(new Set(modules).size).toBe(modules.length);
  });

  test("shows as many signatures as fit the budget of tokens, and names the others", async () => {
    const frugal = await open(fleet, { output: { maxTokens: 300 } }, "frugal");
    await servicesOf(frugal).libraries.discover();
    const { text, results, total } = await search({ query: "get a message", limit: 50 }, frugal);
    await frugal.close();
    expect(text).toMatch(/^get_annotated_message\(/m);
    expect(text).toMatch(/^More: .*everything\./m);
    expect(results.length).toBeLessThanOrEqual(total);
    for (const { name } of results) expect(text.replaceAll("_", "-")).toContain(name.replaceAll("_", "-"));
    expect(encode(text).length).toBeLessThanOrEqual(450);
  });

  test("says what was searched, and the nearest names, when nothing matches", async () => {
    const { results, text } = await search({ query: "qustomerzz" });
    expect(results).toEqual([]);
    expect(text).toMatch(/^No good match among \d+ tools of 4 servers\. Nearest names: data\.customers/);
    expect((await search({ query: "zzzz", server: "data" })).text).toBe(
      "No good match among the 4 tools of data. Try other words, or no query for all of them.",
    );
  });

  test("a pattern that is none, or does not end, is refused with the reason", async () => {
    await expect(search({ query: "/(/" })).rejects.toMatchObject({ code: "input_invalid" });
  });

  test("patterns that do not end hold up nobody else, however many a run tries", async () => {
    const { result, longestMs } = await longestStandstill(() => {
      const trying = coordinator.execute({
        code: `import { search } from "coordinator";
const tell = (query: string) => search({ query }).then((found) => found.length, (error) => error.message);
[...new Set(await Promise.all(Array.from({ length: 60 }, () => tell("/(.*)*(.*)*(.*)*\\\\x01/"))))]`,
      });
      const others = search({ query: "/^data.customers$/" }).then(() => performance.now());
      return Promise.all([trying, others, trying.then(() => performance.now())]);
    });
    const [run, answered, ended] = result;
    expect(run.result).toEqual([expect.stringContaining("took longer than 100 ms")]);
    expect(answered).toBeLessThan(ended);
    expect(longestMs).toBeLessThan(2000);
  });

  test("is refused with every problem when its arguments are wrong", async () => {
    await expect(search({ qery: "x", limit: 0 })).rejects.toThrow(/limit: .*did you mean "query"/s);
  });
});

describe("generated libraries", () => {
  test("replace what was generated before, never a user's file, and refuse a folder of theirs without force", async () => {
    const out = join(folder, "generated");
    mkdirSync(join(out, "kept"), { recursive: true });
    writeFileSync(join(out, "notes.txt"), "mine");
    writeFileSync(join(out, "gone.js"), "// Generated by mcp-coordinator. Do not edit.\n");
    await expect(coordinator.generateTools({ out })).rejects.toMatchObject({ code: "output_exists" });
    writeFileSync(join(out, "package.json"), "theirs");
    writeFileSync(join(out, "package.json.backup"), "older");
    mkdirSync(join(out, "index.js"));
    expect(await coordinator.generateTools({ out, force: true })).toMatchObject({
      backups: [join(out, "package.json.backup-2"), join(out, "index.js.backup")],
    });
    expect(readFileSync(join(out, "package.json.backup-2"), "utf8")).toBe("theirs");
    expect(readFileSync(join(out, "package.json.backup"), "utf8")).toBe("older");
    const files = readdirSync(out);
    expect(files).toEqual(expect.arrayContaining(["kept", "notes.txt", "index.js", "data.d.ts", "my_memory.js"]));
    expect(files.filter((name) => name === "gone.js" || name.endsWith(".new"))).toEqual([]);
    expect(readFileSync(join(out, "notes.txt"), "utf8")).toBe("mine");
  });
});

test("a coordinator that is closed right after a run leaves no process", async () => {
  const brief = await open({ data: ownServer("data-server") }, {}, "brief");
  await brief.execute({ code: "1" });
  await brief.close();
  // Those of the other coordinator stay; one of them may be on its way out while its successor has started.
  const sandboxes = () => {
    const children = execFileSync("ps", ["-o", "args=", "--ppid", String(process.pid)]).toString();
    return children.split("\n").filter((line) => line.includes("deno"));
  };
  await vi.waitFor(() => expect(sandboxes().length).toBeLessThanOrEqual(2), 20_000);
  await expect(brief.execute({ code: "1" })).rejects.toThrow();
});

describe("with servers that do not work", () => {
  test("the others are found, and those that are missing are named with the reason", async () => {
    const broken = await open(
      {
        data: ownServer("data-server"),
        dead: ownServer("faulty-server", "exit=3"),
        absent: { command: "no-such-command" },
      },
      {},
      "broken",
    );
    const { data, text } = await presented<{ results: { name: string }[] }>(broken, "search_tools", {
      query: "orders",
    });
    expect(data.results[0]?.name).toBe("orders");
    expect(text).toMatch(/Not searched.*\ndead: .*\nabsent: .*command not found: no-such-command/s);
    const run = await broken.execute({ code: 'import { x } from "mcp_tools/dead"; x()' });
    expect(run).toMatchObject({
      status: "check_failed",
      error: { message: expect.stringContaining("the database is missing") },
    });
    await broken.close();
  });

  test("of many that are missing the first are named, and all are in the data", async () => {
    const names = Array.from({ length: 25 }, (_, number) => `absent-${number}`);
    const absent = Object.fromEntries(names.map((name) => [name, { command: "no-such-command" }]));
    const broken = await open(absent, {}, "many-broken");
    await servicesOf(broken).libraries.discover();
    const { data, text } = await presented<{ missing: object[] }>(broken, "search_tools", { query: "orders" });
    expect(text).toMatch(/absent-19: .*\nand 5 more$/);
    expect(data.missing).toHaveLength(25);
    await broken.close();
  });

  test("a second start needs no server to be searched", async () => {
    const first = await open({ data: ownServer("data-server") }, {}, "cached");
    await first.run("search_tools", { query: "orders" });
    await first.close();
    const second = await open({ data: ownServer("data-server") }, {}, "cached");
    expect(((await second.run("search_tools", { query: "orders" })) as { total: number }).total).toBeGreaterThan(0);
    expect(servicesOf(second).upstreams.state("data").state).toBe("idle");
    await second.close();
  });
});

test("what is asked of a coordinator that has been closed says so", async () => {
  const closed = await open({}, {}, "closed");
  await closed.close();
  await closed.close();
  const asked = [
    () => closed.execute({ code: "1" }),
    () => closed.run("search_tools", { query: "orders" }),
    () => closed.callTool("data", "orders"),
    () => closed.generateTools(),
  ];
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: "closed" });
});
