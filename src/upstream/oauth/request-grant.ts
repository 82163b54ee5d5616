import { fetchToken, type OAuthClientInformationMixed, type OAuthTokens } from "@modelcontextprotocol/client";
import type { Authority } from "./discover.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";

/** Tokens of a grant that the SDK does not know: it wants all this to make the request. */
export function requestGrant(
  { url, metadata, resource }: Authority,
  client: OAuthClientInformationMixed,
  params: Readonly<Record<string, string>>,
  fetchFn: OAuthFetch,
): Promise<OAuthTokens> {
  const provider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => client,
    prepareTokenRequest: () => new URLSearchParams(params),
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
  };
  return fetchToken(provider, url, {
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
    fetchFn,
  });
}
