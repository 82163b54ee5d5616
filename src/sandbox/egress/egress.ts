import { setMaxListeners } from "node:events";
import { CoordinatorError } from "../../errors.ts";
import { Turns } from "../../system/turns.ts";
import { maxBodyBytes } from "./body.ts";
import { createDial, type DialOptions, unlessAborted } from "./dial.ts";
import { requestCancelled, requestFailed, requestInvalid, requestTimedOut } from "./network-error.ts";
import { afterRedirect, readUrl, requestHeaders } from "./request.ts";
import { type Incoming, type Outgoing, sendRequest } from "./send-request.ts";

export interface EgressOptions extends DialOptions {
  /** Authorities to trust instead of the usual ones. */
  readonly ca?: string | undefined;
}

export interface EgressRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array | undefined;
  /** What to do with a redirect: follow it, answer with it, or fail. */
  readonly redirect: "follow" | "manual" | "error";
  /** Less than the 30 seconds that every request has. */
  readonly timeoutSeconds?: number | undefined;
  /** Before a redirect is followed, for as long as it takes: the time of the request stands still. What it throws ends the request. */
  readonly admit?: ((url: URL, method: string) => Promise<void>) | undefined;
}

interface EgressResponse extends Omit<Incoming, "body"> {
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly redirected: boolean;
  readonly body: Buffer;
}

/** The host's side of a guest's network: sends a request if the user has opened its host, and reads the answer whole. */
export interface Egress {
  fetch(request: EgressRequest, signal: AbortSignal): Promise<EgressResponse>;
}

const maxSeconds = 30;
const maxRedirects = 5;
const maxParallel = 16;

/** Throws config_invalid when an entry of `allow` cannot be used. */
export function createEgress(options: EgressOptions): Egress {
  const dial = createDial(options);
  const turns = new Turns({ most: maxParallel });

  const hop = async (url: URL, outgoing: Outgoing, signal: AbortSignal): Promise<Incoming> => {
    const socket = await dial(url, signal);
    // However the request ends, it leaves no connection behind.
    signal.addEventListener("abort", () => socket.destroy(), { once: true });
    return sendRequest(socket, url, outgoing, { ca: options.ca, signal });
  };

  const follow = async (request: EgressRequest, first: URL, signal: AbortSignal): Promise<EgressResponse> => {
    let url = first;
    let outgoing: Outgoing = {
      method: request.method,
      headers: requestHeaders(request.headers, url, request.body, request.method),
      body: request.body,
    };
    for (let redirects = 0; ; redirects++) {
      const { body, ...incoming } = await hop(url, outgoing, signal);
      const next = request.redirect === "manual" ? undefined : afterRedirect(incoming, url, outgoing);
      if (!next) return { ...incoming, url: url.href, redirected: redirects > 0, body: await body() };
      if (request.redirect === "error") throw requestFailed(url.hostname, "it answered with a redirect");
      if (redirects === maxRedirects)
        throw requestFailed(first.hostname, `it redirects more than ${maxRedirects} times`);
      await request.admit?.(next.url, next.outgoing.method);
      ({ url, outgoing } = next);
    }
  };

  return {
    async fetch(request, signal) {
      const url = readUrl(request.url);
      if ((request.body?.length ?? 0) > maxBodyBytes) throw requestInvalid("its body is longer than 10 MB");
      const seconds = Math.min(request.timeoutSeconds ?? maxSeconds, maxSeconds);
      const deadline = new AbortController();
      const ending = AbortSignal.any([signal, deadline.signal]);
      setMaxListeners(0, ending); // some for each hop
      const clock = createClock(seconds * 1000, () => deadline.abort());
      const admit = async (to: URL, method: string) => clock.pausedDuring(async () => request.admit?.(to, method));
      const place = turns.enterAgain(""); // however many wait
      try {
        await unlessAborted(place.turn, ending);
        clock.start();
        return await follow({ ...request, admit }, url, ending);
      } catch (thrown) {
        if (signal.aborted) throw requestCancelled(url.hostname);
        if (deadline.signal.aborted) throw requestTimedOut(url.hostname, seconds);
        throw thrown instanceof CoordinatorError ? thrown : requestFailed(url.hostname, "it could not be read");
      } finally {
        clock.stop();
        place.leave();
        deadline.abort();
      }
    },
  };
}

/** Time that is counted only while it runs. */
function createClock(milliseconds: number, onOver: () => void) {
  let left = milliseconds;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    startedAt = performance.now();
    timer = setTimeout(onOver, left);
  };
  const stop = (): void => {
    if (timer !== undefined) left = Math.max(0, left - (performance.now() - startedAt));
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    start,
    stop,
    async pausedDuring(work: () => Promise<void>): Promise<void> {
      stop();
      await work();
      start();
    },
  };
}
