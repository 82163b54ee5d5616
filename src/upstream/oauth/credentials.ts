import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import { fieldsOf } from "../../system/fields.ts";

/** Tokens as they are kept: with the time at which they end, where the server has told it. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
  /** In milliseconds since 1970. */
  readonly obtainedAt: number;
  readonly expiresAt?: number | undefined;
}

/** What a server said when it refused us: where its metadata is, and which scope it wants. */
export interface Challenge {
  readonly metadataUrl?: string | undefined;
  readonly scope?: string | undefined;
}

/** What one authorization server has given us for one server. */
export interface Grant {
  /** Who we are there. A secret that the configuration holds is not repeated here. */
  readonly client: OAuthClientInformationMixed;
  readonly authorizationServer: string;
  readonly metadata?: AuthorizationServerMetadata | undefined;
  /** The resource indicator (RFC 8707) that the tokens are for. */
  readonly resource?: string | undefined;
  /** Where a client that was registered for us is sent back to. */
  readonly redirectUri?: string | undefined;
  readonly tokens?: Tokens | undefined;
}

/** All that is kept for one server, by its url; what one authorization server has given is never shown to another. */
export interface SignIn {
  readonly url: string;
  /** The issuer whose tokens are in use. */
  readonly issuer?: string | undefined;
  readonly grants: Readonly<Record<string, Grant>>;
  /** Set while the server waits for the user to sign in. */
  readonly challenge?: Challenge | undefined;
}

/** Where sign-ins are kept, shared by every coordinator of this user. */
export interface Credentials {
  read(url: string): Promise<SignIn | undefined>;
  /** Replaces what is kept, as a whole. Only inside `exclusively`. */
  write(signIn: SignIn): Promise<void>;
  remove(url: string): Promise<void>;
  list(): Promise<readonly SignIn[]>;
  /** Runs `work` while nobody else, in this process or another, does the same for that url. */
  exclusively<Result>(url: string, work: () => Promise<Result>): Promise<Result>;
}

export function keptTokens(tokens: OAuthTokens, now: number = Date.now()): Tokens {
  const { access_token, refresh_token, scope, expires_in } = tokens;
  return {
    access_token,
    obtainedAt: now,
    ...(refresh_token !== undefined && { refresh_token }),
    ...(scope !== undefined && { scope }),
    ...(expires_in !== undefined && { expiresAt: now + expires_in * 1000 }),
  };
}

/** An address in the metadata that the SDK has no name for. */
export function endpointOf(
  metadata: AuthorizationServerMetadata | undefined,
  name: "device_authorization_endpoint" | "revocation_endpoint",
): string | undefined {
  const value = fieldsOf(metadata)[name];
  return typeof value === "string" ? value : undefined;
}

const longestMarginMs = 30_000;

/** Whether the token has ended or is about to: it is renewed a little early, so that no call meets its end. */
export function isEnding({ obtainedAt, expiresAt }: Tokens, now: number = Date.now()): boolean {
  if (expiresAt === undefined) return false;
  return now >= expiresAt - Math.min(longestMarginMs, (expiresAt - obtainedAt) / 10);
}

/** The grant in use, unless it was made for a client other than the one that the configuration now names. */
export function currentGrant(signIn: SignIn | undefined, clientId: string | undefined): Grant | undefined {
  const grant = signIn?.issuer === undefined ? undefined : signIn.grants[signIn.issuer];
  return clientId === undefined || grant?.client.client_id === clientId ? grant : undefined;
}

export function withGrant(signIn: SignIn | undefined, url: string, issuer: string, grant: Grant): SignIn {
  return { url, issuer, grants: { ...signIn?.grants, [issuer]: grant } };
}
