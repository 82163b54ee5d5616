import type { OAuthClientInformationMixed, OAuthClientProvider } from "@modelcontextprotocol/client";

/** What the SDK wants to make a token request of a grant that it does not know: the client, and the parameters. */
export function grantProvider(client: OAuthClientInformationMixed, params: URLSearchParams): OAuthClientProvider {
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => client,
    prepareTokenRequest: () => params,
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
  };
}
