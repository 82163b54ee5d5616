import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNpm } from "./npm.ts";

// The real npm in its sandbox, against a registry of our own that serves packages of the worst kind. Needs a build.

const folder = mkdtempSync(join(tmpdir(), "npm-registry-"));
const findProgram = (name: string) => (existsSync(`/usr/bin/${name}`) ? `/usr/bin/${name}` : undefined);
const settings = {
  ...{ environment: "default", autoInstall: false, allow: ["*"], deny: [], sources: "index" as const, hosts: [] },
  ...{ timeoutSeconds: 40, maxMb: 50 },
};
const asked: string[] = [];
const tarballs = new Map<string, Buffer>();
let registry: Server;
let elsewhere: Server;
let address: string;

const manifests = (): Record<string, object> => ({
  scripted: {
    scripts: {
      preinstall: "node -e \"require('fs').writeFileSync('/environment/canary', '')\"",
      install: "touch /environment/canary",
      postinstall: "touch /environment/canary",
      prepare: "touch /environment/canary",
    },
    bin: { node: "index.js", npm: "../../../canary.js" },
    gypfile: true,
  },
  "asks-git": { dependencies: { x: "git+https://127.0.0.1:1/x.git" } },
  "asks-elsewhere": { dependencies: { x: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/x.tgz` } },
  "asks-files": { dependencies: { x: "file:../../../../../../etc" } },
});

function pack(name: string, manifest: object): Buffer {
  const place = join(folder, name, "package");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ name, version: "1.0.0", ...manifest }));
  writeFileSync(join(place, "index.js"), "module.exports = 1;");
  return execFileSync("tar", ["-czf", "-", "-C", join(folder, name), "package"]);
}

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

beforeAll(async () => {
  elsewhere = createServer((request, response) => {
    asked.push(`elsewhere ${request.url}`);
    response.end();
  });
  await listen(elsewhere);
  registry = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? "").replace(/^\/|\.tgz$/g, "");
    asked.push(request.url ?? "");
    const tarball = tarballs.get(name);
    if (!tarball) return void response.writeHead(404).end("{}");
    if (request.url?.endsWith(".tgz")) return void response.end(tarball);
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${address}/${name}.tgz`, integrity };
    const versions = { "1.0.0": { name, version: "1.0.0", ...manifests()[name], dist } };
    response.end(JSON.stringify({ name, "dist-tags": { latest: "1.0.0" }, versions }));
  });
  address = await listen(registry);
  for (const [name, manifest] of Object.entries(manifests())) tarballs.set(name, pack(name, manifest));
});
afterAll(() => {
  registry.close();
  elsewhere.close();
  rmSync(folder, { recursive: true });
});

const install = async (name: string) => {
  const layer = mkdtempSync(join(folder, "layer-"));
  writeFileSync(join(layer, "package.json"), "{}");
  const none = join(folder, "none");
  const npm = createNpm(findProgram, settings, { userFile: none, globalFile: none, registry: `${address}/` });
  const end = await npm.install(layer, [name], {});
  return { layer, end };
};

describe("npm in its sandbox", () => {
  test("runs no script of a package, and links none of its programs", async () => {
    const { layer, end } = await install("scripted");
    expect(end).toMatchObject({ exitCode: 0 });
    expect(readdirSync(layer).sort()).toEqual(["node_modules", "package-lock.json", "package.json"]);
    expect(readdirSync(join(layer, "node_modules")).filter((name) => !name.startsWith(".p"))).toEqual(["scripted"]);
    expect(JSON.parse(readFileSync(join(layer, "package.json"), "utf8"))).toEqual({
      dependencies: { scripted: "1.0.0" },
    });
  }, 60_000);

  test("reaches its registry and no other place", async () => {
    const { end } = await install("asks-elsewhere");
    expect(end.exitCode).not.toBe(0);
    expect(end.refused).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
    expect(asked.filter((line) => line.startsWith("elsewhere"))).toEqual([]);
  }, 60_000);

  test("has no git", async () => {
    const { end } = await install("asks-git");
    expect(end.exitCode).not.toBe(0);
    expect(end.output).toContain("spawn git");
  }, 60_000);

  test("finds no file of the host for a package that asks for one", async () => {
    const { layer, end } = await install("asks-files");
    const found = end.exitCode === 0 ? readdirSync(join(layer, "node_modules"), { recursive: true }) : [];
    expect(found.filter((path) => String(path).includes("passwd"))).toEqual([]);
  }, 60_000);
});
