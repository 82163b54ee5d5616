import { computeScopeUnion, OAuthError, OAuthErrorCode, refreshAuthorization } from "@modelcontextprotocol/client";
import type { RemoteServer } from "../../config/server.ts";
import { messageOf } from "../../errors.ts";
import { clientOf, configuredClient } from "./client-identity.ts";
import {
  type Challenge,
  type Credentials,
  currentGrant,
  type Grant,
  isEnding,
  keptTokens,
  type SignIn,
  type Tokens,
  withGrant,
} from "./credentials.ts";
import { discover } from "./discover.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { requestGrant } from "./request-grant.ts";
import { SignInNeededError, TokenUnavailableError } from "./sign-in-error.ts";

/** Answers of an authorization server after which the same question may be asked again. */
const passing = new Set<string>([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
]);

interface RenewOptions {
  readonly server: RemoteServer;
  readonly credentials: Credentials;
  /** The token that the server has refused, or that is ending. */
  readonly rejected: string | undefined;
  readonly challenge: Challenge;
}

/**
 * Tokens in place of the rejected one: those that somebody else has made meanwhile, else new ones. The caller has the
 * lock. Undefined: nothing says that the server could be signed in to.
 */
export async function renew(options: RenewOptions): Promise<Tokens | undefined> {
  const { server, credentials, rejected, challenge } = options;
  const settings = server.auth ?? {};
  const signIn = await credentials.read(server.url);
  const grant = currentGrant(signIn, settings.clientId);
  const tokens = grant?.tokens;
  if (tokens && tokens.access_token !== rejected && !isEnding(tokens)) return tokens;
  if (settings.grant === "client_credentials") return ownTokens(options, signIn);
  if (signIn && grant && tokens?.refresh_token !== undefined) {
    return refresh(options, signIn, { ...grant, tokens: { ...tokens, refresh_token: tokens.refresh_token } });
  }
  if (!signIn && !(await wantsSignIn(server, challenge))) return undefined;
  await remember(credentials, server.url, signIn, challenge);
  const why = tokens ? "the sign-in has ended, and it came without a way to renew it" : "it wants you to sign in";
  throw new SignInNeededError(why, { refused: true });
}

interface Renewable extends Grant {
  readonly tokens: Tokens & { readonly refresh_token: string };
}

async function refresh({ server, credentials }: RenewOptions, signIn: SignIn, grant: Renewable): Promise<Tokens> {
  const { authorizationServer, metadata, resource, tokens: old } = grant;
  const issuer = signIn.issuer ?? authorizationServer;
  const save = (tokens: Tokens | undefined) =>
    credentials.write(withGrant(signIn, server.url, issuer, { ...grant, tokens }));
  const fresh = await refreshAuthorization(authorizationServer, {
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
    clientInformation: clientOf(grant, server.auth ?? {}),
    refreshToken: old.refresh_token,
    fetchFn: createOAuthFetch(server.url),
  }).catch(async (thrown: unknown) => {
    if (!(thrown instanceof OAuthError) || passing.has(thrown.code)) throw unavailable(issuer, thrown);
    // A spent token would be refused for ever. Anything else may be put right in the configuration.
    if (thrown.code === OAuthErrorCode.InvalidGrant) await save(undefined);
    const why = `the sign-in has ended: ${issuer} refused to renew it (${thrown.code})`;
    throw new SignInNeededError(why, { refused: true, cause: thrown.code });
  });
  const tokens = keptTokens({ ...(old.scope !== undefined && { scope: old.scope }), ...fresh });
  await save(tokens);
  return tokens;
}

/** Tokens that need no user: the configuration's client is given them for itself. */
async function ownTokens(
  { server, credentials, challenge }: RenewOptions,
  signIn: SignIn | undefined,
): Promise<Tokens> {
  const settings = server.auth ?? {};
  const client = configuredClient(settings);
  if (!client) throw new SignInNeededError('"auth" has no clientId', { refused: true });
  const fetchFn = createOAuthFetch(server.url);
  try {
    const authority = await discover(server.url, challenge, fetchFn);
    const { issuer, url, metadata, resource, scopes } = authority;
    const scope = settings.scope ?? challenge.scope ?? scopes?.join(" ");
    const params = { grant_type: "client_credentials", ...(scope !== undefined && { scope }) };
    const tokens = keptTokens(await requestGrant(authority, client, params, fetchFn));
    const { client_secret: _secret, ...kept } = client;
    const grant: Grant = { client: kept, authorizationServer: url, metadata, resource, tokens };
    await credentials.write(withGrant(signIn, server.url, issuer, grant));
    return tokens;
  } catch (thrown) {
    if (!(thrown instanceof OAuthError) || passing.has(thrown.code)) throw unavailable(server.url, thrown);
    const why = `its authorization server refused the configured client (${thrown.code})`;
    throw new SignInNeededError(why, { refused: true, cause: thrown.code });
  }
}

/** Many servers say 401 and mean an API key: only one that names its authorization server can be signed in to. */
async function wantsSignIn(server: RemoteServer, challenge: Challenge): Promise<boolean> {
  if (server.auth !== undefined || challenge.metadataUrl !== undefined) return true;
  const found = await discover(server.url, challenge, createOAuthFetch(server.url)).catch(() => undefined);
  return found?.metadata !== undefined;
}

/** Keeps what the server wants, for the command that signs in. */
async function remember(credentials: Credentials, url: string, signIn: SignIn | undefined, challenge: Challenge) {
  const { metadataUrl, scope } = challenge;
  if (signIn?.challenge && signIn.challenge.metadataUrl === metadataUrl && signIn.challenge.scope === scope) return;
  await credentials.write({ grants: {}, ...signIn, url, challenge: { metadataUrl, scope } });
}

/** Keeps that the server wants more than was granted. Answers newer tokens than the refused ones, if there are any. */
export async function widen(options: RenewOptions): Promise<Tokens | undefined> {
  const { server, credentials, rejected, challenge } = options;
  const signIn = await credentials.read(server.url);
  const tokens = currentGrant(signIn, server.auth?.clientId)?.tokens;
  if (tokens && tokens.access_token !== rejected) return tokens;
  const scope = computeScopeUnion(tokens?.scope, signIn?.challenge?.scope, challenge.scope);
  await remember(credentials, server.url, signIn, { ...challenge, scope });
  return undefined;
}

function unavailable(issuer: string, thrown: unknown): TokenUnavailableError {
  // The text of an answer that is no OAuth error may hold anything; only its kind is told.
  const why = thrown instanceof OAuthError ? thrown.code : messageOf(thrown);
  return new TokenUnavailableError(`the sign-in could not be renewed at ${issuer}: ${why}`, { cause: thrown });
}
