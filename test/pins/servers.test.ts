import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import libsql from "libsql";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/actor.ts";
import type { Coordinator } from "../../src/app/coordinator.ts";
import { servicesOf } from "../../src/app/services-of.ts";
import type { PinDiff } from "../../src/operations/pins/pin-report.ts";
import { presented } from "../presented.ts";
import { createPlace, outcomeOf, seen } from "./pinned-place.ts";

// Whether a server is started that is not as it was accepted, or that nobody has accepted: by what it did.

const tools = [{ name: "send", description: "Sends", inputSchema: { type: "object" } }];
const call = (coordinator: Coordinator, actor: object = {}) =>
  outcomeOf(coordinator.callTool("shop", "send", {}, actor));
const accept = async (coordinator: Coordinator) => {
  const { shown } = (await coordinator.run("diff_pins", { server: "shop" })) as PinDiff;
  await coordinator.run("accept_pins", { server: "shop", shown, by: "me" });
};

type Place = ReturnType<typeof createPlace>;
/** A program that leaves a trace when it is started. */
const trap = (place: Place) => ({ command: "touch", args: [join(place.folder, "trapped")] });
const isTrapped = (place: Place) => existsSync(join(place.folder, "trapped"));

describe("a server of the user's own file", () => {
  test("is accepted as it is at the first start, which is said once", async () => {
    const place = createPlace();
    place.configure();
    place.say({ tools });
    const told: string[] = [];
    const tell = (message: string) => void told.push(message);
    const first = await place.open({ tell });
    expect(await call(first)).toBe("send is done");
    await first.close();
    expect(await call(await place.open({ tell }))).toBe("send is done");
    expect(told).toEqual([expect.stringMatching(/mine\.json count as accepted as they are: shop\. /)]);
  });

  test("whose command was changed by other hands is not started, and what it was and is stands in the refusal", async () => {
    const place = createPlace();
    place.configure();
    place.say({ tools });
    const first = await place.open();
    expect(await call(first)).toBe("send is done");
    await first.close();
    place.write({ shop: trap(place) });
    const second = await place.open();
    const refusal = second.callTool("shop", "send", {});
    await expect(refusal).rejects.toMatchObject({
      ...{ code: "server_changed", delivery: "not_sent" },
      message: expect.stringMatching(/not as it was accepted \(command: .*pinned-server\.mjs .* → touch .*trapped\)/),
      hint: expect.stringContaining("mcp-coordinator pins accept shop"),
    });
    await expect(presented(second, "search_tools", { server: "shop" })).rejects.toMatchObject({
      code: "server_changed",
    });
    const code = 'import { send } from "mcp_tools/shop";\nawait send({})';
    const run = await second.execute({ language: "typescript", code });
    expect(run.status).toBe("check_failed");
    expect(JSON.stringify(run.error)).toContain("mcp-coordinator pins accept shop");
    expect(isTrapped(place)).toBe(false);
    expect(place.acts()).toEqual(["send"]);
  });

  test("that changes in a running coordinator's file is ended, and not started so until it is accepted", async () => {
    const place = createPlace();
    place.configure();
    place.say({ tools });
    const coordinator = await place.open();
    expect(await call(coordinator)).toBe("send is done");
    servicesOf(coordinator).servers.follow(() => {});
    place.configure({ entry: { args: [...place.shop.args, "--more"] } });
    await expect.poll(() => call(coordinator), { timeout: 10_000 }).toBe("server_changed not_sent");
    await accept(coordinator);
    expect(await call(coordinator)).toBe("send is done");
  });

  test("starts with another value of a variable, and not with one more variable", async () => {
    const place = createPlace();
    place.say({ tools });
    place.configure({ entry: { env: { TOKEN: "one" } } });
    const first = await place.open();
    expect(await call(first)).toBe("send with one");
    await first.close();
    place.configure({ entry: { env: { TOKEN: "two" } } });
    const second = await place.open();
    expect(await call(second)).toBe("send with two");
    await second.close();
    place.configure({ entry: { env: { TOKEN: "two", LD_PRELOAD: "/tmp/evil.so" } } });
    const third = await place.open();
    await expect(third.callTool("shop", "send", {})).rejects.toMatchObject({
      code: "server_changed",
      message: expect.stringContaining("LD_PRELOAD"),
    });
    await accept(third);
    await third.close();
    // Of one that decides which code is run, the value counts as well.
    place.configure({ entry: { env: { TOKEN: "two", LD_PRELOAD: "/tmp/other.so" } } });
    expect(await call(await place.open())).toBe("server_changed not_sent");
  });

  test("that a person blocks is not started, until they accept it", async () => {
    const place = createPlace();
    place.configure();
    place.say({ tools });
    const coordinator = await place.open();
    await coordinator.run("block_pins", { server: "shop", by: "me" });
    expect(await call(coordinator)).toBe("tool_denied not_sent");
    await accept(coordinator);
    expect(await call(coordinator)).toBe("send is done");
  });

  test("tells a model no secret of its arguments or its address", async () => {
    const place = createPlace();
    place.write({ shop: { ...place.shop, args: [...place.shop.args, "--api-key", "sk-old-123456"] } });
    place.say({ tools });
    const first = await place.open();
    await seen(first);
    await first.close();
    place.write({ shop: { url: "https://example.org/mcp?token=sk-new-123456&team=a" } });
    const refused = await (await place.open()).callTool("shop", "send", {}).catch(String);
    expect(refused).toContain("example.org/mcp");
    expect(refused).not.toMatch(/sk-old|sk-new/);
  });
});

