import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OAuthSettings, RemoteServer } from "../../config/server.ts";
import { createCredentials } from "../../store/files/credentials.ts";
import { failureOf, remote, startHttpServer, textOf } from "../test-servers.fixture.ts";
import { createUpstreams, type Upstreams } from "../upstreams.ts";
import { browse, type OAuthServer, startOAuthServer } from "./oauth-server.fixture.ts";
import { createSignIns, type SignIns } from "./sign-ins.ts";

const opened: AsyncDisposable[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mcp-oauth-"));
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Place {
  readonly oauth: OAuthServer;
  readonly upstreams: Upstreams;
  readonly signIns: SignIns;
}

async function open(options: string[] = [], auth?: OAuthSettings): Promise<Place> {
  const oauth = await startOAuthServer(...options);
  opened.push(oauth);
  const server: RemoteServer = remote(oauth.url, auth && { auth });
  const credentials = createCredentials(folder);
  const upstreams = createUpstreams([server], { credentials });
  opened.push(upstreams);
  return { oauth, upstreams, signIns: createSignIns({ servers: () => [server], server: () => server, credentials }) };
}

const consent = { onAddress: (address: string) => void browse(address) };
const echo = (upstreams: Upstreams) => upstreams.to("tested").call("echo", { a: 1 });

describe("a server that wants OAuth", () => {
  test("is told as such with the command that signs in, and serves once that is done", async () => {
    const { oauth, upstreams, signIns } = await open(["iss"]);
    const error = await failureOf(echo(upstreams));
    expect(error).toMatchObject({
      code: "sign_in_needed",
      delivery: "not_sent",
      message: 'Cannot reach upstream "tested": it wants you to sign in',
      hint: "Run: mcp-coordinator auth tested",
    });
    expect(upstreams.state("tested").state).toBe("sign_in_needed");
    expect(await signIns.list()).toEqual([{ server: "tested", url: oauth.url, state: "needed" }]);
    const state = await signIns.signIn("tested", consent);
    expect(state).toMatchObject({
      state: "signed_in",
      issuer: new URL(oauth.url).origin,
      scope: "basic offline_access",
    });
    expect(textOf(await echo(upstreams))).toBe('{"a":1}');
    const { last, registrations } = await oauth.counts();
    expect(registrations).toBe(1);
    expect(last.authorize).toMatchObject({ resource: oauth.url, code_challenge_method: "S256" });
    expect(last.token).toMatchObject({ resource: oauth.url, grant_type: "authorization_code" });
  });

  test.each(["http", "sse"] as const)("is told as such whichever transport meets it: %s", async (transport) => {
    const { oauth } = await open();
    const credentials = createCredentials(folder);
    await using upstreams = createUpstreams([remote(oauth.url, { transport })], { credentials });
    expect(await failureOf(upstreams.to("tested").list())).toMatchObject({
      code: "sign_in_needed",
      message: 'Cannot reach upstream "tested": it wants you to sign in',
    });
  });

  test("of whose token 50 calls at once meet the end is asked for one new one", async () => {
    const { oauth, upstreams, signIns } = await open();
    await signIns.signIn("tested", consent);
    await echo(upstreams);
    await oauth.control({ expire: true });
    const results = await Promise.all(Array.from({ length: 50 }, () => echo(upstreams)));
    expect(results.map(textOf)).toEqual(Array(50).fill('{"a":1}'));
    expect(await oauth.counts()).toMatchObject({ refreshes: 1, reuses: 0, calls: 51 });
  });

  test("gets a new token a little before the old one ends, without being asked", async () => {
    const { oauth, upstreams, signIns } = await open(["expires=1"]);
    await signIns.signIn("tested", consent);
    await echo(upstreams);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await echo(upstreams);
    const { refreshes, refused } = await oauth.counts();
    expect(refreshes).toBeGreaterThanOrEqual(1);
    expect(refused).toBe(1); // that of signing in
  });

  test("whose refresh is refused wants a new sign-in, once, and the spent token is not tried again", async () => {
    const { oauth, upstreams, signIns } = await open();
    await signIns.signIn("tested", consent);
    await echo(upstreams);
    await oauth.control({ expire: true, refuse: "invalid_grant" });
    const errors = await Promise.all([1, 2, 3].map(() => failureOf(echo(upstreams))));
    for (const error of errors) {
      expect(error).toMatchObject({
        code: "sign_in_needed",
        delivery: "failed",
        hint: "Run: mcp-coordinator auth tested",
      });
      expect(error.message).toMatch(/the sign-in has ended: http:\S+ refused to renew it \(invalid_grant\)|sign in/);
    }
    await failureOf(echo(upstreams));
    expect(await oauth.counts()).toMatchObject({ refreshes: 1, calls: 1 });
    await oauth.control({ refuse: null });
    await signIns.signIn("tested", consent);
    expect(textOf(await echo(upstreams))).toBe('{"a":1}');
    expect(await oauth.counts()).toMatchObject({ registrations: 1 });
  });

  test("whose authorization server is down for a while keeps its sign-in", async () => {
    const { oauth, upstreams, signIns } = await open();
    await signIns.signIn("tested", consent);
    await echo(upstreams);
    await oauth.control({ expire: true, refuse: 503 });
    expect(await failureOf(echo(upstreams))).toMatchObject({ code: "server_unreachable", delivery: "not_sent" });
    await oauth.control({ refuse: null });
    expect(textOf(await echo(upstreams))).toBe('{"a":1}');
  });

  test("that wants more rights for one tool is asked for them beside the old ones", async () => {
    const { oauth, upstreams, signIns } = await open();
    await signIns.signIn("tested", consent);
    const error = await failureOf(upstreams.to("tested").call("admin", {}));
    expect(error).toMatchObject({ code: "sign_in_needed", delivery: "failed" });
    expect(error.message).toContain("rights that the sign-in does not give: admin");
    expect(textOf(await echo(upstreams))).toBe('{"a":1}');
    expect((await signIns.signIn("tested", consent)).scope?.split(" ").sort()).toEqual([
      "admin",
      "basic",
      "offline_access",
    ]);
    expect(textOf(await upstreams.to("tested").call("admin", {}))).toBe("{}");
    expect((await oauth.counts()).registrations).toBe(1);
  });

  test("never has its token in an error, though it repeats it", async () => {
    const { upstreams, signIns } = await open();
    await signIns.signIn("tested", consent);
    const error = await failureOf(upstreams.to("tested").call("leak", {}));
    expect(error.message).toContain("cannot use [redacted]");
    expect(JSON.stringify([error, error.stack, upstreams.state("tested")])).not.toMatch(/access-|refresh-/);
  });

  test("gives tokens to the configured client itself where that is configured", async () => {
    const auth = {
      grant: "client_credentials",
      clientId: "known",
      clientSecret: "known-secret",
      scope: "admin",
    } as const;
    const { oauth, upstreams } = await open(["no-register"], auth);
    expect(textOf(await upstreams.to("tested").call("admin", {}))).toBe("{}");
    await oauth.control({ expire: true });
    expect(textOf(await upstreams.to("tested").call("admin", {}))).toBe("{}");
    expect(await oauth.counts()).toMatchObject({ authorizations: 0, refreshes: 0, refused: 2 });
  });

  test("is left as it is when the configuration brings its own header", async () => {
    const { oauth } = await open();
    const server = remote(oauth.url, { headers: { authorization: "Bearer sk-123456" } });
    await using upstreams = createUpstreams([server], { credentials: createCredentials(folder) });
    expect(await failureOf(echo(upstreams))).toMatchObject({
      code: "server_unreachable",
      hint: expect.stringContaining('set "headers"'),
    });
  });
});

test("a server that says 401 and names no authorization server is not one to sign in to", async () => {
  const server = await startHttpServer("status=401");
  opened.push(server);
  await using upstreams = createUpstreams([remote(server.url)], { credentials: createCredentials(folder) });
  expect(await failureOf(echo(upstreams))).toMatchObject({
    code: "server_unreachable",
    message: expect.stringContaining("answered HTTP 401"),
    hint: expect.stringContaining('set "headers" of "tested"'),
  });
  expect(await createCredentials(folder).list()).toEqual([]);
});

test("an end of the process waits for a token that is being renewed: it would be lost", async () => {
  const { oauth, upstreams, signIns } = await open();
  await signIns.signIn("tested", consent);
  await echo(upstreams);
  await oauth.control({ expire: true, refuse: "slow" });
  const call = failureOf(echo(upstreams)).catch(() => undefined);
  while ((await oauth.counts()).refreshes === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await upstreams.close();
  await call;
  await oauth.control({ refuse: null });
  const server = remote(oauth.url);
  await using next = createUpstreams([server], { credentials: createCredentials(folder) });
  expect(textOf(await echo(next))).toBe('{"a":1}');
  expect(await oauth.counts()).toMatchObject({ reuses: 0, refreshes: 1 });
});
