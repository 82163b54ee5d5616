import { type OAuthClientInformationMixed, registerClient } from "@modelcontextprotocol/client";
import type { OAuthSettings } from "../../config/server.ts";
import { endpointOf, type Grant } from "./credentials.ts";
import type { Authority } from "./discover.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** The client that the configuration names, with its secret. */
export function configuredClient({ clientId, clientSecret }: OAuthSettings): OAuthClientInformationMixed | undefined {
  if (clientId === undefined) return undefined;
  return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
}

/** The client of a grant, ready for use: a secret of the configuration is not kept with the tokens. */
export function clientOf(grant: Grant, settings: OAuthSettings): OAuthClientInformationMixed {
  return configuredClient(settings) ?? grant.client;
}

interface IdentityOptions {
  readonly settings: OAuthSettings;
  readonly authority: Authority;
  /** What the authorization server has given before. */
  readonly known: Grant | undefined;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly fetch: OAuthFetch;
}

/**
 * Who we are at an authorization server: the configured client, else the configured client document where the server
 * takes those, else the client that was registered before, else a new one.
 */
export async function identify(options: IdentityOptions): Promise<OAuthClientInformationMixed> {
  const { settings, authority, known, redirectUri } = options;
  const configured = configuredClient(settings);
  if (configured) return configured;
  const { metadata } = authority;
  if (settings.clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true) {
    return { client_id: settings.clientMetadataUrl };
  }
  if (known?.redirectUri === redirectUri && !hasExpired(known.client)) return known.client;
  if (metadata && !metadata.registration_endpoint) {
    throw new Error(
      `${authority.issuer} does not register clients by itself: register one there and set "auth": { "clientId": … } of the server`,
    );
  }
  return register(options);
}

function register({ authority, redirectUri, scope, fetch }: IdentityOptions): Promise<OAuthClientInformationMixed> {
  const { metadata, url } = authority;
  const grants = ["authorization_code", "refresh_token"];
  if (endpointOf(metadata, "device_authorization_endpoint") !== undefined) grants.push(deviceGrant);
  return registerClient(url, {
    ...(metadata && { metadata }),
    clientMetadata: {
      client_name: "mcp-coordinator",
      redirect_uris: [redirectUri],
      grant_types: grants,
      response_types: ["code"],
      token_endpoint_auth_method: authMethod(metadata?.token_endpoint_auth_methods_supported),
      application_type: "native",
    },
    ...(scope !== undefined && { scope }),
    fetchFn: fetch,
  });
}

/** A program on the user's machine keeps no secret; it takes one only where the server knows nothing else. */
function authMethod(supported: readonly string[] | undefined): string {
  if (supported === undefined || supported.includes("none")) return "none";
  return ["client_secret_basic", "client_secret_post"].find((method) => supported.includes(method)) ?? "none";
}

function hasExpired(client: OAuthClientInformationMixed): boolean {
  const endsAt = client.client_secret_expires_at ?? 0;
  return endsAt !== 0 && endsAt * 1000 <= Date.now();
}
