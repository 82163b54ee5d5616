import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startOAuthServer } from "../../src/upstream/oauth/oauth-server.fixture.ts";
import { faulty, Place } from "./command.ts";

test("auth signs in by a pasted address; servers, call and auth --list know it; --logout ends it", async () => {
  await using oauth = await startOAuthServer();
  using place = new Place({ remote: { url: oauth.url } });
  const before = await place.run("call", "remote", "echo", "a=1");
  expect(before).toMatchObject({ code: 1, stdout: "" });
  expect(before.stderr).toContain("error sign_in_needed: ");
  expect(before.stderr).toContain("hint: Run: mcp-coordinator auth remote");
  expect((await place.run("doctor")).stdout).toMatch(
    /fail {2}server remote.*\n.*fix: Run: mcp-coordinator auth remote/,
  );

  const child = place.start(["auth", "remote", "--no-browser", "--json"]);
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) {
    if (!line.startsWith("http")) continue;
    const { headers } = await fetch(line, { redirect: "manual" });
    child.stdin.end(`${headers.get("location")}\n`);
    break;
  }
  const state = JSON.parse(await text(child.stdout));
  expect(state).toMatchObject({ server: "remote", state: "signed_in", scope: "basic offline_access" });

  expect(await place.run("call", "remote", "echo", "a=1")).toMatchObject({ code: 0, stdout: '{\n  "a": 1\n}\n' });
  const list = await place.run("auth", "--list");
  expect(list.stdout).toMatch(/^remote +signed in +\d{4}-/m);
  const folder = join(place.folder, "home", "credentials");
  const kept = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const { grants } = JSON.parse(readFileSync(join(folder, kept[0] ?? ""), "utf8"));
  const [{ tokens }] = Object.values(grants) as [{ tokens: { access_token: string } }];
  expect(list.stdout + list.stderr + JSON.stringify(state)).not.toContain(tokens.access_token);

  expect((await place.run("auth", "remote", "--logout")).stdout).toBe(
    "Signed out of remote: the tokens are revoked and deleted\n",
  );
  expect(await oauth.counts()).toMatchObject({ revocations: 2 });
});

test("auth --list says of each server how it is signed in to, with nobody signed in yet", async () => {
  await using oauth = await startOAuthServer();
  const address = (path: string) => `http://127.0.0.1:1/${path}`;
  using place = new Place({
    header: { url: address("a"), headers: { "X-Api-Key": "hush-hush" } },
    bearer: { url: address("b"), headers: { Authorization: "Bearer hush-hush" } },
    sse: { type: "sse", url: address("sse") },
    open: { url: address("c") },
    wants: { url: oauth.url },
    local: faulty(),
  });
  await place.run("call", "wants", "echo");
  const { stdout, stderr, code } = await place.run("auth", "--list");
  const rows = stdout.trim().split("\n").slice(1);
  expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
    ["header", "signs in by header"],
    ["bearer", "signs in by header"],
    ["sse", "no sign-in asked for so far"],
    ["open", "no sign-in asked for so far"],
    ["wants", "sign-in needed"],
  ]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const listed = JSON.parse((await place.run("auth", "--list", "--json")).stdout) as {
    server: string;
    state: string;
  }[];
  expect(listed.map(({ server, state }) => [server, state])).toEqual([
    ["header", "header"],
    ["bearer", "header"],
    ["sse", "none"],
    ["open", "none"],
    ["wants", "needed"],
  ]);
  expect(stdout + JSON.stringify(listed)).not.toContain("hush-hush");
});

test("auth without a server, or of one that is not there, says what is missing", async () => {
  using place = new Place({ remote: { url: "http://127.0.0.1:1/mcp" } });
  expect(await place.run("auth")).toMatchObject({ code: 2, stderr: expect.stringContaining("SERVER is missing") });
  expect(await place.run("auth", "remte")).toMatchObject({ code: 1, stderr: expect.stringContaining('"remote"') });
});
