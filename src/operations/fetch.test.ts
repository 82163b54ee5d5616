import { once } from "node:events";
import { expect, test } from "vitest";
import type { Run } from "../actor.ts";
import type { Config } from "../config/load.ts";
import { openDoor } from "../door/door.fixture.ts";
import type { Door } from "../door/door.ts";
import { CoordinatorError } from "../errors.ts";
import { local, serveHttp, serveSockets } from "../sandbox/egress/local-server.fixture.ts";
import { fetchOperations, fetchOperationsFor } from "./fetch.ts";
import { type AnyOperation, runOperation } from "./operation.ts";
import type { Services } from "./services.ts";

function services(...allow: string[]): Services {
  return { config: { sandbox: { network: { allow } } } as unknown as Config, door: openDoor } as Services;
}

function named(operations: readonly AnyOperation[]) {
  return (name: string, args: unknown, of: { run?: Run; signal?: AbortSignal } = {}) =>
    runOperation(operations.find((operation) => operation.name === name) as AnyOperation, args, of);
}

const guestRun = (id: string): Run => ({ id, language: "typescript" });

test("guests have no operation for the network unless the user has opened a host", () => {
  expect(fetchOperations(services())).toEqual([]);
  expect(fetchOperations(services("api.example.org")).map(({ guest }) => guest)).toEqual(["fetch", "abort_fetch"]);
});

test("AI clients do not see it as a tool", () => {
  expect(fetchOperations(services("api.example.org")).map(({ toolset }) => toolset)).toEqual([undefined, undefined]);
});

test("a setting that cannot be meant is told at once", () => {
  expect(() => fetchOperations(services("*.org"))).toThrow("coordinator.sandbox.network.allow");
});

test("bodies travel as base64, both ways", async () => {
  await using server = await serveHttp((request, response) => request.pipe(response));
  const run = named(fetchOperationsFor(local(`api.example.org:${server.port}`), openDoor));
  const body = Buffer.from([0, 255, 128, 10]).toString("base64");
  const url = `http://api.example.org:${server.port}/`;
  expect(await run("fetch", { url, method: "POST", body })).toMatchObject({ status: 200, url, body });
});

test.each([
  [{ url: "http://api.example.org/", method: "CONNECT" }, "method"],
  [{ url: "http://api.example.org/", method: "TRACE" }, "method"],
  [{ url: "http://api.example.org/", body: "x".repeat(14_000_001) }, "body"],
  [{ url: "http://api.example.org/", headers: Array(201).fill(["a", "b"]) }, "headers"],
  [{ url: "http://api.example.org/", timeout: -1 }, "timeout"],
  [{ url: ["http://api.example.org/"] }, "url"],
])("arguments that do not fit are refused (%#)", async (args, at) => {
  const run = named(fetchOperationsFor({ allow: ["api.example.org"] }, openDoor));
  await expect(run("fetch", args)).rejects.toMatchObject({
    code: "input_invalid",
    message: expect.stringContaining(at),
  });
});

test("a run aborts its own request by the number it gave it, and no other run's", async () => {
  await using server = await serveSockets((socket) => void socket.resume());
  const run = named(fetchOperationsFor(local(`api.example.org:${server.port}`), openDoor));
  const [one, stop] = [{ run: guestRun("one") }, new AbortController()];
  const other = { run: guestRun("other"), signal: stop.signal };
  const args = { url: `http://api.example.org:${server.port}/`, id: 7 };
  const ended: string[] = [];
  const first = run("fetch", args, one).catch(() => ended.push("first"));
  const second = run("fetch", args, other).catch(() => ended.push("second"));
  await run("abort_fetch", { id: 7 }, one);
  await first;
  expect(ended).toEqual(["first"]);
  stop.abort();
  await second;
  expect(ended).toEqual(["first", "second"]);
  await run("abort_fetch", { id: 7 }, one);
});

test("a run that keeps its sixteen requests waiting does not keep another one waiting", async () => {
  await using server = await serveHttp((request, response) => {
    if (request.url === "/quick") response.end("answered");
  });
  const run = named(fetchOperationsFor(local(`api.example.org:${server.port}`), openDoor));
  const url = `http://api.example.org:${server.port}`;
  const stop = new AbortController();
  const slow = { run: guestRun("slow"), signal: stop.signal };
  const stuck = Array.from({ length: 20 }, () => run("fetch", { url }, slow).catch(() => "ended"));
  expect(await run("fetch", { url: `${url}/quick` }, { run: guestRun("quick") })).toMatchObject({ status: 200 });
  stop.abort();
  expect(await Promise.all(stuck)).toEqual(Array(20).fill("ended"));
  await Promise.all([...server.open].map((socket) => once(socket, "close")));
});

test("a request is judged by its host, however that is written, and so is each place that a redirect leads to", async () => {
  await using server = await serveHttp((request, response) => {
    if (request.url === "/end") return void response.end("answered");
    response.writeHead(307, { location: `http://other.example.org.:${server.port}/end` }).end();
  });
  const acts: string[] = [];
  const door: Pick<Door, "own"> = {
    own(name, args, _actor, work) {
      acts.push(`${name} ${JSON.stringify(args)}`);
      if (name.includes("other")) throw new CoordinatorError("tool_denied", "not there");
      return work();
    },
  };
  const allow = ["api", "other"].map((name) => `${name}.example.org:${server.port}`);
  const run = named(fetchOperationsFor({ ...local(...allow) }, door));
  const url = `http://API.example.org.:${server.port}/`;
  await expect(run("fetch", { url, method: "DELETE" })).rejects.toThrow("not there");
  expect(acts).toEqual([
    `network:api.example.org {"method":"DELETE","url":"${url}"}`,
    `network:other.example.org {"method":"DELETE","url":"http://other.example.org:${server.port}/end"}`,
  ]);
  expect(server.requests).toEqual(["DELETE /"]);
});
