import type { OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { Authority } from "./discover.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";

/** What the user needs to sign in on another device (RFC 8628). */
export interface DeviceCode {
  readonly address: string;
  readonly code: string;
  readonly expiresInSeconds: number;
}

/** How the user takes part. */
export interface SignInOptions {
  /** Shows the address at which the user signs in. */
  onAddress?(address: string): void;
  /** Shows where to type which code, on any device. */
  onCode?(code: DeviceCode): void;
  /** What the user pastes: the address that the browser ended at, or the code in it. */
  pasted?(signal: AbortSignal): Promise<string>;
  readonly signal?: AbortSignal | undefined;
}

/** A sign-in under way. */
export interface Flow {
  readonly authority: Authority;
  readonly client: OAuthClientInformationMixed;
  readonly scope: string | undefined;
  readonly fetch: OAuthFetch;
  readonly options: SignInOptions;
}
