import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../test/servers/oauth-server.mjs", import.meta.url));

interface Counts {
  readonly registrations: number;
  readonly authorizations: number;
  readonly refreshes: number;
  readonly reuses: number;
  readonly revocations: number;
  readonly calls: number;
  readonly refused: number;
  readonly last: Readonly<Record<"token" | "authorize", Readonly<Record<string, string>>>>;
}

/** The server of test/servers that wants OAuth; it ends with its stdin, so with us. */
export interface OAuthServer extends AsyncDisposable {
  readonly url: string;
  control(what: object): Promise<void>;
  counts(): Promise<Counts>;
}

export async function startOAuthServer(...options: string[]): Promise<OAuthServer> {
  const child = spawn(process.execPath, [program, ...options], { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { origin } = new URL(url);
  return {
    url,
    async control(what) {
      await fetch(`${origin}/control`, { method: "POST", body: JSON.stringify(what) });
    },
    async counts() {
      return (await (await fetch(`${origin}/counts`)).json()) as Counts;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
    },
  };
}

/** A browser whose user says yes at once: it follows the redirects to our callback. */
export async function browse(address: string): Promise<void> {
  await (await fetch(address)).text();
}
