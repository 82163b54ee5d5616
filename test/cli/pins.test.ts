import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { Place, unfolded } from "./command.ts";

// The commands about what was accepted, as processes, with a terminal and without one.

const program = fileURLToPath(new URL("../servers/pinned-server.mjs", import.meta.url));
const send = { name: "send", description: "Sends", inputSchema: { type: "object" } };
const consent = "Allow this? Only yes allows it: ";

/** A folder whose own file has one server, which was never accepted; `named` makes it the user's. */
function createFolder(name: string, pins: string, command?: object) {
  const place = new Place();
  onTestFinished(() => place[Symbol.dispose]());
  const [list, acts] = [join(place.folder, "offered.json"), join(place.folder, "acts")];
  const say = (...tools: object[]) => writeFileSync(list, JSON.stringify({ tools }));
  say(send);
  const shop = { command: process.execPath, args: [program, list, acts], pins, ...command };
  place.write(name, JSON.stringify({ mcpServers: { shop } }));
  return { place, say, acts: () => (existsSync(acts) ? readFileSync(acts, "utf8").trim().split("\n") : []) };
}
const own = (pins = "review") => {
  const made = createFolder("mine.json", pins);
  const config = ["--config", join(made.place.folder, "mine.json")];
  return { ...made, run: (...words: string[]) => made.place.withoutTerminal("", ...words, ...config), config };
};

describe.skipIf(process.platform === "win32")("pins", () => {
  test("list, diff, accept and block say and do what is to be reviewed", async () => {
    const { place, say, acts, run, config } = own();
    await run("call", "shop", "send");
    expect(await run("pins", "list")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^shop: accepted, \d{4}-\d\d-\d\d by your own file; pins: review, 2 definitions accepted\n$/,
      ),
    });
    say({ ...send, description: "Sends to all\u001b[2J" });
    expect(await run("call", "shop", "send")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error tool_changed: Not called: shop\.send has changed since it was accepted \(description reworded\)\n {2}hint: Nothing was sent\. .*pins diff shop send\n$/,
      ),
    });
    expect((await run("pins", "list")).stdout).toContain(
      "  send has changed since it was accepted (description reworded)\n",
    );
    const { stdout } = await run("pins", "diff", "shop");
    expect(stdout).toContain("  -description: Sends\n  +description: Sends to all");
    expect(stdout).not.toContain("\u001b");
    expect(JSON.parse((await run("pins", "diff", "shop", "send", "--json")).stdout)).toMatchObject({
      definitions: [{ name: "send", state: "changed" }],
    });

    // Nobody accepts it without a terminal, whatever stdin says.
    expect(await place.withoutTerminal("yes\n", "pins", "accept", "shop", ...config)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("error terminal_needed"),
    });
    expect(await place.typing([["y\n", consent]], "pins", "accept", "shop", "send", ...config)).toMatchObject({
      code: 1,
      left: 0,
    });
    expect((await run("call", "shop", "send")).code).toBe(1);
    const accepted = await place.typing([["yes\n", consent]], "pins", "accept", "shop", "send", ...config);
    expect(accepted).toMatchObject({ code: 0, left: 0 });
    expect(accepted.written).toContain("+description: Sends to all");
    expect(await run("call", "shop", "send")).toMatchObject({ code: 0, stdout: "send is done\n" });
    expect(await run("pins", "accept", "shop")).toMatchObject({
      code: 0,
      stdout: "Everything of shop is as it was accepted.\n",
    });

    expect(await run("pins", "block", "shop", "send")).toMatchObject({ code: 0 });
    expect((await run("call", "shop", "send")).stderr).toContain("error tool_denied: The user has blocked shop.send");
    expect(await run("pins", "block", "shop")).toMatchObject({ code: 0 });
    expect((await run("servers")).stdout).toMatch(/shop/);
    expect((await run("call", "shop", "send")).stderr).toContain("the user has blocked it");
    expect(acts()).toEqual(["send", "send"]);
  });

  test("export writes a lock that verify and serve --frozen hold to", async () => {
    const { place, say, run, config } = own();
    const frozen = () => place.feed("", "serve", "--frozen", ...config);
    expect(await frozen()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error config_not_found: Cannot read the lock .*mcp-coordinator\.lock\.json.*\n {2}hint: `mcp-coordinator pins export` writes it\.\n$/,
      ),
    });
    expect(await run("pins", "verify")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("error config_not_found"),
    });
    const file = join(place.folder, "mcp-coordinator.lock.json");
    const written = await run("pins", "export");
    expect(written).toMatchObject({ code: 0, stdout: `Wrote ${file}: shop.\n` });
    const lock = JSON.parse(readFileSync(file, "utf8"));
    expect(lock).toEqual({
      lockVersion: 1,
      servers: {
        shop: {
          server: expect.any(String),
          tool: { send: expect.any(String) },
          instructions: { "": expect.any(String) },
        },
      },
    });
    expect(await run("pins", "verify")).toMatchObject({
      code: 0,
      stdout: "1 server and all that is offered: as the lock has it.\n",
    });
    expect(await frozen()).toMatchObject({ code: 0 });
    say({ ...send, description: "Sends to all" });
    expect(await run("pins", "verify")).toMatchObject({ code: 1, stdout: "shop.send is not as the lock has it\n" });
    const other = join(place.folder, "other.json");
    await run("pins", "accept", "shop");
    expect(await run("pins", "export", "--out", other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("error tool_changed: Cannot write a lock"),
    });
    expect(existsSync(other)).toBe(false);
  });

  test("wrong words are answered with the right ones", async () => {
    const { run } = own("note");
    await run("call", "shop", "send");
    expect((await run("pins", "diff", "shp")).stderr).toBe(
      'error server_unknown: No server "shp" is configured\n  hint: Did you mean "shop"?\n',
    );
    expect((await run("pins", "block", "shop", "sned")).stderr).toBe(
      'error tool_unknown: Nothing of "shop" is pinned as "sned"\n  hint: Did you mean send?\n',
    );
  });
});