describe("a server of a file that was found in the working folder", () => {
  const found = { found: true } as const;
  const fresh = (name = ".mcp.json") => {
    const place = createPlace(name);
    place.configure();
    place.say({ tools });
    return place;
  };

  test.each(["mcp_servers.json", ".mcp.json", "mcp.json"])(
    "is not started when nobody accepted it (%s)",
    async (name) => {
      const place = fresh(name);
      place.write({ shop: trap(place) });
      const coordinator = await place.open(found);
      await expect(coordinator.callTool("shop", "send", {})).rejects.toMatchObject({
        ...{ code: "server_unaccepted", delivery: "not_sent" },
        message: expect.stringMatching(/was not started: it is configured in .*json, a file of the working folder/),
        hint: expect.stringContaining("mcp-coordinator pins accept shop"),
      });
      await servicesOf(coordinator).libraries.discover();
      const { text } = await presented(coordinator, "search_tools", { query: "send" });
      expect(text).toContain("mcp-coordinator pins accept shop");
      expect(isTrapped(place)).toBe(false);
    },
  );

  test("is started once it is accepted, at the next starts too, and not when the file says something else", async () => {
    const place = fresh();
    const first = await place.open(found);
    await accept(first);
    expect(await call(first)).toBe("send is done");
    await first.close();
    const second = await place.open(found);
    expect(await call(second)).toBe("send is done");
    await second.close();
    place.write({ shop: trap(place) });
    expect(await call(await place.open(found))).toBe("server_changed not_sent");
    expect(isTrapped(place)).toBe(false);
  });

  test("is started when this data folder had run it before there were pins", async () => {
    const place = fresh();
    const before = await place.open();
    await seen(before);
    await before.close();
    // As the upgrade leaves a data folder: it knows the server, and nobody has accepted anything.
    const database = new libsql(join(place.home, "coordinator.db"));
    database.exec("DELETE FROM server_pins; INSERT INTO used_before_pins (identity) SELECT identity FROM catalogs");
    database.close();
    const told: string[] = [];
    const after = await place.open({ ...found, tell: (message) => void told.push(message) });
    expect(await call(after)).toBe("send is done");
    expect(told).toEqual([expect.stringContaining("since they were in use before servers were accepted: shop")]);
  });

  type Form = { action: string; content?: object };
  const client = (answer: Form, asked: unknown[] = []): Caller => ({
    id: "client",
    capabilities: { elicitation: {} },
    async ask(_method, params) {
      asked.push(params);
      return answer;
    },
  });

  test("is asked about in a client that can, once, and started when its user accepts it", async () => {
    const place = fresh();
    const coordinator = await place.open(found);
    const asked: { message?: string }[] = [];
    const caller = client({ action: "accept", content: { decision: "accept" } }, asked);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => call(coordinator, { caller })));
    expect(outcomes).toEqual(Array(5).fill("send is done"));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.message).toMatch(
      /^May the server "shop" of .*\.mcp\.json be started\?.*\ncommand: .*pinned-server/s,
    );
    const { status } = await coordinator.execute(
      { language: "typescript", code: 'import { send } from "mcp_tools/shop";\nawait send({})' },
      { caller },
    );
    expect([status, asked.length]).toEqual(["ok", 1]);
  });

  test.each([
    ["an accepted form that is empty", { action: "accept", content: {} }],
    ["an accepted form without content", { action: "accept" }],
    ["another word", { action: "accept", content: { decision: "accept " } }],
    ["not now", { action: "accept", content: { decision: "not now" } }],
    ["a declined form", { action: "decline", content: { decision: "accept" } }],
    ["a form that is closed", { action: "cancel" }],
  ])("is not started by %s, and asked about no second time", async (_what, answer) => {
    const place = fresh();
    const coordinator = await place.open(found);
    const asked: unknown[] = [];
    const caller = client(answer, asked);
    expect(await call(coordinator, { caller })).toBe("server_unaccepted not_sent");
    expect(await call(coordinator, { caller })).toBe("server_unaccepted not_sent");
    expect(asked).toHaveLength(1);
    expect(place.acts()).toEqual([]);
  });

  test("counts as accepted when a command of ours has written it, and no more when one has taken it out", async () => {
    const place = fresh();
    const coordinator = await place.open(found);
    await accept(coordinator);
    const { servers } = servicesOf(coordinator);
    const added = { ...place.shop, args: [...place.shop.args, "--more"] };
    await servers.change(new Map([["shop", added]]));
    expect(await call(coordinator)).toBe("send is done");
    await servers.change(new Map([["shop", undefined]]));
    place.configure();
    await coordinator.close();
    expect(await call(await place.open(found))).toBe("server_unaccepted not_sent");
  });
});

