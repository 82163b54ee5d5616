import { createInterface } from "node:readline";
import { servicesOf } from "../app/services-of.ts";
import type { SignInState } from "../upstream/oauth/sign-ins.ts";
import { misused } from "./line/arguments.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { interruption } from "./terminal/interruption.ts";
import { print, printJson, talk } from "./terminal/print.ts";
import { printTable } from "./terminal/table.ts";

export const auth = defineCommand({
  description: "Sign in to a server that wants it, see the sign-ins, or sign out",
  args: {
    server: { type: "positional", description: "The server to sign in to" },
    list: { type: "boolean", description: "Show every sign-in and when it ends" },
    logout: { type: "boolean", description: "Sign out: revoke the tokens where possible, and delete them" },
    browser: { type: "boolean", default: true, description: "Open the browser; --no-browser shows the address only" },
    device: { type: "boolean", description: "Sign in by a code, on any device" },
  },
  async run(args) {
    if (args.server === undefined && !args.list) throw misused("SERVER is missing", "--list shows what there is.");
    if (args.server !== undefined && args.list) throw misused("--list shows all servers: leave out the name");
    await using coordinator = await openCoordinator(args);
    const { signIns } = servicesOf(coordinator);
    if (args.server === undefined) {
      const states = await signIns.list();
      if (args.json) printJson(states.map(dated));
      else if (states.length === 0) talk("No server here can be signed in to");
      else printTable(["SERVER", "STATE", "ENDS", "SCOPE", "BY"], states.map(cells));
      return;
    }
    if (args.logout) {
      const { wasSignedIn, revoked, why } = await signIns.signOut(args.server);
      if (args.json) printJson({ server: args.server, wasSignedIn, revoked, ...(why !== undefined && { why }) });
      else print(goodbye(args.server, wasSignedIn, why));
      return;
    }
    const state = await signIns.signIn(args.server, { ...flow(args), signal: interruption() });
    if (args.json) printJson(dated(state));
    else print(welcome(state));
  },
});

interface FlowArguments {
  readonly browser: boolean;
  readonly device?: boolean | undefined;
}

function flow({ browser, device }: FlowArguments) {
  if (device) {
    return {
      onCode: ({ address, code, expiresInSeconds }: { address: string; code: string; expiresInSeconds: number }) =>
        talk(`Open ${address} and type the code ${code} (within ${Math.ceil(expiresInSeconds / 60)} min)`),
    };
  }
  return {
    onAddress(address: string): void {
      if (!browser) return showAddress(address);
      talk("Opening the browser …");
      import("../system/open-browser.ts")
        .then(({ openBrowser }) => openBrowser(address))
        .then((opened) =>
          opened ? talk(`If no window opens, open this address yourself:\n${address}`) : showAddress(address),
        );
    },
    pasted: readLine,
  };
}

function showAddress(address: string): void {
  talk(`Open this address and sign in:\n${address}`);
  talk("If the browser cannot come back here, paste the address that it ends at, or the code in it, and press Enter.");
}

/** The first line of stdin; never comes when stdin ends without one. */
function readLine(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin });
    signal.addEventListener("abort", () => lines.close(), { once: true });
    lines.on("line", (line) => {
      if (line.trim() === "") return;
      lines.close();
      resolve(line);
    });
  });
}

const words: Record<SignInState["state"], string> = {
  none: "no sign-in asked for so far",
  header: "signs in by header",
  needed: "sign-in needed",
  signed_in: "signed in",
  renewable: "renewed by the next call",
  expired: "ended, sign in again",
};

function cells({ server, url, state, issuer, scope, expiresAt }: SignInState): string[] {
  const ends = expiresAt === undefined ? "" : new Date(expiresAt).toISOString();
  return [server ?? `${url} (not configured)`, words[state], ends, scope ?? "", issuer ?? ""];
}

function dated({ expiresAt, ...state }: SignInState) {
  return { ...state, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }) };
}

function welcome({ server, issuer, scope, expiresAt }: SignInState): string {
  const by = issuer === undefined ? "" : ` by ${issuer}`;
  const what = scope === undefined ? "" : `, for: ${scope}`;
  const until = expiresAt === undefined ? "" : `. The token ends at ${new Date(expiresAt).toISOString()}`;
  return `Signed in to ${server}${by}${what}${until}`;
}

function goodbye(server: string, wasSignedIn: boolean, why: string | undefined): string {
  if (!wasSignedIn) return `Nobody was signed in to ${server}`;
  if (why === undefined) return `Signed out of ${server}: the tokens are revoked and deleted`;
  return `Signed out of ${server}: the tokens are deleted here, but not revoked: ${why}`;
}
