import { setTimeout as delay } from "node:timers/promises";
import { OAuthError, type OAuthTokens } from "@modelcontextprotocol/client";
import * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import { deviceGrant } from "./client-identity.ts";
import { endpointOf } from "./credentials.ts";
import type { DeviceCode, Flow } from "./flow.ts";
import { requestGrant } from "./request-grant.ts";

const answer = z.looseObject({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_in: z.number().positive(),
  interval: z.number().min(0).default(5),
});
const slowDownSeconds = 5;

/** Shows the code, then asks until the user has signed in. */
export async function signInByDevice(flow: Flow, onCode: (code: DeviceCode) => void): Promise<OAuthTokens> {
  const { device_code, user_code, verification_uri, expires_in, interval } = await requestCode(flow);
  onCode({ address: verification_uri, code: user_code, expiresInSeconds: expires_in });
  const deadline = performance.now() + expires_in * 1000;
  let pauseSeconds = interval;
  while (performance.now() < deadline) {
    await delay(pauseSeconds * 1000, undefined, flow.options.signal && { signal: flow.options.signal }).catch(() => {
      throw new CoordinatorError("sign_in_failed", "Signing in was cancelled; nothing was kept");
    });
    try {
      return await requestGrant(flow.authority, flow.client, { grant_type: deviceGrant, device_code }, flow.fetch);
    } catch (thrown) {
      const code = thrown instanceof OAuthError ? String(thrown.code) : "";
      if (code === "slow_down") pauseSeconds += slowDownSeconds;
      else if (code !== "authorization_pending") throw thrown;
    }
  }
  throw new CoordinatorError("sign_in_failed", "Nobody typed the code in time", { hint: "Start again." });
}

async function requestCode({ authority, client, scope, fetch }: Flow): Promise<z.output<typeof answer>> {
  const endpoint = endpointOf(authority.metadata, "device_authorization_endpoint");
  if (endpoint === undefined) {
    throw new CoordinatorError("sign_in_failed", `${authority.issuer} offers no sign-in by device code`, {
      hint: "Leave out --device; --no-browser shows an address that you can open anywhere.",
    });
  }
  const body = new URLSearchParams({ client_id: client.client_id, ...(scope !== undefined && { scope }) });
  if (authority.resource !== undefined) body.set("resource", authority.resource);
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  const response = await fetch(endpoint, { method: "POST", headers, body });
  const read = answer.safeParse(await response.json().catch(() => undefined));
  if (response.ok && read.success) return read.data;
  throw new CoordinatorError(
    "sign_in_failed",
    `${authority.issuer} gave no device code: it answered HTTP ${response.status}`,
  );
}
