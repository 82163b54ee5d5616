import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { startGroup } from "../../system/start-group.ts";
import { lastWordsOf } from "../child-process.ts";
import type { Outcome } from "../engine.ts";
import type { GuestProcess } from "../open-sandbox.ts";

/** How a guest's process ended. */
export interface End {
  /** The exit code, or the number of the signal that ended it. */
  readonly code?: number;
  readonly signal?: number;
  readonly cpuMs: number;
}

/** A guest whose process can be made to stand still. */
export interface ForkedGuest extends GuestProcess {
  pause(): void;
  resume(): void;
}

/** One process inside a sandbox that forks guests, as many as it has slots. */
export interface ForkServer {
  readonly freeSlots: number;
  readonly isEnded: boolean;
  /** A fresh process in the next slot. */
  startGuest(): ForkedGuest;
  /** Ends it when its last guest has ended; one that has none is gone when this resolves. */
  retire(): Promise<void>;
}

export interface ForkServerOptions {
  readonly command: readonly [program: string, ...args: string[]];
  /** What it is told first. */
  readonly settings: object;
  readonly slots: number;
  readonly beforeStart: (slot: number) => void;
  /** What a guest's end means for its run; nobody knows how it ended when the fork server is gone. */
  readonly explainEnd: (slot: number, end: End | undefined) => Outcome;
  readonly onEnd: () => void;
}

export function startForkServer(options: ForkServerOptions): ForkServer {
  const { slots } = options;
  const server = startProcess(options);
  /** Who waits for the end of the guest in a slot. */
  const guests = new Map<number, (end: End | undefined) => void>();
  const killed = new Set<number>();
  let next = 0;
  let isRetired = false;
  let isEnded = false;
  let isAwaited = false;

  const gone = server.gone.then(() => {
    isEnded = true;
    for (const report of guests.values()) report(undefined);
    for (const channel of server.channels) channel.destroy();
    options.onEnd();
  });
  onLine(server.news, (line) => {
    const { slot, end } = readEnd(line);
    guests.get(slot)?.(end);
    guests.delete(slot);
    if (guests.size > 0) return;
    if (!isAwaited) server.letGo();
    if (isRetired) server.endInput();
  });

  return {
    get freeSlots() {
      return isEnded || isRetired ? 0 : slots - next;
    },
    get isEnded() {
      return isEnded;
    },
    startGuest() {
      const slot = next++;
      const ended = new Promise<Outcome>((resolve) => {
        guests.set(slot, (end) => resolve(options.explainEnd(slot, end)));
      });
      options.beforeStart(slot);
      return startIn(slot, server, ended, () => killed.add(slot));
    },
    async retire() {
      isRetired = true;
      if ([...guests.keys()].some((slot) => !killed.has(slot))) return;
      isAwaited = true;
      server.hold();
      for (const channel of server.channels) channel.ref(); // it is gone when these are closed too
      if (!isEnded) server.kill();
      await gone;
    },
  };
}

function startIn(
  slot: number,
  server: ReturnType<typeof startProcess>,
  ended: Promise<Outcome>,
  onKill: () => void,
): ForkedGuest {
  const channel = server.channels[slot] as Socket;
  channel.ref();
  server.hold();
  // What a guest has sent before its end comes first.
  const drained = new Promise<void>((resolve) => channel.once("close", () => resolve()));
  server.tell(`start ${slot}`);
  return {
    input: channel,
    output: channel,
    gone: Promise.all([ended, drained]).then(([outcome]) => ({ outcome, lastWords: server.lastWords() })),
    pause: () => server.tell(`pause ${slot}`),
    resume: () => server.tell(`resume ${slot}`),
    kill() {
      onKill();
      server.tell(`kill ${slot}`);
      channel.destroy();
    },
  };
}

/** The process itself: a line at a time goes in and comes out, and each slot has a channel. */
function startProcess({ command, settings, slots }: ForkServerOptions) {
  const [file, ...args] = command;
  const { child, pipes: channels, kill } = startGroup(file, args, { env: {}, morePipes: slots });
  const { stdin: commands, stdout: news, stderr } = child;
  const said = lastWordsOf(stderr);
  let problem = "";
  const gone = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", (error) => {
      problem = error.message;
      resolve();
    });
  });
  commands.on("error", () => {}); // it has ended: `gone` says so
  commands.write(`${JSON.stringify({ ...settings, slots })}\n`);
  // Waiting is no reason for our process to stay; a guest is.
  const handles = [child, commands, news, stderr] as unknown as Socket[];
  const letGo = (): void => {
    for (const handle of handles) handle.unref();
  };
  letGo();
  for (const channel of channels) channel.unref();
  return {
    channels,
    news,
    gone,
    kill,
    lastWords: () => said() || problem,
    tell(line: string): void {
      if (commands.writable) commands.write(`${line}\n`);
    },
    endInput: () => void commands.end(),
    hold(): void {
      for (const handle of handles) handle.ref();
    },
    letGo,
  };
}

function onLine(stream: Readable, take: (line: string) => void): void {
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
}

/** `ended <slot> <status as wait gives it> <CPU milliseconds> <most kilobytes>` */
function readEnd(line: string): { slot: number; end: End } {
  const [, slot = -1, status = 0, cpuMs = 0] = line.split(" ").map(Number);
  const signal = status & 0x7f;
  const end = signal === 0 ? { code: status >> 8 } : { signal };
  return { slot, end: { ...end, cpuMs } };
}
