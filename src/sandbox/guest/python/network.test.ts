import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openDoor } from "../../../door/door.fixture.ts";
import { fetchOperationsFor } from "../../../operations/fetch.ts";
import { type AnyOperation, runOperation } from "../../../operations/operation.ts";
import { local, serveHttp, serveSockets } from "../../egress/local-server.fixture.ts";

/** Stands for the protocol: one line a request, one line an answer. */
const prelude = `
import json, sys
sys.path.insert(0, ${JSON.stringify(fileURLToPath(new URL("..", import.meta.url)))})
from python import network

class Failure(Exception):
    pass

def fetch(arguments):
    print(json.dumps(["fetch", arguments]), flush=True)
    answer = json.loads(sys.stdin.readline())
    if "value" in answer:
        return answer["value"]
    failure = Failure(answer["message"])
    failure.code = answer["code"]
    raise failure

def show(value):
    print(json.dumps({"show": value}), flush=True)
`;

/** What Python code shows, with urllib.request over the real operations. */
async function showsOf(port: number, code: string): Promise<unknown[]> {
  const operations = fetchOperationsFor(local(`api.example.org:${port}`, `other.example.org:${port}`), openDoor);
  const { signal } = new AbortController();
  const setUp = code.includes("# installed later") ? "" : "network.install(fetch)\n";
  const source = `${prelude}${setUp}base = "http://api.example.org:${port}"\n${code}`;
  const child = spawn("python3", ["-I", "-B", "-c", source], { stdio: ["pipe", "pipe", "inherit"], env: {} });
  const shown: unknown[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as { show: unknown } | [name: string, args: unknown];
    if (!Array.isArray(message)) {
      shown.push(message.show);
      continue;
    }
    const found = operations.find(({ guest }) => guest === message[0]) as AnyOperation;
    const answer = await runOperation(found, message[1], { signal }).then(
      (value) => ({ value }),
      ({ message, code }) => ({ message, code }),
    );
    child.stdin.write(`${JSON.stringify(answer)}\n`);
  }
  return shown;
}

test("urlopen works as usual", async () => {
  await using server = await serveHttp(async (request, response) => {
    if (request.url === "/old") return void response.writeHead(302, { location: "/new" }).end();
    if (request.url === "/gone") return void response.writeHead(410, "Gone For Good").end("no more");
    const body = Buffer.concat(await request.toArray()).toString();
    response.setHeader("content-type", "application/json; charset=utf-8");
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    const { method, url, headers } = request;
    if (method === "HEAD") return void response.setHeader("content-length", 12).end();
    response.end(JSON.stringify({ method, url, body, key: headers["x-key"], type: headers["content-type"] }));
  });
  const shown = await showsOf(
    server.port,
    `
import io, urllib.error, urllib.parse, urllib.request
with urllib.request.urlopen(base + "/old#part") as response:
    show([response.status, response.reason, response.geturl() == base + "/new", json.load(response)])
    show([response.headers.get_content_charset(), response.headers.get_all("set-cookie")])
data = urllib.parse.urlencode({"a": "ü"}).encode()
request = urllib.request.Request(base, data=data, headers={"X-Key": "k"}, method="PUT")
show(json.load(urllib.request.urlopen(request, timeout=20)))
for body in (io.BytesIO(b"file"), iter([b"pa", b"rts"]), bytearray(b"array")):
    show(json.load(urllib.request.urlopen(base, data=body))["body"])
response = urllib.request.urlopen(urllib.request.Request(base, method="HEAD"))
show([response.read().decode(), response.headers["content-length"]])
lines = urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(base)
show([lines.read(2).decode(), lines.readline().decode()[:4]])
path, headers = urllib.request.urlretrieve(base + "/file")
show([json.load(open(path))["url"], headers.get_content_type()])
try:
    urllib.request.urlopen(base + "/gone")
except urllib.error.HTTPError as error:
    show([error.code, error.reason, error.read().decode()])
class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *details):
        return None
try:
    urllib.request.build_opener(NoRedirect).open(base + "/old")
except urllib.error.HTTPError as error:
    show([error.code, error.headers["location"]])
`,
  );
  const form = "application/x-www-form-urlencoded";
  expect(shown).toEqual([
    [200, "OK", true, { method: "GET", url: "/new", body: "" }],
    ["utf-8", ["a=1", "b=2"]],
    { method: "PUT", url: "/", body: "a=%C3%BC", key: "k", type: form },
    "file",
    "parts",
    "array",
    ["", "12"],
    ['{"', "meth"],
    ["/file", "application/json"],
    [410, "Gone For Good", "no more"],
    [302, "/new"],
  ]);
});

test("what cannot be reached is a URLError that says why", async () => {
  await using server = await serveSockets((socket) => void socket.resume());
  const shown = await showsOf(
    server.port,
    `
import urllib.error, urllib.request
def failure(url, **options):
    try:
        urllib.request.urlopen(url, **options)
    except urllib.error.URLError as error:
        show([type(error).__name__, type(error.reason).__name__, str(error.reason)])
failure("http://evil.test/")
failure("https://127.0.0.1/")
failure("http://user:secret@evil.test/")
failure(base, timeout=0.1)
`,
  );
  expect(shown).toEqual([
    ["URLError", "str", "Guests may not reach evil.test"],
    ["URLError", "str", "Guests may not reach 127.0.0.1"],
    ["URLError", "str", "Cannot send this request: its URL holds credentials: send them as a header"],
    ["URLError", "TimeoutError", "The request to api.example.org did not end within 0.1 seconds"],
  ]);
});

test("a redirect to another host takes no credentials with it", async () => {
  await using server = await serveHttp((request, response) => {
    const { authorization, cookie, host } = request.headers;
    const location = new URL(request.url ?? "", "http://x").searchParams.get("to");
    if (location) return void response.writeHead(302, { location }).end();
    response.end([authorization, cookie, host].join());
  });
  const shown = await showsOf(
    server.port,
    `
import urllib.request
headers = {"authorization": "secret", "Cookie": "s=1"}
def to(url):
    request = urllib.request.Request(base + "/?to=" + url, headers=headers)
    show(urllib.request.urlopen(request).read().decode())
to("/same")
to(base.replace("api", "other") + "/")
`,
  );
  expect(shown).toEqual([`secret,s=1,api.example.org:${server.port}`, `,,other.example.org:${server.port}`]);
});

test("it can be installed before or after the import, again, and costs nothing before it", async () => {
  await using server = await serveHttp((_request, response) => response.end("answered"));
  const fetching = `
show(urllib.request.urlopen(base).read().decode())
show([type(urllib.request.__loader__).__name__, [f for f in sys.meta_path if "network" in type(f).__module__]])
`;
  const before = `
network.install(fetch)
show("http.client" in sys.modules)
import urllib.request
${fetching}`;
  const after = `# installed later
import urllib.request
network.install(fetch)
network.install(fetch)
${fetching}`;
  expect(await showsOf(server.port, before)).toEqual([false, "answered", ["SourceFileLoader", []]]);
  expect(await showsOf(server.port, after)).toEqual(["answered", ["SourceFileLoader", []]]);
});
