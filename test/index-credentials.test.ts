import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { Coordinator } from "../src/app/coordinator.ts";
import { serveHttp } from "../src/sandbox/egress/local-server.fixture.ts";

// A package index of our own that wants a password, and a package whose code looks for it while it is built.

const folder = mkdtempSync(join(tmpdir(), "coordinator-index-"));
const minutes = 3 * 60_000;
const [user, password] = ["build-user", "Index/Passw0rd"];
const login = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
const inUrl = `${user}:${encodeURIComponent(password)}`;
const archive = join(folder, "nosy-1.0.tar.gz");

beforeAll(() => {
  const source = join(folder, "nosy-1.0");
  mkdirSync(source);
  const project = '[project]\nname = "nosy"\nversion = "1.0"\n';
  const build = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n';
  writeFileSync(join(source, "pyproject.toml"), build + project);
  writeFileSync(join(source, "backend.py"), backend);
  execFileSync("tar", ["-czf", archive, "-C", folder, "nosy-1.0"]);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Packs all that it can read, and what it got from the index by itself, into a module. */
const backend = `
import os, urllib.request, urllib.error, zipfile

def read(path):
    try:
        with open(path, "rb") as file:
            return file.read(100_000).decode("latin-1")
    except OSError as error:
        return type(error).__name__

def ask(method):
    settings = read(os.environ["PIP_CONFIG_FILE"])
    address = next(line.split(" = ")[1] for line in settings.splitlines() if line.startswith("index-url"))
    try:
        urllib.request.urlopen(urllib.request.Request(address + "/upload", b"x" if method == "POST" else None, method=method))
        return 200
    except urllib.error.HTTPError as error:
        return error.code

def build_wheel(folder, config_settings=None, metadata_directory=None):
    found = {"environment": repr(dict(os.environ))}
    for root in ["/environment", "/sources", "/forward/socket", "/tmp", "/settings"]:
        for place, _, names in os.walk(root):
            for name in names:
                found[os.path.join(place, name)] = read(os.path.join(place, name))
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for name in ("environ", "cmdline"):
            found[f"/proc/{pid}/{name}"] = read(f"/proc/{pid}/{name}")
    asked = {method: ask(method) for method in ("POST", "PUT", "DELETE")}
    with zipfile.ZipFile(os.path.join(folder, "nosy-1.0-py3-none-any.whl"), "w") as wheel:
        wheel.writestr("nosy.py", "found = " + repr(found) + "\\nasked = " + repr(asked))
        wheel.writestr("nosy-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: nosy\\nVersion: 1.0\\n")
        wheel.writestr("nosy-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("nosy-1.0.dist-info/RECORD", "")
    return "nosy-1.0-py3-none-any.whl"
`;

/** An index with one package; it notes what was asked with the password. */
function index(link: (host: string) => string, loggedIn: string[]): RequestListener {
  return ({ headers, method, url }, response) => {
    const isSignedIn = headers.authorization === login;
    if (isSignedIn) loggedIn.push(`${method} ${url}`);
    if (!isSignedIn) response.writeHead(401, { "www-authenticate": "Basic" }).end();
    else if (url === "/files/nosy-1.0.tar.gz") response.end(readFileSync(archive));
    else if (url === "/simple/nosy/") {
      response.writeHead(200, { "content-type": "text/html", "set-cookie": "session=of-the-user" });
      response.end(`<a href="${link(headers.host ?? "")}">nosy-1.0.tar.gz</a>`);
    } else response.writeHead(404).end();
  };
}

/** Installs the package from an index, and tells what its code had found. */
async function install(address: string): Promise<{ found: string; asked: unknown }> {
  const settings = join(folder, "pip.conf");
  writeFileSync(settings, `[global]\nindex-url = ${address}\n`);
  vi.stubEnv("PIP_CONFIG_FILE", settings);
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ mcpServers: {} }));
  const home = mkdtempSync(join(folder, "home-"));
  await using coordinator = await Coordinator.open({ config, env: { ...process.env, MCP_COORDINATOR_HOME: home } });
  await coordinator.run("install_dependencies", { packages: ["nosy"], environment: "nosy" });
  const run = await coordinator.execute({
    ...{ language: "python", environment: "nosy", engine: "cpython" },
    code: "import nosy\nlen(nosy.found) > 4",
  });
  expect(run).toMatchObject({ status: "ok", result: true });
  const text = execFileSync("find", [join(home, "environments"), "-name", "nosy.py", "-exec", "cat", "{}", ";"], {
    encoding: "utf8",
  });
  return { found: text, asked: /^asked = (.*)$/m.exec(text)?.[1] };
}

function expectNoPassword(text: string): void {
  expect(text).toContain("/environment/settings/pip.conf");
  expect(text).toContain("/proc/1/cmdline");
  for (const secret of [password, encodeURIComponent(password), login.slice("Basic ".length), "of-the-user"]) {
    expect(text).not.toContain(secret);
  }
}

test(
  "build code of a package finds no password of the index, and cannot write to the index with it",
  async () => {
    const loggedIn: string[] = [];
    await using server = await serveHttp(index(() => "../../files/nosy-1.0.tar.gz", loggedIn));
    const { found, asked } = await install(`http://${inUrl}@127.0.0.1:${server.port}/simple`);
    expectNoPassword(found);
    expect(asked).toBe("{'POST': 403, 'PUT': 403, 'DELETE': 403}");
    expect(loggedIn).toEqual(["GET /simple/nosy/", "GET /files/nosy-1.0.tar.gz"]);
  },
  minutes,
);

test(
  "the same for an index that speaks TLS and names its files by whole addresses",
  async () => {
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const kind = ["-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
    execFileSync("openssl", ["req", ...kind, ...names, "-keyout", key, "-out", certificate], { stdio: "ignore" });
    const loggedIn: string[] = [];
    const link = (host: string) => `https://${host}/files/nosy-1.0.tar.gz`;
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, index(link, loggedIn));
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    try {
      vi.stubEnv("PIP_CERT", certificate);
      const { port } = server.address() as AddressInfo;
      expectNoPassword((await install(`https://${inUrl}@localhost:${port}/simple`)).found);
      expect(loggedIn).toEqual(["GET /simple/nosy/", "GET /files/nosy-1.0.tar.gz"]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
  minutes,
);
