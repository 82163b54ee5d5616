import { plainLine } from "../../catalog/plain-text.ts";
import type { RemoteServer, ServerConfig } from "../../config/server.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { type Credentials, currentGrant, isEnding, type SignIn } from "./credentials.ts";
import type { SignInOptions } from "./flow.ts";

/** How it stands with signing in to one server. Never a token. */
export interface SignInState {
  /** Absent for a sign-in whose server is no longer configured. */
  readonly server?: string;
  readonly url: string;
  readonly state: "none" | "header" | "needed" | "signed_in" | "renewable" | "expired";
  readonly issuer?: string;
  readonly scope?: string;
  /** In milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** Signing in to servers, and out. */
export interface SignIns {
  list(): Promise<readonly SignInState[]>;
  signIn(server: string, options: SignInOptions): Promise<SignInState>;
  /** Forgets the tokens, and has them revoked where the authorization server offers that. */
  signOut(server: string): Promise<{ readonly wasSignedIn: boolean; readonly revoked: boolean; readonly why?: string }>;
}

export interface SignInsOptions {
  readonly servers: () => readonly ServerConfig[];
  /** Throws server_unknown. */
  readonly server: (name: string) => ServerConfig;
  readonly credentials: Credentials;
  /** Somebody has signed in, who may be another user than before. */
  onSignedIn?(server: string): Promise<void>;
}

export function createSignIns({ servers, server: find, credentials, onSignedIn }: SignInsOptions): SignIns {
  return {
    async list() {
      const kept = new Map((await credentials.list()).map((signIn) => [signIn.url, signIn]));
      const configured = servers().flatMap((server) => (server.transport === "stdio" ? [] : [server]));
      const urls = new Set(configured.map(({ url }) => url));
      return [
        ...configured.map((server) => ({ server: server.name, ...stateOf(server.url, kept.get(server.url), server) })),
        ...[...kept.values()].filter(({ url }) => !urls.has(url)).map((signIn) => stateOf(signIn.url, signIn)),
      ];
    },
    async signIn(name, options) {
      const server = remote(find(name));
      try {
        const done = await awake(() => obtain(server, credentials, options));
        await onSignedIn?.(name);
        return { server: name, ...stateOf(server.url, done, server) };
      } catch (thrown) {
        throw failed(name, thrown);
      }
    },
    async signOut(name) {
      const kept = await credentials.list();
      // The url of a server that is no longer configured names its sign-in as well.
      const url = kept.some((signIn) => signIn.url === name) ? name : remote(find(name)).url;
      const { signOut } = await import("./sign-out.ts");
      const settings = servers().find((server) => "url" in server && server.url === url);
      return awake(() => signOut(url, settings && "auth" in settings ? (settings.auth ?? {}) : {}, credentials));
    },
  };
}

/** Our connections do not keep a process alive, and a command has nothing else that would. */
async function awake<Result>(work: () => Promise<Result>): Promise<Result> {
  const timer = setInterval(() => {}, 60_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function obtain(server: RemoteServer, credentials: Credentials, options: SignInOptions): Promise<SignIn> {
  if (server.auth?.grant !== "client_credentials") {
    const { signIn } = await import("./sign-in.ts");
    return signIn(server, credentials, options);
  }
  const { renew } = await import("./renew.ts");
  return credentials.exclusively(server.url, async () => {
    const rejected = currentGrant(await credentials.read(server.url), server.auth?.clientId)?.tokens?.access_token;
    await renew({ server, credentials, rejected, challenge: {} });
    return (await credentials.read(server.url)) ?? { url: server.url, grants: {} };
  });
}

/** A header of the user's own stands in the place of a token. */
export function usesSignIn(server: ServerConfig): server is RemoteServer {
  return server.transport !== "stdio" && !Object.keys(server.headers).some((name) => /^authorization$/i.test(name));
}

function remote(server: ServerConfig): RemoteServer {
  if (usesSignIn(server)) return server;
  const why =
    server.transport === "stdio"
      ? "it is started on this machine, and nobody signs in to it"
      : 'its "headers" hold an Authorization already';
  throw new CoordinatorError("sign_in_failed", `Cannot sign in to ${JSON.stringify(server.name)}: ${why}`);
}

function stateOf(url: string, signIn: SignIn | undefined, server?: RemoteServer): SignInState {
  const grant = currentGrant(signIn, server?.auth?.clientId);
  const tokens = grant?.tokens;
  const state = (): SignInState["state"] => {
    if (signIn?.challenge) return "needed";
    // What it has of the user's own may be all that it wants.
    if (!tokens) return Object.keys(server?.headers ?? {}).length > 0 ? "header" : "none";
    if (!isEnding(tokens)) return "signed_in";
    return tokens.refresh_token === undefined ? "expired" : "renewable";
  };
  return {
    url,
    state: state(),
    ...(tokens && signIn?.issuer !== undefined && { issuer: signIn.issuer }),
    ...(tokens?.scope !== undefined && { scope: tokens.scope }),
    ...(tokens?.expiresAt !== undefined && { expiresAt: tokens.expiresAt }),
  };
}

function failed(server: string, thrown: unknown): unknown {
  if (thrown instanceof CoordinatorError) return thrown;
  const text = `Cannot sign in to ${JSON.stringify(server)}: ${plainLine(messageOf(thrown), 500)}`;
  return new CoordinatorError("sign_in_failed", text, { cause: thrown });
}
