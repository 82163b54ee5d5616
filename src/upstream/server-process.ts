import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { commandFolders } from "../config/command-folders.ts";
import { serverEnvironment } from "../config/environment.ts";
import type { StdioServer } from "../config/server.ts";
import { findCommand, withCommandFolder } from "./command.ts";
import { endGroup } from "./process-group.ts";
import { guardProcessGroup } from "./reaper.ts";
import { createMark, endStrays, markName } from "./strays.ts";
import { Tail } from "./tail.ts";
import { UpstreamError } from "./upstream-error.ts";
import { batchCommand } from "./windows-command.ts";

const windows = process.platform === "win32";
const stderrKept = 16 * 1024;
const stdinPatienceMs = 1200;
const pipePatienceMs = 250;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A server's process and all that it starts: one process group, which ends with us. It does not keep us alive. */
export interface ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** What happened to it ("ended with exit code 1"), told when its pipes are read or 250 ms later. Never rejects. */
  readonly ended: Promise<string>;
  stderrTail(): string;
  /** Ends its stdin, then SIGTERM, then SIGKILL, to the whole group, then what has left the group; done within 3 s. */
  end(): Promise<void>;
}

export async function spawnServer(server: StdioServer): Promise<ServerProcess> {
  const mark = createMark();
  const child = start(server, mark);
  const { pid } = child;
  if (pid === undefined) {
    const [error] = await once(child, "error");
    throw cannotStart(server, (error as Error).message);
  }
  const release = guardProcessGroup(pid);
  for (const handle of [child, child.stdin as Socket, child.stdout as Socket, child.stderr as Socket]) handle.unref();
  const stderr = new Tail(stderrKept);
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // An error of a pipe says that the other side is gone, which its end says as well.
  for (const pipe of [child.stdout, child.stderr]) pipe.on("error", () => {});
  let ending: Promise<void> | undefined;
  const end = async () => {
    const gone = child.exitCode !== null || child.signalCode !== null;
    child.stdin.end();
    await endGroup(pid, gone ? 0 : stdinPatienceMs);
    await endStrays(mark);
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    release();
  };
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    ended: endOf(child),
    stderrTail: () => stderr.text(),
    end: () => {
      ending ??= end();
      return ending;
    },
  };
}

function start(server: StdioServer, mark: string): Child {
  const { cwd } = server;
  if (cwd !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw cannotStart(server, `its working folder does not exist: ${cwd}`, 'Create it, or correct "cwd".');
  }
  const file = findCommand(server, commandFolders());
  const isBatch = windows && /\.(?:cmd|bat)$/i.test(file);
  const { command, args } = isBatch ? batchCommand(file, server.args) : { command: file, args: [...server.args] };
  try {
    return spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...withCommandFolder(serverEnvironment(server), file), [markName]: mark },
      stdio: ["pipe", "pipe", "pipe"],
      // A group of its own, so that a signal reaches what it starts; on Windows this would open a console window.
      detached: !windows,
      windowsHide: true,
      windowsVerbatimArguments: isBatch,
    });
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    // Node's own message quotes what it refuses.
    const isNull = code === "ERR_INVALID_ARG_VALUE";
    throw cannotStart(server, isNull ? "an argument or a value of its environment holds a null character" : message);
  }
}

function endOf(child: Child): Promise<string> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      const words = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      // What it left in its pipes is read first. Their end is not waited for: something it started may hold them open.
      const timer = setTimeout(resolve, pipePatienceMs, words).unref();
      child.once("close", () => {
        clearTimeout(timer);
        resolve(words);
      });
    });
  });
}

function cannotStart(server: StdioServer, why: string, hint?: string): UpstreamError {
  return new UpstreamError("server_start_failed", `Cannot start upstream ${JSON.stringify(server.name)}: ${why}`, {
    server: server.name,
    delivery: "not_sent",
    hint,
  });
}
