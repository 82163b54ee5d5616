import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OAuthSettings } from "../../config/server.ts";
import { createCredentials } from "../../store/files/credentials.ts";
import { nodeServer, remote } from "../test-servers.fixture.ts";
import type { SignInOptions } from "./flow.ts";
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

async function open(options: string[] = [], auth?: OAuthSettings): Promise<{ oauth: OAuthServer; signIns: SignIns }> {
  const oauth = await startOAuthServer(...options);
  opened.push(oauth);
  const server = remote(oauth.url, auth && { auth });
  const credentials = createCredentials(folder);
  return { oauth, signIns: createSignIns({ servers: () => [server], server: () => server, credentials }) };
}

const consent: SignInOptions = { onAddress: (address) => void browse(address) };
const failure = (promise: Promise<unknown>) => promise.catch((thrown: Error) => thrown);

/** A browser that cannot come back here: the user copies the address that it ends at. */
function pasteFrom(change: (ended: URL) => string): SignInOptions {
  let paste: (text: string) => void;
  const pasted = new Promise<string>((resolve) => {
    paste = resolve;
  });
  return {
    onAddress: async (address) => {
      const { headers } = await fetch(address, { redirect: "manual" });
      paste(change(new URL(headers.get("location") ?? "")));
    },
    pasted: () => pasted,
  };
}

describe("signing in", () => {
  test("works with a client that the user has registered, and keeps no secret of the configuration", async () => {
    const { oauth, signIns } = await open(["no-register"], {
      clientId: "known",
      clientSecret: "known-secret",
      scope: "x",
    });
    expect(await signIns.signIn("tested", consent)).toMatchObject({
      state: "signed_in",
      scope: "x basic offline_access",
    });
    expect((await oauth.counts()).last.authorize).toMatchObject({ client_id: "known" });
    expect(
      readdirSync(folder)
        .map((name) => (name.endsWith(".json") ? readFileSync(join(folder, name), "utf8") : ""))
        .join(""),
    ).not.toContain("known-secret");
  });

  test("without one, at a server that registers none, says what to do", async () => {
    const { signIns } = await open(["no-register"]);
    expect(await failure(signIns.signIn("tested", consent))).toMatchObject({
      code: "sign_in_failed",
      message: expect.stringContaining(
        'does not register clients by itself: register one there and set "auth": { "clientId"',
      ),
    });
  });

  test("takes the configured document for a client where the server reads such documents", async () => {
    const document = "https://example.org/mcp-coordinator.json";
    const { oauth, signIns } = await open(["cimd"], { clientMetadataUrl: document });
    await signIns.signIn("tested", consent);
    expect(await oauth.counts()).toMatchObject({ registrations: 0, last: { authorize: { client_id: document } } });
  });

  test("again uses the same client and the same port", async () => {
    const { oauth, signIns } = await open();
    await signIns.signIn("tested", consent);
    const first = (await oauth.counts()).last.authorize;
    await signIns.signIn("tested", consent);
    const { registrations, last } = await oauth.counts();
    expect(registrations).toBe(1);
    expect(last.authorize).toMatchObject({ client_id: first["client_id"], redirect_uri: first["redirect_uri"] });
    expect(last.authorize["state"]).not.toBe(first["state"]);
  });

  test("works by the address that the browser ended at, or by the code in it", async () => {
    const { signIns } = await open();
    for (const change of [(ended: URL) => ended.href, (ended: URL) => ` ${ended.searchParams.get("code")}\n`]) {
      expect(await signIns.signIn("tested", pasteFrom(change))).toMatchObject({ state: "signed_in" });
    }
  });

  test.each([
    ["another attempt", "state", "other", /not from this attempt/],
    ["another issuer", "iss", "https://evil.example", /[Ii]ssuer/],
  ])("refuses an answer of %s", async (_, name, value, words) => {
    const { oauth, signIns } = await open(["iss"]);
    const options = pasteFrom((ended) => {
      ended.searchParams.set(name, value);
      return ended.href;
    });
    const error = await failure(signIns.signIn("tested", options));
    expect(error).toMatchObject({ code: "sign_in_failed", message: expect.stringMatching(words) });
    expect((await oauth.counts()).last.token).toBeUndefined();
    expect(await signIns.list()).toMatchObject([{ state: "none" }]);
  });

  test("that the user declines says so and keeps nothing", async () => {
    const { oauth, signIns } = await open();
    await oauth.control({ deny: true });
    expect(await failure(signIns.signIn("tested", consent))).toMatchObject({
      code: "sign_in_failed",
      message: "The authorization server refused: access_denied",
    });
    expect(await signIns.list()).toMatchObject([{ state: "none" }]);
  });

  test("ends when it is cancelled", async () => {
    const { signIns } = await open();
    const controller = new AbortController();
    const waiting = failure(
      signIns.signIn("tested", { onAddress: () => controller.abort(), signal: controller.signal }),
    );
    expect(await waiting).toMatchObject({ code: "sign_in_failed", message: expect.stringContaining("was cancelled") });
  });

  test("is not ended by other visitors of the callback", async () => {
    const { signIns } = await open();
    const state = await signIns.signIn("tested", {
      async onAddress(address) {
        const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
        expect((await fetch(`${back}?code=evil&state=guess`)).status).toBe(404);
        expect((await fetch(new URL("/", back))).status).toBe(404);
        await browse(address);
      },
    });
    expect(state).toMatchObject({ state: "signed_in" });
  });

  test("works by a code on another device, where the server offers it", async () => {
    const { oauth, signIns } = await open(["device"]);
    const shown: unknown[] = [];
    const onCode = (code: unknown) => {
      shown.push(code);
      setTimeout(() => void oauth.control({ approve: true }), 50);
    };
    expect(await signIns.signIn("tested", { onCode })).toMatchObject({
      state: "signed_in",
      scope: "basic offline_access",
    });
    expect(shown).toEqual([
      { address: `${new URL(oauth.url).origin}/activate`, code: "ABCD-EFGH", expiresInSeconds: 60 },
    ]);
    const { signIns: others } = await open();
    expect(await failure(others.signIn("tested", { onCode }))).toMatchObject({
      code: "sign_in_failed",
      message: expect.stringContaining("offers no sign-in by device code"),
    });
  });

  test("is refused for a server that is started here", async () => {
    const server = nodeServer("x");
    const signIns = createSignIns({
      servers: () => [server],
      server: () => server,
      credentials: createCredentials(folder),
    });
    expect(await failure(signIns.signIn("tested", consent))).toMatchObject({ code: "sign_in_failed" });
    expect(await signIns.list()).toEqual([]);
  });
});

describe("signing out", () => {
  test("revokes the tokens and deletes them", async () => {
    const { oauth, signIns } = await open();
    await signIns.signIn("tested", consent);
    expect(await signIns.signOut("tested")).toEqual({ wasSignedIn: true, revoked: true });
    expect(await oauth.counts()).toMatchObject({ revocations: 2 });
    expect(readdirSync(folder).filter((name) => name.endsWith(".json"))).toEqual([]);
    expect(await signIns.signOut("tested")).toEqual({ wasSignedIn: false, revoked: false });
  });

  test("says when the tokens could not be revoked, and deletes them all the same", async () => {
    const { signIns } = await open(["no-revoke"]);
    await signIns.signIn("tested", consent);
    expect(await signIns.signOut("tested")).toEqual({
      wasSignedIn: true,
      revoked: false,
      why: "the authorization server offers no revocation",
    });
    expect(await signIns.list()).toMatchObject([{ state: "none" }]);
  });
});
