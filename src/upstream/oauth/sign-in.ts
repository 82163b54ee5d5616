import { randomBytes } from "node:crypto";
import {
  computeScopeUnion,
  exchangeAuthorization,
  type OAuthTokens,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import type { RemoteServer } from "../../config/server.ts";
import { CoordinatorError } from "../../errors.ts";
import { waitFor } from "../../system/wait-for.ts";
import { quietFetch } from "../transport/quiet-fetch.ts";
import { type Callback, openCallback } from "./callback.ts";
import { identify } from "./client-identity.ts";
import { type Challenge, type Credentials, keptTokens, type SignIn, withGrant } from "./credentials.ts";
import { signInByDevice } from "./device.ts";
import { type Authority, challengeOf, discover } from "./discover.ts";
import type { Flow, SignInOptions } from "./flow.ts";
import { createOAuthFetch, isLoopback } from "./oauth-fetch.ts";

const probeMs = 20_000;
const patienceMs = 10 * 60_000;

/** Signs in and keeps the tokens. Throws sign_in_failed when the answer is no. */
export async function signIn(server: RemoteServer, credentials: Credentials, options: SignInOptions): Promise<SignIn> {
  const fetch = createOAuthFetch(server.url);
  const kept = await credentials.read(server.url);
  const challenge = await wantedBy(server, kept?.challenge);
  const authority = await discover(server.url, challenge, fetch);
  const known = kept?.grants[authority.issuer];
  const state = randomBytes(24).toString("base64url");
  const fixed = server.auth?.redirectPort;
  const before = known?.redirectUri === undefined ? undefined : Number(new URL(known.redirectUri).port);
  using callback = await openCallback(state, { port: fixed ?? before, mustBe: fixed !== undefined });
  const { redirectUri } = callback;
  const scope = scopeFor(server, challenge, authority);
  const settings = server.auth ?? {};
  const client = await identify({ settings, authority, known, redirectUri, scope, fetch });
  const flow: Flow = { authority, client, scope, fetch, options };
  const tokens = options.onCode ? await signInByDevice(flow, options.onCode) : await byBrowser(flow, callback, state);
  return credentials.exclusively(server.url, async () => {
    const { client_secret: secret, ...rest } = client;
    const grant = {
      client: settings.clientId === undefined && secret !== undefined ? { ...rest, client_secret: secret } : rest,
      authorizationServer: authority.url,
      metadata: authority.metadata,
      resource: authority.resource,
      redirectUri,
      // A server that grants what was asked for need not repeat it.
      tokens: keptTokens({ ...(scope !== undefined && { scope }), ...tokens }),
    };
    const done = withGrant(await credentials.read(server.url), server.url, authority.issuer, grant);
    await credentials.write(done);
    return done;
  });
}

/** What the server wants, from its own mouth: a request without a token. What it said in a call before counts too. */
async function wantedBy(server: RemoteServer, before: Challenge | undefined): Promise<Challenge> {
  const response = await quietFetch(server.url, {
    method: "POST",
    headers: {
      ...server.headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: "sign-in", method: "ping" }),
    signal: AbortSignal.timeout(probeMs),
  });
  await response.body?.cancel();
  const now = response.status === 401 ? challengeOf(response) : {};
  return {
    metadataUrl: now.metadataUrl ?? before?.metadataUrl,
    scope: computeScopeUnion(now.scope, before?.scope),
  };
}

function scopeFor(server: RemoteServer, challenge: Challenge, { scopes, metadata }: Authority): string | undefined {
  const configured = server.auth?.scope;
  const scope = computeScopeUnion(configured, challenge.scope) ?? (scopes?.length ? scopes.join(" ") : undefined);
  // Without this scope some servers give nothing to renew the sign-in with.
  const isOffered = metadata?.scopes_supported?.includes("offline_access") ?? false;
  return scope !== undefined && isOffered ? computeScopeUnion(scope, "offline_access") : scope;
}

async function byBrowser(flow: Flow, callback: Callback, state: string): Promise<OAuthTokens> {
  const { authority, client, scope, fetch, options } = flow;
  const { metadata, resource } = authority;
  const common = {
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
    clientInformation: client,
  };
  const { authorizationUrl, codeVerifier } = await startAuthorization(authority.url, {
    ...common,
    redirectUrl: callback.redirectUri,
    state,
    ...(scope !== undefined && { scope }),
  });
  checkAddress(authorizationUrl);
  options.onAddress?.(authorizationUrl.href);
  const reply = await replyOf(callback, state, options);
  const iss = reply.get("iss") ?? undefined;
  const issParameterSupported = metadata?.authorization_response_iss_parameter_supported === true;
  // Before anything else of the reply is believed: it may be of another authorization server.
  validateAuthorizationResponseIssuer({ iss, expectedIssuer: metadata?.issuer, issParameterSupported });
  const authorizationCode = reply.get("code");
  if (authorizationCode === null) throw refusal(reply);
  return exchangeAuthorization(authority.url, {
    ...common,
    authorizationCode,
    ...(iss !== undefined && { iss }),
    codeVerifier,
    redirectUri: callback.redirectUri,
    fetchFn: fetch,
  });
}

/** From the browser, or from the user who has pasted it, whichever comes first. */
async function replyOf(callback: Callback, state: string, { pasted, signal }: SignInOptions): Promise<URLSearchParams> {
  const done = new AbortController();
  const stop = signal ? AbortSignal.any([signal, done.signal]) : done.signal;
  const ways = [callback.reply];
  if (pasted) ways.push(pasted(stop).then((text) => readPasted(text, state)));
  try {
    const outcome = await waitFor(Promise.race(ways), patienceMs, signal);
    if (typeof outcome !== "string") return outcome.value;
    const late = `Nobody signed in within ${patienceMs / 60_000} minutes`;
    const why = outcome === "late" ? late : "Signing in was cancelled; nothing was kept";
    throw new CoordinatorError("sign_in_failed", why);
  } finally {
    done.abort();
  }
}

/** A whole address must be the one that we wait for; of a bare code only its exchange can tell. */
function readPasted(text: string, state: string): URLSearchParams {
  const trimmed = text.trim();
  if (!/^https?:\/\//.test(trimmed)) return new URLSearchParams({ code: trimmed });
  const reply = new URL(trimmed).searchParams;
  if (reply.get("state") === state) return reply;
  throw new CoordinatorError("sign_in_failed", "The pasted address is not from this attempt to sign in", {
    hint: "Start again, and paste the address that the browser shows at the end.",
  });
}

function refusal(reply: URLSearchParams): CoordinatorError {
  const error = reply.get("error") ?? "neither a code nor an error came back";
  const description = reply.get("error_description");
  return new CoordinatorError(
    "sign_in_failed",
    `The authorization server refused: ${error}${description ? ` (${description})` : ""}`,
  );
}

/** It is opened in the user's browser, and a server has chosen it. */
function checkAddress(address: URL): void {
  if (address.protocol === "https:" || (address.protocol === "http:" && isLoopback(address.hostname))) return;
  throw new CoordinatorError("sign_in_failed", `The address for signing in is refused: ${address.origin} is not https`);
}
