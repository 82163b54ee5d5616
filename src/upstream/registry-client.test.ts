import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { findInRegistry, readFromRegistry } from "./registry-client.ts";

let server: Server | undefined;
afterEach(() => server?.close());

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const entry = (name: string) => ({ server: { name, description: "d", version: "1" }, _meta: {} });
const json = (response: ServerResponse, value: unknown) => response.end(JSON.stringify(value));

test("pages are followed, each word is asked for, and no server comes twice", async () => {
  const asked: string[] = [];
  const url = await serve(({ url: path = "" }, response) => {
    asked.push(path);
    const query = new URL(path, "http://x").searchParams;
    const isFirst = query.get("cursor") === null;
    json(response, {
      servers: [entry(`a/${query.get("search")}-${isFirst ? 1 : 2}`), entry("a/both")],
      metadata: isFirst ? { nextCursor: "second page" } : {},
    });
  });
  const found = await findInRegistry(["one", "two"], { url });
  expect(found.map(({ name }) => name).toSorted()).toEqual(["a/both", "a/one-1", "a/one-2", "a/two-1", "a/two-2"]);
  expect(asked).toHaveLength(4);
  expect(asked[0]).toBe("/v0.1/servers?search=one&version=latest&limit=100");
});

test("a registry whose pages never end is left after a few", async () => {
  let pages = 0;
  const url = await serve((_request, response) =>
    json(response, { servers: [], metadata: { nextCursor: `${pages++}` } }),
  );
  expect(await findInRegistry(["one"], { url })).toEqual([]);
  expect(pages).toBe(5);
});

test("a name is one part of the path, whatever is in it", async () => {
  const url = await serve(({ url: path }, response) => {
    if (path === "/sub/v0.1/servers/a%2Fb%3F..%2F/versions/latest") json(response, entry("a/b"));
    else response.writeHead(404).end();
  });
  expect(await readFromRegistry("a/b?../", { url: `${url}/sub` })).toMatchObject({ name: "a/b", status: "active" });
  expect(await readFromRegistry("other", { url })).toBeUndefined();
});

test.each([
  ["an error", (response: ServerResponse) => response.writeHead(500).end(), /it answered 500/],
  [
    "a redirect",
    (response: ServerResponse) => response.writeHead(302, { location: "http://x/" }).end(),
    /it answered 302/,
  ],
  ["no JSON", (response: ServerResponse) => response.end("<html>"), /JSON/],
  ["nothing", (response: ServerResponse) => response.destroy(), /hang up/],
  ["too much", (response: ServerResponse) => response.end(" ".repeat(9_000_000)), /more than 8000000 bytes/],
] as const)("%s is told as a failure of the network", async (_name, answer, why) => {
  const url = await serve((_request, response) => void answer(response));
  await expect(findInRegistry(["x"], { url })).rejects.toMatchObject({
    code: "network_failed",
    message: expect.stringMatching(why),
  });
});
