import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import type { Challenge } from "./credentials.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";

/** Who authorizes for a server, and what for. */
export interface Authority {
  readonly issuer: string;
  readonly url: string;
  readonly metadata?: AuthorizationServerMetadata | undefined;
  /** The resource indicator (RFC 8707), as the server itself writes it. */
  readonly resource?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** The challenge of a 401 or 403; `error` is what the server calls the problem. */
export function challengeOf(response: Response): Challenge & { readonly error?: string | undefined } {
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl && { metadataUrl: resourceMetadataUrl.href }),
    ...(scope !== undefined && { scope }),
    ...(error !== undefined && { error }),
  };
}

/** Finds the authorization server: RFC 9728, then RFC 8414 or OpenID Connect. The issuer must be who it says it is. */
export async function discover(serverUrl: string, challenge: Challenge, fetch: OAuthFetch): Promise<Authority> {
  const resource = await readResourceMetadata(serverUrl, challenge.metadataUrl, fetch);
  if (resource) checkResource(serverUrl, resource.resource);
  const url = resource?.authorization_servers?.[0] ?? new URL("/", serverUrl).href;
  const metadata = await discoverAuthorizationServerMetadata(url, { fetchFn: fetch });
  return {
    issuer: metadata?.issuer ?? url,
    url,
    ...(metadata && { metadata }),
    ...(resource && { resource: resource.resource }),
    ...(resource?.scopes_supported && { scopes: resource.scopes_supported }),
  };
}

async function readResourceMetadata(
  serverUrl: string,
  metadataUrl: string | undefined,
  fetch: OAuthFetch,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const where = metadataUrl === undefined ? {} : { resourceMetadataUrl: metadataUrl };
  return discoverOAuthProtectedResourceMetadata(serverUrl, where, fetch).catch((thrown: unknown) => {
    // Older servers have no such document; a network that fails is another matter.
    if (thrown instanceof TypeError) throw thrown;
    return undefined;
  });
}

function checkResource(serverUrl: string, configuredResource: string): void {
  const requestedResource = resourceUrlFromServerUrl(serverUrl);
  if (checkResourceAllowed({ requestedResource, configuredResource })) return;
  throw new Error(`the server's metadata is about ${configuredResource}, which is not this server`);
}
