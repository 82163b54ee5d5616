import { assertSecureTokenEndpoint, selectClientAuthMethod } from "@modelcontextprotocol/client";
import type { OAuthSettings } from "../../config/server.ts";
import { messageOf } from "../../errors.ts";
import { clientOf } from "./client-identity.ts";
import { type Credentials, endpointOf, type Grant } from "./credentials.ts";
import { createOAuthFetch, type OAuthFetch } from "./oauth-fetch.ts";

interface SignedOut {
  readonly wasSignedIn: boolean;
  readonly revoked: boolean;
  /** Why nothing was revoked. */
  readonly why?: string;
}

/** Has the tokens of every authorization server revoked (RFC 7009), as far as they let us, and forgets them. */
export async function signOut(url: string, settings: OAuthSettings, credentials: Credentials): Promise<SignedOut> {
  return credentials.exclusively(url, async () => {
    const kept = await credentials.read(url);
    const grants = Object.values(kept?.grants ?? {}).filter(({ tokens }) => tokens !== undefined);
    let why: string | undefined;
    for (const grant of grants) {
      await revoke(grant, settings, createOAuthFetch(url)).catch((thrown: unknown) => {
        why = messageOf(thrown);
      });
    }
    await credentials.remove(url);
    const wasSignedIn = grants.length > 0;
    return { wasSignedIn, revoked: wasSignedIn && why === undefined, ...(why !== undefined && { why }) };
  });
}

async function revoke(grant: Grant, settings: OAuthSettings, fetch: OAuthFetch): Promise<void> {
  const { metadata, tokens } = grant;
  const endpoint = endpointOf(metadata, "revocation_endpoint");
  if (endpoint === undefined) throw new Error("the authorization server offers no revocation");
  assertSecureTokenEndpoint(endpoint);
  const named = [
    ["refresh_token", tokens?.refresh_token],
    ["access_token", tokens?.access_token],
  ] as const;
  for (const [hint, token] of named) {
    if (token === undefined) continue;
    const params = new URLSearchParams({ token, token_type_hint: hint });
    const headers = authenticate(grant, settings, params);
    const response = await fetch(endpoint, { method: "POST", headers, body: params });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the authorization server answered HTTP ${response.status}`);
  }
}

function authenticate(grant: Grant, settings: OAuthSettings, params: URLSearchParams): Record<string, string> {
  const client = clientOf(grant, settings);
  const { client_id, client_secret = "" } = client;
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  const method = selectClientAuthMethod(client, grant.metadata?.token_endpoint_auth_methods_supported ?? []);
  if (method === "client_secret_basic") {
    return { ...headers, authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}` };
  }
  params.set("client_id", client_id);
  if (method === "client_secret_post") params.set("client_secret", client_secret);
  return headers;
}