describe.skipIf(process.platform === "win32")("a server of a file that lies in the working folder", () => {
  const asking = "Accept it? Only yes accepts it: ";

  test("is not started by a command without a terminal, and is after a yes at one", async () => {
    const { place, acts } = createFolder(".mcp.json", "note");
    const refused = await place.withoutTerminal("yes\n", "call", "shop", "send");
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error server_unaccepted: The server "shop" was not started: .*\n {2}hint: .*pins accept shop\n$/,
      ),
    });
    expect(await place.withoutTerminal("yes\n", "tools", "shop")).toMatchObject({ code: 1 });
    const declined = await place.typing([["no\n", asking]], "call", "shop", "send");
    expect(declined).toMatchObject({ code: 1, left: 0 });
    expect(acts()).toEqual([]);
    const accepted = await place.typing([["yes\n", asking]], "call", "shop", "send");
    expect(accepted).toMatchObject({ code: 0, left: 0 });
    expect(unfolded(accepted.written)).toMatch(
      /May the server "shop" of .*\.mcp\.json be started\? Nobody has accepted/,
    );
    expect(await place.withoutTerminal("", "call", "shop", "send")).toMatchObject({
      code: 0,
      stdout: "send is done\n",
    });
  });

  test("is accepted by pins accept, which shows how it is started", async () => {
    const { place } = createFolder("mcp.json", "note");
    expect((await place.withoutTerminal("", "pins", "list")).stdout).toBe("shop: unaccepted; pins: note\n");
    const accepted = await place.typing([["yes\n", consent]], "pins", "accept", "shop");
    expect(accepted).toMatchObject({ code: 0, left: 0 });
    expect(unfolded(accepted.written)).toContain("pinned-server.mjs");
    expect(await place.withoutTerminal("", "call", "shop", "send")).toMatchObject({ code: 0 });
  });

  test("that add has written is accepted by the yes that add asked for; the others are not", async () => {
    const { place } = createFolder("mcp_servers.json", "note");
    const { command, args } = JSON.parse(readFileSync(join(place.folder, "mcp_servers.json"), "utf8")).mcpServers.shop;
    expect(await place.run("add", "mine", "--yes", "--", command, ...args)).toMatchObject({ code: 0 });
    expect(await place.withoutTerminal("", "call", "mine", "send")).toMatchObject({
      code: 0,
      stdout: "send is done\n",
    });
    expect(await place.withoutTerminal("", "call", "shop", "send")).toMatchObject({ code: 1 });
  });
});

describe.skipIf(process.platform === "win32")("add", () => {
  /** With an npm and a pip that know one version each, before those of the system. */
  function createOffline() {
    const { place } = createFolder("mine.json", "note");
    const say = (name: string, answer: string) =>
      writeFileSync(join(place.folder, name), `#!/bin/sh\necho '${answer}'\n`, { mode: 0o755 });
    say("npm", '"2.3.4"');
    say("python3", "notes (0.9.1)");
    const add = (words: string) =>
      place.inShell(
        `PATH=${place.folder}:$PATH $mcp add ${words.replace(" -- ", " --no-connect --yes --config mine.json -- ")}`,
      );
    const argsOf = (name: string) =>
      JSON.parse(readFileSync(join(place.folder, "mine.json"), "utf8")).mcpServers[name].args;
    return { place, add, argsOf, say };
  }

  test("writes the version that a package has now, and shows it before it asks", async () => {
    const { add, argsOf } = createOffline();
    const added = await add("a -- npx -y @scope/notes --port 3");
    expect(added).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("command: npx -y @scope/notes@2.3.4 --port 3"),
    });
    expect(added.stderr).toContain("@scope/notes stays at 2.3.4, which it is now; --floating leaves its version open.");
    await add("b -- npx --package=notes@latest start");
    await add("c -- uvx --from notes[all] serve");
    expect(["a", "b", "c"].map(argsOf)).toEqual([
      ["-y", "@scope/notes@2.3.4", "--port", "3"],
      ["--package=notes@2.3.4", "start"],
      ["--from", "notes[all]==0.9.1", "serve"],
    ]);
  });

  test("keeps the command as it is where it is exact, where that is wanted, and where nobody knows a version", async () => {
    const { add, argsOf, say } = createOffline();
    await add("a -- npx -y notes@1.0.0");
    await add("b --floating -- npx -y notes");
    say("npm", "; rm -rf /");
    expect((await add("c -- npx -y notes")).stderr).toContain("leaves the version of notes open: write notes@VERSION");
    expect(["a", "b", "c"].map(argsOf)).toEqual([
      ["-y", "notes@1.0.0"],
      ["-y", "notes"],
      ["-y", "notes"],
    ]);
  });
});
