import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { startGroup } from "../../system/start-group.ts";
import type { Outcome } from "../engine.ts";
import type { GuestProcess } from "../open-sandbox.ts";

/** How a guest's process ended. */
export interface End {
  /** The exit code, or the number of the signal that ended it. */
  readonly code?: number;
  readonly signal?: number;
  readonly cpuMs: number;
  readonly mostMemoryKb: number;
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

interface Guest {
  report(end: End | undefined): void;
}

export interface ForkServerOptions {
  readonly command: readonly string[];
  /** What it is told first. */
  readonly settings: object;
  readonly slots: number;
  readonly beforeStart: (slot: number) => void;
  /** What a guest's end means for its run; nobody knows how it ended when the fork server is gone. */
  readonly explainEnd: (slot: number, end: End | undefined) => Outcome;
  readonly onEnd: () => void;
}

const lastWordsBytes = 8192;

export function startForkServer(options: ForkServerOptions): ForkServer {
  const { command, slots } = options;
  const [file, ...args] = command as [string, ...string[]];
  const { child, pipes: channels, kill } = startGroup(file, args, { env: {}, morePipes: slots });
  const { stdin: commands, stdout: news, stderr: errors } = child;
  const guests = new Map<number, Guest>();
  const killed = new Set<number>();
  let next = 0;
  let isRetired = false;
  let isEnded = false;
  let lastWords = "";

  const gone = new Promise<void>((resolve) => {
    const finish = () => {
      isEnded = true;
      for (const guest of guests.values()) guest.report(undefined);
      for (const channel of channels) channel.destroy();
      options.onEnd();
      resolve();
    };
    child.once("close", finish);
    child.once("error", (error) => {
      lastWords ||= error.message;
      finish();
    });
  });
  commands.on("error", () => {}); // it has ended: `gone` says so
  commands.write(`${JSON.stringify({ ...options.settings, slots })}\n`);
  errors.on("data", (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-lastWordsBytes);
  });
  onLine(news, (line) => {
    const { slot, end } = readEnd(line);
    guests.get(slot)?.report(end);
    guests.delete(slot);
    if (guests.size > 0) return;
    letGo();
    if (isRetired) commands.end();
  });
  // Waiting is no reason for our process to stay; a guest is.
  const handles = [child, commands, news, errors] as unknown as Socket[];
  const hold = () => {
    for (const handle of handles) handle.ref();
  };
  const letGo = () => {
    for (const handle of handles) handle.unref();
  };
  letGo();
  for (const channel of channels) channel.unref();

  const server: ForkServer = {
    get freeSlots() {
      return isEnded || isRetired ? 0 : slots - next;
    },
    get isEnded() {
      return isEnded;
    },
    startGuest() {
      const slot = next++;
      const channel = channels[slot] as Socket;
      channel.ref();
      hold();
      const ended = new Promise<Outcome>((resolve) => {
        guests.set(slot, { report: (end) => resolve(options.explainEnd(slot, end)) });
      });
      // What a guest has sent before its end comes first.
      const drained = new Promise<void>((resolve) => channel.once("close", () => resolve()));
      options.beforeStart(slot);
      commands.write(`start ${slot}\n`);
      return {
        input: channel,
        output: channel,
        gone: Promise.all([ended, drained]).then(([outcome]) => ({ outcome, lastWords })),
        pause: () => void (commands.writable && commands.write(`pause ${slot}\n`)),
        resume: () => void (commands.writable && commands.write(`resume ${slot}\n`)),
        kill: () => {
          killed.add(slot);
          if (commands.writable) commands.write(`kill ${slot}\n`);
          channel.destroy();
        },
      };
    },
    async retire() {
      isRetired = true;
      if ([...guests.keys()].some((slot) => !killed.has(slot))) return;
      hold();
      if (!isEnded) kill();
      await gone;
    },
  };
  return server;
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
  const [, slot, status = 0, cpuMs = 0, mostMemoryKb = 0] = line.split(" ").map(Number);
  const signal = status & 0x7f;
  const end = signal === 0 ? { code: status >> 8 } : { signal };
  return { slot: slot as number, end: { ...end, cpuMs, mostMemoryKb } };
}
