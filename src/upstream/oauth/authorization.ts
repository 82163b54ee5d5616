import type { RemoteServer } from "../../config/server.ts";
import { type QuietInit, quietFetch } from "../transport/quiet-fetch.ts";
import { type Credentials, currentGrant, isEnding, type Tokens } from "./credentials.ts";
import { SignInNeededError, TokenUnavailableError } from "./sign-in-error.ts";

const mostSecrets = 16;
const mostRenewals = 2;

/** Requests to one server in the name of the user who has signed in to it. */
export interface Authorization {
  fetch(url: string | URL, init?: QuietInit): Promise<Response>;
  /** The tokens that were in use, to be kept out of texts. */
  readonly secrets: readonly string[];
  /** Waits until no token is being renewed: one that is given up on the way is lost for good. */
  settled(): Promise<void>;
}

/**
 * Tokens are read again for each request, so that what one process has signed in to or renewed serves all. However many
 * requests meet the end of a token, one renews it. A request that was refused with 401 has not acted: it is sent again.
 */
export function createAuthorization(server: RemoteServer, credentials: Credentials): Authorization {
  const tokens = createTokenSource(server, credentials);
  return {
    async fetch(url, init = {}) {
      let token = await tokens.current();
      // Twice: what another process has made in place of the first token may have ended as well.
      for (let renewals = 0; renewals <= mostRenewals; renewals++) {
        const response = await quietFetch(url, withToken(init, token));
        if (response.status !== 401 && response.status !== 403) return response;
        if (renewals === mostRenewals && response.status === 401) break;
        const other = await (response.status === 401 ? tokens.renew(token, response) : tokens.widen(token, response));
        if (other === undefined) return response;
        await response.body?.cancel();
        token = other;
      }
      throw new SignInNeededError("it refuses the token that was just made for it", { refused: true });
    },
    get secrets() {
      return tokens.secrets();
    },
    settled: tokens.settled,
  };
}

/** The tokens of one server: each answers the one to send, undefined when there is none. */
interface TokenSource {
  current(): Promise<string | undefined>;
  /** In place of one that was refused, or is about to end. */
  renew(rejected: string | undefined, response?: Response): Promise<string | undefined>;
  /** With the rights that the response says are missing. */
  widen(rejected: string | undefined, response: Response): Promise<string | undefined>;
  secrets(): readonly string[];
  settled(): Promise<void>;
}

function createTokenSource(server: RemoteServer, credentials: Credentials): TokenSource {
  const secrets = new Set<string>();
  let renewing: Promise<Tokens | undefined> | undefined;

  const noted = (tokens: Tokens | undefined): string | undefined => {
    for (const secret of [tokens?.access_token, tokens?.refresh_token]) if (secret !== undefined) secrets.add(secret);
    for (const oldest of [...secrets].slice(0, -mostSecrets)) secrets.delete(oldest);
    return tokens?.access_token;
  };
  const renewal = (rejected: string | undefined, response?: Response): Promise<Tokens | undefined> => {
    renewing ??= requestRenewal(server, credentials, rejected, response).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  const renew = async (rejected: string | undefined, response?: Response): Promise<string | undefined> => {
    const token = noted(await renewal(rejected, response));
    // It may have begun before the token that was refused now was made.
    if (token === undefined || token !== rejected) return token;
    return noted(await renewal(rejected, response));
  };

  return {
    async current() {
      const tokens = currentGrant(await credentials.read(server.url), server.auth?.clientId)?.tokens;
      const token = noted(tokens);
      if (!tokens || !isEnding(tokens) || tokens.refresh_token === undefined) return token;
      return renew(token).catch((thrown: unknown) => {
        // It still has its last moments, and the next request tries again.
        if (thrown instanceof TokenUnavailableError && Date.now() < (tokens.expiresAt ?? 0)) return token;
        throw thrown;
      });
    },
    renew,
    async widen(rejected, response) {
      const [{ widen }, { challengeOf }] = await loadRenewal();
      const challenge = challengeOf(response);
      if (challenge.error !== "insufficient_scope") return undefined;
      const newer = noted(
        await credentials.exclusively(server.url, () => widen({ server, credentials, rejected, challenge })),
      );
      if (newer !== undefined) return newer;
      const scope = challenge.scope === undefined ? "" : `: ${challenge.scope}`;
      throw new SignInNeededError(`it wants rights that the sign-in does not give${scope}`, { refused: true });
    },
    secrets: () => [...secrets],
    async settled() {
      await renewing?.catch(() => {}); // the one who asked for it is told
    },
  };
}

async function requestRenewal(
  server: RemoteServer,
  credentials: Credentials,
  rejected: string | undefined,
  response: Response | undefined,
): Promise<Tokens | undefined> {
  const [{ renew }, { challengeOf }] = await loadRenewal();
  const challenge = response ? challengeOf(response) : {};
  return await credentials.exclusively(server.url, () => renew({ server, credentials, rejected, challenge }));
}

/** The SDK is loaded when it is needed. */
function loadRenewal() {
  return Promise.all([import("./renew.ts"), import("./discover.ts")]);
}

function withToken(init: QuietInit, token: string | undefined): QuietInit {
  if (token === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}
