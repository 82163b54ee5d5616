import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { startOAuthServer } from "../../src/upstream/oauth/oauth-server.fixture.ts";
import { escaping, faulty, official, Place } from "./command.ts";

interface Finding {
  readonly area: string;
  readonly server?: string;
  readonly engine?: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

const findings = async (place: Place, ...words: string[]) => {
  const { stdout, stderr, code } = await place.run("doctor", "--json", ...words);
  expect(stderr).toBe("");
  return { found: JSON.parse(stdout) as Finding[], code };
};

test("all is well: configuration, storage, engine and each server", async () => {
  using place = new Place({ everything: official("everything"), memory: official("memory") });
  const { found, code } = await findings(place);
  expect(code).toBe(0);
  expect(subjects(found)).toEqual([
    ...["config", ...Array(6).fill("storage"), ...examined],
    ...[...others, "everything", "memory"],
  ]);
  expect(found.filter(({ status, engine }) => status !== "ok" && !engine?.startsWith("container"))).toEqual([]);
  expect(found[0]?.message).toBe(`read ${place.folder}/mcp_servers.json, 2 servers`);
  const room = found.slice(2, 7).map(({ message }) => message.replace(/[\d.]+ of/g, "N of"));
  expect(room).toEqual([
    "database: N of 1024 MB",
    "artifacts: N of 512 MB",
    "skills: N of 64 MB, N of 5000",
    "memory: N of 64 MB",
    "workspace: N of 1024 MB, N of 10000",
  ]);
  const [, ran, typescript, , python, checked] = found.slice(7);
  expect(ran).toMatchObject({ status: "ok", message: "ran 1 + 1 in a new sandbox" });
  expect(typescript?.message).toBe("the check of typescript finds an unknown name before it runs");
  expect(python).toMatchObject({ status: "ok", message: "ran 1 + 1 in a new sandbox" });
  expect(checked?.message).toBe("the check of python finds an unknown name before it runs");
  expect(found.at(-1)).toMatchObject({ status: "ok", message: "9 tools" });
});

test("a server that dies blocks, with its last words and the fix; what one lists or writes wrongly is a warning", async () => {
  using place = new Place({
    dies: faulty("exit=3"),
    lives: faulty(),
    odd: escaping(),
    loud: faulty("junk"),
    empty: faulty("tools=0"),
  });
  const { found, code } = await findings(place);
  expect(code).toBe(1);
  const [dies, lives, odd, loud, empty] = found.filter(({ area }) => area === "server");
  expect(dies).toMatchObject({ server: "dies", status: "fail" });
  expect(dies?.message).toContain("ended with exit code 3");
  expect(dies?.message).toContain("the database is missing");
  expect(dies?.fix).toBe(`Correct its entry in ${place.folder}/mcp_servers.json, or set "disabled": true there.`);
  expect(lives).toMatchObject({ server: "lives", status: "ok", message: "7 tools" });
  expect([odd, loud, empty].map((finding) => finding?.status)).toEqual(["warn", "warn", "warn"]);
  expect(odd?.message).toBe("3 tools; not all that it lists can be used\nleft out tool 4: it has no name");
  expect(loud?.message).toMatch(/^7 tools; it wrote \d+ lines to stdout that are not messages$/);
  expect(empty?.message).toBe("0 tools; there is nothing to import");
});

const examined = ["deno", "deno", "engine", "cpython", "cpython", "engine"];
const others = ["pyodide (python)", "container (typescript)", "container (python)"];
const subjects = (found: readonly Finding[]) => found.map(({ area, server, engine }) => server ?? engine ?? area);

test.each([
  ["is not there", {}, "Cannot find a configuration file"],
  ["is broken", { "mcp_servers.json": "{ broken" }, "mcp_servers.json: line 1"],
])("a configuration that %s is a finding, and what needs none is checked", async (_name, files, message) => {
  using place = new Place();
  for (const [name, content] of Object.entries(files)) place.write(name, content);
  const { found, code } = await findings(place);
  expect(found[0]).toMatchObject({ area: "config", status: "fail", fix: expect.any(String) });
  expect(found[0]?.message).toContain(message);
  expect(subjects(found)).toEqual(["config", ...Array(6).fill("storage"), ...examined, ...others]);
  expect(found.slice(1, 13).map(({ status }) => status)).toEqual(Array(12).fill("ok"));
  expect(code).toBe(1);
});

test("a data folder that cannot be used is a finding, and what needs none is checked", async () => {
  await using oauth = await startOAuthServer();
  using place = new Place({ lives: faulty(), dies: faulty("exit=3"), remote: { url: oauth.url } });
  place.write("home", "a file");
  const { found, code } = await findings(place);
  expect(found[0]).toMatchObject({ area: "storage", status: "fail", fix: expect.any(String) });
  expect(found[0]?.message).toContain("Cannot use the data folder");
  expect(subjects(found)).toEqual(["storage", "config", ...examined, ...others, "lives", "dies", "remote"]);
  expect(found.slice(1, 8).map(({ status }) => status)).toEqual(Array(7).fill("ok"));
  const [lives, dies, remote] = found.slice(-3);
  expect([lives?.status, dies?.status]).toEqual(["ok", "fail"]);
  // Nothing is known of sign-ins that cannot be read.
  expect(remote).toMatchObject({ status: "off", message: "it wants a sign-in, and those are kept in the data folder" });
  expect(code).toBe(1);
});

test("a database that lacks a table is a finding where it is missed, and the rest is checked", async () => {
  using place = new Place({ lives: faulty() });
  await place.run("doctor");
  const database = openDatabase(join(place.folder, "home", "coordinator.db"));
  for (const table of ["definition_changes", "skills"]) database.execute(`DROP TABLE ${table}`);
  database.close();
  const { found, code } = await findings(place);
  const failing = found.filter(({ status }) => status === "fail");
  expect(failing.map(({ area }) => area)).toContain("storage");
  for (const { fix } of failing) expect(fix).toBe("Move the file away; the next start makes a new one.");
  expect(found).toContainEqual(expect.objectContaining({ server: "lives", status: "ok" }));
  expect(code).toBe(1);
});

test("people read one line a finding, its fix below it, and progress on stderr", async () => {
  using place = new Place({ dies: faulty("exit=3") });
  const { stdout, stderr, code } = await place.run("doctor");
  expect(stdout).toMatch(/^ok {4}config: read /);
  expect(stdout).toMatch(/^fail {2}server dies \(\d+ ms\): Cannot start upstream "dies"/m);
  expect(stdout).toMatch(/^ {8}fix: Correct its entry/m);
  expect(stdout).toMatch(/\n\d+ ok, \d warn, 1 fail\n$/);
  expect(stderr).toBe("0/1 asking servers for their tools\n1/1 dies: failed\n");
  expect(code).toBe(1);
});

test("a configuration without servers is a warning, which is not a failure", async () => {
  using place = new Place({});
  const { found, code } = await findings(place);
  expect(code).toBe(0);
  expect(found[0]).toMatchObject({ area: "config", status: "warn", fix: 'Add one under "mcpServers".' });
});

test("what is nearly full is a warning that says what to do", async () => {
  using place = new Place({});
  const coordinator = { memory: { maxMb: 1 }, workspace: { maxFiles: 2 } };
  place.write("mcp_servers.json", JSON.stringify({ mcpServers: {}, coordinator }));
  await place.feed(JSON.stringify("x".repeat(950_000)), "memory", "set", "large", "-");
  for (const path of ["a", "b"]) await place.feed("text", "workspace", "write", path);
  const { found } = await findings(place);
  expect(found.filter(({ area, status }) => area === "storage" && status === "warn")).toEqual([
    {
      area: "storage",
      status: "warn",
      message: "memory: 1.0 of 1 MB",
      fix: "Delete entries that are no longer needed (`mcp-coordinator memory rm KEY`), or raise coordinator.memory.maxMb.",
    },
    {
      area: "storage",
      status: "warn",
      message: "workspace: 0.0 of 1024 MB, 2 of 2",
      fix: expect.stringMatching(/^Delete files in .* or raise coordinator\.workspace\.$/),
    },
  ]);
});