describe("a lock", () => {
  const offered = {
    tools: [...tools, { ...tools[0], name: "pay" }],
    prompts: [{ name: "greet", description: "Greets" }],
    instructions: "Be kind.",
  };
  const lockOf = async (place: Place) => {
    const coordinator = await place.open();
    const lock = await coordinator.run("export_pins", {});
    await coordinator.close();
    return JSON.stringify(lock);
  };
  const verify = async (coordinator: Coordinator) =>
    (await coordinator.run("verify_pins", {})) as { differences: string[]; servers: number };

  /** The same file of a project on two machines: other folders, other values of variables. */
  const machine = (token: string) => {
    const place = createPlace();
    const written = {
      command: "node",
      args: ["pinned-server.mjs", "offered.json", "acts"],
      cwd: ".",
      env: { TOKEN: token },
    };
    writeFileSync(join(place.folder, "pinned-server.mjs"), readFileSync(place.shop.args[0] as string));
    place.write({ shop: written });
    place.say(offered);
    return place;
  };

  test("of another machine holds here, and has neither its paths nor values of variables", async () => {
    const text = await lockOf(machine("secret-one"));
    expect(text).not.toMatch(/secret-one|\/tmp|TOKEN/);
    const here = machine("secret-two");
    const lock = join(here.folder, "their.lock.json");
    writeFileSync(lock, text);
    const coordinator = await here.open({ lock });
    expect(await verify(coordinator)).toEqual({ differences: [], servers: 1 });
    expect(await call(coordinator)).toBe("send with secret-two");
  });

  test("stops what is not as it has it, whatever was accepted, and after a restart of the server too", async () => {
    const place = createPlace();
    place.configure();
    place.say(offered);
    const lock = join(place.folder, "mcp-coordinator.lock.json");
    writeFileSync(lock, await lockOf(place));
    place.say({
      tools: [
        { ...tools[0], description: "Sends to all" },
        { ...tools[0], name: "new" },
      ],
      prompts: [{ name: "greet", description: "Greets all" }],
      instructions: "Be unkind.",
    });
    const accepting = await place.open();
    await seen(accepting);
    expect(await call(accepting)).toBe("send is done");
    await accepting.close();
    const coordinator = await place.open({ lock: true });
    expect(await call(coordinator)).toBe("tool_changed not_sent");
    expect((await verify(coordinator)).differences.sort()).toEqual([
      "shop.greet is not as the lock has it",
      "shop.instructions is not as the lock has it",
      "shop.new is not in the lock",
      "shop.pay is in the lock, and gone",
      "shop.send is not as the lock has it",
    ]);
    servicesOf(coordinator).pins.forget();
    expect(await call(coordinator)).toBe("tool_changed not_sent");
    const { text } = await presented(coordinator, "search_tools", { query: "send", detail: "full" });
    expect(text).not.toContain("Sends to all");
    expect(place.acts()).toEqual(["send"]);
  });

  test("does not let a server start otherwise than it has it, and names one that is not there", async () => {
    const place = createPlace();
    place.write({ shop: place.shop, gone: place.shop });
    place.say(offered);
    const lock = join(place.folder, "mcp-coordinator.lock.json");
    writeFileSync(lock, await lockOf(place));
    place.write({ shop: { ...place.shop, args: [...place.shop.args, "--more"] }, added: place.shop });
    const coordinator = await place.open({ lock: true });
    expect(await call(coordinator)).toBe("server_changed not_sent");
    expect((await verify(coordinator)).differences).toEqual([
      "shop: is not started as the lock has it",
      "added: is not started as the lock has it",
      "gone: is in the lock, and not configured",
    ]);
  });

  test("is not written of what needs review", async () => {
    const place = createPlace();
    place.configure({ entry: { pins: "review" } });
    place.say(offered);
    const coordinator = await place.open();
    await seen(coordinator);
    place.say({ ...offered, tools: [{ ...tools[0], description: "Sends to all" }] });
    await expect(coordinator.run("export_pins", {})).rejects.toMatchObject({ code: "tool_changed" });
  });

  test.each([
    ["no lock", undefined, "config_not_found"],
    ["a lock that is no JSON", "{", "config_invalid"],
    ["a lock of another version", '{"lockVersion":2,"servers":{}}', "config_invalid"],
    ["a lock whose hash is none", '{"lockVersion":1,"servers":{"shop":{"server":"x"}}}', "config_invalid"],
  ])("that cannot be used stops the start: %s", async (_what, text, code) => {
    const place = createPlace();
    place.configure();
    mkdirSync(place.home, { recursive: true });
    if (text !== undefined) writeFileSync(join(place.folder, "mcp-coordinator.lock.json"), text);
    await expect(place.open({ lock: true })).rejects.toMatchObject({ code });
  });
});
