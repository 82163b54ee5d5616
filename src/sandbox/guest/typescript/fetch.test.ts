import { expect, test } from "vitest";
import { openDoor } from "../../../door/door.fixture.ts";
import { fetchOperationsFor } from "../../../operations/fetch.ts";
import { type AnyOperation, runOperation } from "../../../operations/operation.ts";
import { local, serveHttp, serveSockets } from "../../egress/local-server.fixture.ts";
import { createFetch } from "./fetch.ts";

/** A guest's fetch over the real operations; values travel as JSON, as they do over frames. */
function guestFetch(port: number) {
  const run = { id: "r", language: "typescript" } as const;
  const operations = fetchOperationsFor(local(`api.example.org:${port}`), openDoor);
  const calls: string[] = [];
  const operation = async (name: string, args: unknown): Promise<unknown> => {
    calls.push(name);
    const found = operations.find(({ guest }) => guest === name) as AnyOperation;
    const value = await runOperation(found, JSON.parse(JSON.stringify(args)), { run });
    return JSON.parse(JSON.stringify(value ?? null));
  };
  const host = { operation, call: () => Promise.reject(new Error("no tools here")) };
  return { fetch: createFetch(host), base: `http://api.example.org:${port}`, calls };
}

test("fetch works as on the web", async () => {
  await using server = await serveHttp(async (request, response) => {
    if (request.url === "/old") return void response.writeHead(302, { location: "/new" }).end();
    if (request.url === "/empty") return void response.writeHead(204).end();
    const body = Buffer.concat(await request.toArray()).toString();
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.end(JSON.stringify({ method: request.method, type: request.headers["content-type"], body }));
  });
  const { fetch, base } = guestFetch(server.port);

  const got = await fetch(`${base}/old`);
  expect([got.ok, got.status, got.statusText, got.url, got.redirected]).toEqual([true, 200, "OK", `${base}/new`, true]);
  expect(got.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(await got.clone().json()).toEqual({ method: "GET", body: "" });

  const form = new URLSearchParams({ a: "ü" });
  const type = "application/x-www-form-urlencoded;charset=UTF-8";
  expect(await (await fetch(base, { method: "post", body: form })).json()).toEqual({
    method: "POST",
    type,
    body: "a=%C3%BC",
  });
  const request = new Request(new URL(base), { method: "PUT", body: new Blob(["x"], { type: "text/x" }) });
  expect(await (await fetch(request)).json()).toEqual({ method: "PUT", type: "text/x", body: "x" });
  const stream = new Blob(["parts"]).stream();
  const init = { method: "POST", body: stream, duplex: "half" } as RequestInit;
  expect(await (await fetch(base, init)).json()).toMatchObject({ body: "parts" });

  const empty = await fetch(`${base}/empty`);
  expect([empty.status, await empty.text()]).toEqual([204, ""]);
  expect((await fetch(base, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(`${base}/old`, { redirect: "manual" })).headers.get("location")).toBe("/new");
  await expect(fetch(`${base}/old`, { redirect: "error" })).rejects.toThrow(TypeError);
});

test("what cannot be reached is a TypeError that says why, with the guest's line", async () => {
  const { fetch } = guestFetch(80);
  const thrown = await fetch("http://evil.test/").catch((error) => error);
  expect(thrown).toBeInstanceOf(TypeError);
  expect(thrown.message).toBe("Guests may not reach evil.test");
  expect(thrown.stack).toContain("fetch.test.ts");
  await expect(fetch("nonsense")).rejects.toThrow(TypeError);
});

test("an abort ends the wait and the request itself", async () => {
  await using server = await serveSockets((socket) => void socket.resume());
  const { fetch, base, calls } = guestFetch(server.port);
  await expect(fetch(base, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ name: "TimeoutError" });
  expect(calls).toEqual(["fetch", "abort_fetch"]);
  const reason = new Error("enough");
  await expect(fetch(base, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(calls.length).toBe(2);
});
