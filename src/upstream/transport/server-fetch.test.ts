import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { failureOf, remote } from "../test-servers.fixture.ts";
import { createUpstreams } from "../upstreams.ts";
import { retryAfter } from "./server-fetch.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server, scheme = "http"): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function callFailure(handler: RequestListener) {
  await using upstreams = createUpstreams([remote(await listen(createServer(handler)))]);
  return await failureOf(upstreams.to("tested").call("echo", {}));
}

test.each([429, 503])("a server that is busy says for how long: %d", async (status) => {
  const error = await callFailure((_, response) => response.writeHead(status, { "retry-after": "12" }).end());
  expect(error).toMatchObject({
    code: "server_unreachable",
    delivery: "not_sent",
    retryAfterMs: 12_000,
    hint: "The server is busy: try again in 12 s.",
  });
});

test.each([
  [503, { code: "server_unreachable", retryAfterMs: 12_000, hint: "The server is busy: try again in 12 s." }],
  [500, { code: "server_unreachable" }],
])("a failure whose text never ends is told with what came of it: %d", async (status, expected) => {
  const drips = new Set<NodeJS.Timeout>();
  const error = await callFailure((_, response) => {
    response.writeHead(status, { "retry-after": "12" }).write("broken");
    drips.add(setInterval(() => response.write("."), 50));
  });
  for (const drip of drips) clearInterval(drip);
  expect(error).toMatchObject({ ...expected, delivery: "not_sent" });
  expect(error.message).toMatch(new RegExp(`answered HTTP ${status}: broken\\.+$`));
});

test.each(["http", "sse"] as const)("of a failure's text only the beginning is read: %s", async (transport) => {
  let written = 0;
  const text = function* () {
    for (; written < 500; written++) yield "x".repeat(100_000);
  };
  const url = await listen(
    createServer((_, response) => pipeline(Readable.from(text()), response.writeHead(500), () => {})),
  );
  await using upstreams = createUpstreams([remote(url, { transport })]);
  const error = await failureOf(upstreams.to("tested").call("echo", {}));
  expect(error.message).toContain("answered HTTP 500: xxx");
  expect(written).toBeLessThan(500);
});

test("a redirect to another host is not followed, and is told without its query", async () => {
  let visits = 0;
  const other = await listen(createServer(() => visits++));
  const error = await callFailure((_, response) => response.writeHead(307, { location: `${other}?key=secret` }).end());
  expect(error.message).toContain(`redirects to ${other}`);
  expect(error.hint).toContain('make it the "url"');
  expect(JSON.stringify([error, error.stack])).not.toContain("secret");
  expect(visits).toBe(0);
});

test("a certificate that nobody vouches for is told as such, and nothing is sent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-days", "1", "-nodes", "-newkey", "rsa:2048"];
  execFileSync("openssl", ["req", "-x509", ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  let requests = 0;
  const options = { key: readFileSync(key), cert: readFileSync(cert) };
  const url = await listen(
    createSecureServer(options, () => requests++),
    "https",
  );
  rmSync(folder, { recursive: true });
  await using upstreams = createUpstreams([remote(url)]);
  expect(await failureOf(upstreams.to("tested").call("echo", {}))).toMatchObject({
    code: "server_untrusted",
    delivery: "not_sent",
    message: expect.stringContaining("has no certificate that can be trusted"),
  });
  expect(requests).toBe(0);
});

const asked = (status: number, value?: string) =>
  retryAfter(new Response("", { status, headers: value === undefined ? {} : { "retry-after": value } }));

test.each([
  [429, "2", 2000],
  [503, " 0 ", 0],
  [503, "86400", 60_000],
  [429, "Thu, 01 Jan 1970 00:00:00 GMT", 0],
  [429, "soon", undefined],
  [429, undefined, undefined],
  [500, "2", undefined],
])("HTTP %i with Retry-After %j is a pause of %j ms (F35)", (status, value, ms) => {
  expect(asked(status, value)).toBe(ms);
});

test("a date that is far away is a minute", () => {
  expect(asked(429, new Date(Date.now() + 3_600_000).toUTCString())).toBe(60_000);
});
