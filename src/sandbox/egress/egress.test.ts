import { EventEmitter, once } from "node:events";
import type { RequestListener } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { maxBodyBytes } from "./body.ts";
import { createEgress, type EgressRequest } from "./egress.ts";
import { local, serveHttp, serveHttps, serveSockets } from "./local-server.fixture.ts";

const { signal } = new AbortController();
const get = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  url,
  method: "GET",
  headers: [],
  redirect: "follow",
  ...more,
});

/** How a request ends, in words: an answer may be too long to be shown. */
const endOf = (fetching: Promise<unknown>): Promise<string> =>
  fetching.then(
    () => "answered",
    (thrown) => thrown.message as string,
  );

/** An egress to a real server under the name api.example.org. */
async function reaching(listener: RequestListener) {
  const server = await serveHttp(listener);
  const base = `http://api.example.org:${server.port}`;
  const egress = createEgress(local(`api.example.org:${server.port}`));
  const fetch = (path: string, more: Partial<EgressRequest> = {}) => egress.fetch(get(`${base}${path}`, more), signal);
  return { server, base, fetch, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test("a request is sent as it was asked for, and the answer comes back whole", async () => {
  await using at = await reaching(async (request, response) => {
    const chunks = await request.toArray();
    response.writeHead(
      201,
      "Made",
      [
        ["X-One", "1"],
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
      ].flat(),
    );
    response.end(JSON.stringify({ headers: request.headers, body: Buffer.concat(chunks).toString() }));
  });
  const body = Buffer.from("grüße");
  const answer = await at.fetch("/a?b=c#d", { method: "POST", headers: [["X-Key", "k"]], body });
  expect(answer).toMatchObject({ status: 201, statusText: "Made", redirected: false, url: `${at.base}/a?b=c#d` });
  expect(answer.headers.filter(([name]) => name !== "date")).toEqual([
    ["x-one", "1"],
    ["set-cookie", "a=1"],
    ["set-cookie", "b=2"],
  ]);
  expect(at.server.requests).toEqual(["POST /a?b=c"]);
  expect(JSON.parse(String(answer.body))).toEqual({
    body: "grüße",
    headers: {
      accept: "*/*",
      "accept-encoding": "gzip, br, deflate",
      connection: "close",
      "content-length": "7",
      host: `api.example.org:${at.server.port}`,
      "user-agent": "mcp-coordinator",
      "x-key": "k",
    },
  });
});

test("headers about the connection or another host are ours to set", async () => {
  await using at = await reaching((request, response) => response.end(JSON.stringify(request.headers)));
  const ours = ["Host", "Connection", "Upgrade", "Transfer-Encoding", "TE", "Trailer", "Expect", "Proxy-Authorization"];
  const { body } = await at.fetch("/", {
    headers: [...ours, "Proxy-Connection", "Content-Length", "Keep-Alive"].map((name) => [name, "evil"] as const),
  });
  const { host, connection, ...rest } = JSON.parse(String(body));
  expect({ host, connection, rest: Object.keys(rest) }).toEqual({
    host: `api.example.org:${at.server.port}`,
    connection: "close",
    rest: ["accept", "accept-encoding", "user-agent"],
  });
});

test.each([
  ["a line break in a value", [["X-A", "1\r\nHost: evil"]]],
  ["NUL in a value", [["X-A", "\0"]]],
  ["a line break in a name", [["X\r\nA", "1"]]],
  ["an empty name", [["", "1"]]],
  ["a character beyond Latin-1", [["X-A", "\u0100"]]],
  ["more than 32 KB", [["X-A", "x".repeat(33_000)]]],
] as [string, [string, string][]][])("headers with %s are refused", async (_what, headers) => {
  await using at = await reaching((_request, response) => response.end());
  await expect(at.fetch("/", { headers })).rejects.toMatchObject({ code: "input_invalid" });
  expect(at.server.open.size).toBe(0);
});

test.each([
  "http://attacker.test\0.api.example.org/",
  "http://api.example.org\t/",
  "http://api.example.org\\@evil.test/",
  "http://api.example.org@evil.test/",
  "http://user:secret@api.example.org/",
  "http://api.example.org%00.evil.test/",
  "http://[fe80::1%25lo]/",
  "http://api..example.org/",
  "file:///etc/passwd",
  "ftp://api.example.org/",
  "javascript:alert(1)",
  "data:text/plain,x",
  "//api.example.org/",
  "/path",
  "",
])("the URL %j is refused before anything is resolved", async (url) => {
  let asked = 0;
  const lookup = async () => [String(asked++)];
  const egress = createEgress({ allow: ["api.example.org"], lookup });
  await expect(egress.fetch(get(url), signal)).rejects.toMatchObject({ code: "input_invalid" });
  expect(asked).toBe(0);
});

test("a URL of more than 16 KB is refused", async () => {
  const fetching = createEgress(local("api.example.org")).fetch(
    get(`http://api.example.org/${"x".repeat(16_384)}`),
    signal,
  );
  await expect(fetching).rejects.toMatchObject({ code: "input_invalid" });
});

test("the spelling of a host does not matter, and the server sees the usual one", async () => {
  await using at = await reaching((request, response) => response.end(request.headers.host));
  const egress = createEgress(local(`API.example.ORG:${at.server.port}`));
  const { body, url } = await egress.fetch(get(`http://Api.Example.Org.:${at.server.port}/`), signal);
  expect([String(body), url]).toEqual([`api.example.org:${at.server.port}`, `${at.base}/`]);
});

test("https is checked against the name that was asked for", async () => {
  await using server = await serveHttps((_request, response) => response.end("safe"));
  const options = local(`api.example.org:${server.port}`, `other.example.org:${server.port}`);
  const fetch = (host: string, ca = options.ca) =>
    createEgress({ ...options, ca }).fetch(get(`https://${host}:${server.port}/`), signal);
  expect(String((await fetch("api.example.org")).body)).toBe("safe");
  await expect(fetch("other.example.org")).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
  await expect(
    createEgress({ ...options, ca: undefined }).fetch(get(`https://api.example.org:${server.port}/`), signal),
  ).rejects.toThrow("SELF_SIGNED");
  expect(server.requests).toEqual(["GET /"]);
});

test("the environment cannot switch off the check of certificates", async () => {
  await using server = await serveHttps((_request, response) => response.end("safe"));
  const egress = createEgress({ ...local(`api.example.org:${server.port}`), ca: undefined });
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  try {
    const fetching = egress.fetch(get(`https://api.example.org:${server.port}/`), signal);
    await expect(fetching).rejects.toMatchObject({ code: "network_failed" });
  } finally {
    delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  }
});

test("redirects are followed as browsers follow them", async () => {
  await using at = await reaching((request, response) => {
    const status = Number(request.url?.slice(1));
    if (status) return void response.writeHead(status, { location: "end?x#y" }).end("moved");
    response.end(`${request.method} ${request.headers["content-length"]} ${request.headers["content-type"]}`);
  });
  const send = async (status: number, method: string) => {
    const body = method === "POST" ? Buffer.from("body") : undefined;
    const headers = [["content-type", "text/plain"]] as const;
    const answer = await at.fetch(`/${status}`, { method, headers, body });
    return [String(answer.body), answer.url.replace(at.base, ""), answer.redirected];
  };
  expect(await send(301, "POST")).toEqual(["GET undefined undefined", "/end?x#y", true]);
  expect(await send(303, "POST")).toEqual(["GET undefined undefined", "/end?x#y", true]);
  expect(await send(307, "POST")).toEqual(["POST 4 text/plain", "/end?x#y", true]);
  expect(await send(308, "DELETE")).toEqual(["DELETE undefined text/plain", "/end?x#y", true]);
  expect(String((await at.fetch("/302", { redirect: "manual" })).body)).toBe("moved");
  await expect(at.fetch("/302", { redirect: "error" })).rejects.toThrow("it answered with a redirect");
});

test("a redirect is checked like any other request", async () => {
  let location = "";
  await using at = await reaching((_request, response) => response.writeHead(302, { location }).end());
  const port = at.server.port;
  const to = async (url: string) => {
    location = url;
    return endOf(at.fetch("/"));
  };
  expect(await to(`http://evil.test:${port}/`)).toBe(`Guests may not reach evil.test at port ${port}`);
  expect(await to("http://169.254.169.254/latest/")).toBe("Guests may not reach 169.254.169.254");
  expect(await to(`http://127.0.0.1:${port}/`)).toBe(`Guests may not reach 127.0.0.1 at port ${port}`);
  expect(await to("http://api.example.org:22/")).toBe("Guests may not reach api.example.org at port 22");
  expect(await to("file:///etc/passwd")).toContain("which is not a URL to follow");
  expect(await to(`http://user:secret@api.example.org:${port}/`)).toContain("which is not a URL to follow");
  expect(await to(`http://api.example.org:${port}/`)).toContain("it redirects more than 5 times");
  expect(at.server.requests.length).toBe(6 + 6);
});

test("a redirect to an open name that has become private is refused", async () => {
  const answers = [["127.0.0.1"], ["10.0.0.1"]];
  await using server = await serveHttp((_request, response) => response.writeHead(302, { location: "/again" }).end());
  const options = local(`api.example.org:${server.port}`);
  const egress = createEgress({ ...options, lookup: async () => answers.shift() ?? [] });
  await expect(egress.fetch(get(`http://api.example.org:${server.port}/`), signal)).rejects.toThrow("not public");
  expect(server.requests).toEqual(["GET /"]);
});

test("a redirect to another open host takes no credentials with it", async () => {
  await using server = await serveHttp((request, response) => {
    const { authorization, cookie, "x-key": key, host } = request.headers;
    const location = new URL(request.url ?? "", "http://x").searchParams.get("to");
    if (location) return void response.writeHead(307, { location }).end();
    response.end([authorization, cookie, key, host].join());
  });
  const port = server.port;
  const egress = createEgress(local(`a.example.org:${port}`, `b.example.org:${port}`));
  const headers = [
    ["Authorization", "secret"],
    ["Cookie", "s=1"],
    ["X-Key", "k"],
  ] as const;
  const to = async (url: string) =>
    String((await egress.fetch(get(`http://a.example.org:${port}/?to=${url}`, { headers }), signal)).body);
  expect(await to("/same")).toBe(`secret,s=1,k,a.example.org:${port}`);
  expect(await to(`http://b.example.org:${port}/`)).toBe(`,,k,b.example.org:${port}`);
});

test("compressed answers are unpacked, and say so no longer", async () => {
  const text = "hello ".repeat(100);
  const packed = {
    gzip: gzipSync(text),
    br: brotliCompressSync(text),
    deflate: deflateSync(text),
    "Deflate ": deflateRawSync(text),
    "gzip, br": brotliCompressSync(gzipSync(text)),
    identity: Buffer.from(text),
  };
  await using at = await reaching((request, response) => {
    const encoding = decodeURIComponent(request.url?.slice(1) ?? "") as keyof typeof packed;
    response.writeHead(200, { "content-encoding": encoding }).end(packed[encoding] ?? "as it is");
  });
  for (const encoding of Object.keys(packed)) {
    const { body, headers } = await at.fetch(`/${encodeURIComponent(encoding)}`);
    expect([encoding, String(body)]).toEqual([encoding, text]);
    if (encoding !== "identity") expect(headers.map(([name]) => name)).not.toContain("content-encoding");
  }
  const unknown = await at.fetch("/utf-8");
  expect(String(unknown.body)).toBe("as it is");
  expect(unknown.headers).toContainEqual(["content-encoding", "utf-8"]);
});

test("an answer that unpacks to more than 10 MB is cut off with an error", async () => {
  const bombs = {
    gzip: gzipSync(Buffer.alloc(20_000_000)),
    br: brotliCompressSync(Buffer.alloc(20_000_000)),
    deflate: deflateSync(Buffer.alloc(20_000_000)),
    "gzip, gzip": gzipSync(gzipSync(Buffer.alloc(20_000_000))),
  };
  await using at = await reaching((request, response) => {
    const encoding = decodeURIComponent(request.url?.slice(1) ?? "") as keyof typeof bombs;
    response.writeHead(200, { "content-encoding": encoding }).end(bombs[encoding]);
  });
  for (const encoding of Object.keys(bombs)) {
    expect(await endOf(at.fetch(`/${encodeURIComponent(encoding)}`))).toContain("longer than 10 MB");
  }
});

test("an answer of 10 MB is read, one byte more is not, and one without end ends", async () => {
  await using at = await reaching((request, response) => {
    if (request.url !== "/endless") return void response.end(Buffer.alloc(Number(request.url?.slice(1))));
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on("drain", pour);
    pour();
  });
  expect((await at.fetch(`/${maxBodyBytes}`)).body.length).toBe(maxBodyBytes);
  expect(await endOf(at.fetch(`/${maxBodyBytes + 1}`))).toContain("longer than 10 MB");
  expect(await endOf(at.fetch("/endless"))).toContain("longer than 10 MB");
});

test("a request of more than 10 MB is not sent", async () => {
  await using at = await reaching((_request, response) => response.end());
  const body = Buffer.alloc(maxBodyBytes + 1);
  await expect(at.fetch("/", { method: "POST", body })).rejects.toMatchObject({ code: "input_invalid" });
  expect(at.server.requests).toEqual([]);
});

test.each([
  ["damaged gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\noops", "damaged"],
  ["a body that is cut off", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "it could not be read"],
  ["headers without end", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`, "HPE_HEADER_OVERFLOW"],
  ["no HTTP", "220 smtp ready\r\n", "HPE_"],
  [
    "another protocol",
    "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
    "the connection was lost",
  ],
  ["an odd status", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", "the status 999"],
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "HPE_"],
  ["nothing", "", "ECONNRESET"],
])("a server that answers with %s is a failure", async (_what, raw, message) => {
  await using server = await serveSockets((socket) => void socket.once("data", () => socket.end(raw)));
  const egress = createEgress(local(`api.example.org:${server.port}`));
  const thrown = await egress.fetch(get(`http://api.example.org:${server.port}/`), signal).catch((error) => error);
  expect(thrown).toMatchObject({ code: "network_failed", message: expect.stringMatching(message) });
});

test.each([
  ["says nothing", "http", ""],
  ["does not shake hands", "https", ""],
  ["sends a header and no more", "http", "HTTP/1.1 200 OK\r\nX:"],
  ["sends a part of its body", "http", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nslow"],
])("a server that %s is given up in time, and its connection is closed", async (_what, scheme, answer) => {
  const seen = new EventEmitter();
  const closed = once(seen, "closed");
  await using server = await serveSockets((socket) => {
    socket.on("close", () => seen.emit("closed"));
    socket.once("data", () => socket.write(answer));
  });
  const egress = createEgress(local(`api.example.org:${server.port}`));
  const fetching = egress.fetch(get(`${scheme}://api.example.org:${server.port}/`, { timeoutSeconds: 0.2 }), signal);
  await expect(fetching).rejects.toMatchObject({
    code: "call_timeout",
    message: "The request to api.example.org did not end within 0.2 seconds",
  });
  await closed;
});

test("the end of a run ends its requests, those that wait included", async () => {
  const controller = new AbortController();
  let connections = 0;
  const seen = new EventEmitter();
  const full = once(seen, "full");
  await using server = await serveSockets((socket) => {
    socket.once("data", () => {
      if (++connections === 16) seen.emit("full");
    });
  });
  const egress = createEgress(local(`api.example.org:${server.port}`));
  const url = `http://api.example.org:${server.port}/`;
  const all = Array.from({ length: 20 }, () => egress.fetch(get(url), controller.signal).catch((error) => error.code));
  await full;
  expect(server.open.size).toBe(16);
  controller.abort();
  expect(await Promise.all(all)).toEqual(Array(20).fill("call_cancelled"));
  await Promise.all([...server.open].map((socket) => once(socket, "close")));
  expect(connections).toBe(16);
});

test("sixteen requests are under way at most, and the others follow", async () => {
  let now = 0;
  let most = 0;
  await using at = await reaching((_request, response) => {
    most = Math.max(most, ++now);
    setImmediate(() => {
      now--;
      response.end();
    });
  });
  const all = await Promise.all(Array.from({ length: 50 }, () => at.fetch("/")));
  expect(all.length).toBe(50);
  expect(most).toBeLessThanOrEqual(16);
});

test("no request leaves a connection behind", async () => {
  await using at = await reaching((_request, response) => response.end("x".repeat(100)));
  await at.fetch("/");
  await Promise.all([...at.server.open].map((socket) => once(socket, "close")));
  await at.fetch("/", { method: "HEAD" });
  await Promise.all([...at.server.open].map((socket) => once(socket, "close")));
  expect(at.server.open.size).toBe(0);
});
