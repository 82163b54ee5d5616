import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { endGroup } from "./process-group.ts";
import { guardProcessGroup } from "./reaper.ts";
import { createMark, endStrays, markName } from "./strays.ts";
import { Tail } from "./tail.ts";
import { batchCommand } from "./windows-command.ts";

const windows = process.platform === "win32";
const stderrKept = 16 * 1024;
const stdinPatienceMs = 1200;
const pipePatienceMs = 250;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A program that we talk with, and all that it starts: one process group, which ends with us. It does not keep us alive. */
export interface RunningProgram {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** What happened to it ("ended with exit code 1"), told when its pipes are read or 250 ms later. Never rejects. */
  readonly ended: Promise<string>;
  stderrTail(): string;
  /** Ends its stdin, then SIGTERM, then SIGKILL, to the whole group, then what has left the group; done within 3 s. */
  end(): Promise<void>;
}

export interface ProgramToStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** Throws what the system says when it does not start. */
export async function startProgram(program: ProgramToStart): Promise<RunningProgram> {
  const mark = createMark();
  const child = start(program, mark);
  const { pid } = child;
  if (pid === undefined) throw (await once(child, "error"))[0];
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

function start({ file, args, env, cwd }: ProgramToStart, mark: string): Child {
  const isBatch = windows && /\.(?:cmd|bat)$/i.test(file);
  const line = isBatch ? batchCommand(file, args) : { command: file, args: [...args] };
  return spawn(line.command, line.args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...env, [markName]: mark },
    stdio: ["pipe", "pipe", "pipe"],
    // A group of its own, so that a signal reaches what it starts; on Windows this would open a console window.
    detached: !windows,
    windowsHide: true,
    windowsVerbatimArguments: isBatch,
  });
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
