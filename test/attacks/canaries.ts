import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";

// Things that no guest may read, change or reach, planted where an attack would look. Whether an attack has worked is
// judged by what moved, not by what was thrown.

export const canaries = [
  "C-ENV",
  "C-FILE",
  "C-WRITE",
  "C-NET",
  "C-TOOL",
  "C-PROTO",
  "C-LIVE",
  "C-NEXT",
  "C-PROC",
  "C-MEM",
] as const;

export interface Moved {
  readonly canary: (typeof canaries)[number];
  readonly detail: string;
}

/** What an attack aims at. `%FILES%` in a row's code becomes the value of FILES as a JSON literal, and so on. */
export interface Targets {
  /** Paths of files with secrets. */
  readonly FILES: readonly string[];
  /** Paths where no file may appear. */
  readonly WRITES: readonly string[];
  /** The name of a variable with a secret in the gateway's environment. */
  readonly ENV: string;
  /** Ports of listeners on 127.0.0.1, on ::1 and of a UDP socket on 127.0.0.1. */
  readonly TCP4: number;
  readonly TCP6: number;
  readonly UDP: number;
  /** A listening Unix socket, by path; one by abstract name, without the leading NUL. */
  readonly UDS: string;
  readonly ABSTRACT: string;
  /** A file that one run may leave for the next, in the folder that guests write to. */
  readonly NEXT: string;
  /** A word for the command line of a process that must not stay. */
  readonly PROC: string;
  /** The gateway's process id, and the socket of the harness inside it. */
  readonly PID: number;
  readonly WATCH: string;
}

export interface Canaries extends AsyncDisposable {
  readonly home: string;
  readonly work: string;
  readonly data: string;
  readonly serverLog: string;
  /** Variables for the gateway, and for a server that the guest may not use. */
  readonly environment: Readonly<Record<string, string>>;
  readonly serverEnvironment: Readonly<Record<string, string>>;
  readonly targets: Omit<Targets, "PID">;
  /**
   * What moved since the last call; `seen` is all text that came out of the gateway meanwhile. `late` is the tool for calls
   * after a run has ended: in a session, what a run has left behind may call it while a later one is under way.
   */
  collect(seen: string, mayCallLate?: boolean): Moved[];
}

/** Plants everything below a folder, and a little beside it. */
export async function plantCanaries(folder: string): Promise<Canaries> {
  const id = randomBytes(6).toString("hex");
  const secret = (kind: string) => `canary-${kind}-${randomBytes(12).toString("hex")}`;
  const [home, work, data] = ["home", "work", "home/data"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, work, data, join(data, "artifacts"), join(home, ".ssh")])
    mkdirSync(path, { recursive: true });

  const secrets = { gateway: secret("env"), server: secret("env"), file: secret("file") };
  const files = [
    join(home, "secret.txt"),
    join(home, ".ssh/id_ed25519"),
    join(data, "config-secret.json"),
    join(data, "artifacts/secret.txt"),
    join(work, "secret.txt"),
    `/tmp/secret-${id}.txt`,
  ];
  const decoys = [join(home, ".bashrc"), join(home, ".profile")];
  for (const file of [...files, ...decoys]) writeFileSync(file, secrets.file);
  const guarded = [...files, ...decoys].map((path) => ({ path, changed: statSync(path).mtimeMs }));
  const writes = [
    `/tmp/pwned-${id}`,
    join(home, "pwned"),
    join(work, "pwned"),
    join(data, "pwned"),
    `/var/tmp/pwned-${id}`,
  ];
  const serverLog = join(folder, "server.log");
  writeFileSync(serverLog, "");

  const net = await listen(folder, id);
  const targets = {
    ...net.targets,
    FILES: files,
    WRITES: writes,
    ENV: "GW_CANARY",
    NEXT: `/tmp/next-${id}`,
    PROC: `proc-${id}`,
    WATCH: join(folder, "watch.sock"),
  };
  let logged = 0;
  const present = () => [...tree(home, data), ...tree(work)];
  const known = new Set(present());

  return {
    home,
    work,
    data,
    serverLog,
    targets,
    environment: { GW_CANARY: secrets.gateway },
    serverEnvironment: { UPSTREAM_CANARY: secrets.server },
    collect(seen, mayCallLate = false) {
      const log = readFileSync(serverLog, "utf8");
      const calls = log.slice(logged);
      logged = log.length;
      const reached = net.take();
      const text = [seen, calls, reached.join("\n")].join("\n");
      const moved: Moved[] = [];
      const report = (canary: Moved["canary"], text: string): void => {
        const detail = text.slice(0, 200);
        if (!moved.some((other) => other.detail === detail)) moved.push({ canary, detail });
      };
      if (holds(text, secrets.gateway)) report("C-ENV", "a variable of the gateway came out");
      if (holds(text, secrets.server)) report("C-ENV", "a variable of a server came out");
      if (holds(text, secrets.file)) report("C-FILE", "the content of a file came out");
      for (const file of guarded) {
        const changed = existsSync(file.path) ? statSync(file.path).mtimeMs : 0;
        if (changed === file.changed) continue;
        report("C-FILE", `${file.path} has changed`);
        writeFileSync(file.path, secrets.file);
        file.changed = statSync(file.path).mtimeMs;
      }
      const appeared = present().filter((path) => !known.has(path));
      for (const path of new Set([...writes.filter((write) => existsSync(write)), ...appeared])) {
        report("C-WRITE", `${path} was written`);
        rmSync(path, { recursive: true, force: true });
      }
      for (const connection of reached) report("C-NET", connection);
      for (const line of calls.split("\n").filter(Boolean)) {
        const { server, tool } = JSON.parse(line) as { server: string; tool: string };
        if (server === "off" || tool === "forbidden" || (tool === "late" && !mayCallLate))
          report("C-TOOL", `${server}.${tool} was called`);
      }
      rmSync(targets.NEXT, { recursive: true, force: true });
      return moved;
    },
    async [Symbol.asyncDispose]() {
      for (const path of [`/tmp/secret-${id}.txt`, ...writes]) rmSync(path, { force: true });
      await net.close();
    },
  };
}

/** Whether a secret is in a text, as it is or in a usual disguise. */
function holds(text: string, secret: string): boolean {
  const bytes = Buffer.from(secret);
  const disguises = [
    secret,
    bytes.toString("hex"),
    bytes.toString("base64").replace(/=+$/, ""),
    [...secret].reverse().join(""),
  ];
  return disguises.some((disguise) => text.includes(disguise));
}

/** Every path below a folder but those in `except`, where the gateway itself comes and goes. */
function tree(folder: string, except?: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (path === except) return [];
    return entry.isDirectory() ? [path, ...tree(path)] : [path];
  });
}

/** Listeners of every sort; any connection or packet is remembered with what it said. */
async function listen(folder: string, id: string) {
  const reached: string[] = [];
  const open = async (name: string, where: object): Promise<Server> => {
    const server = createServer((socket) => {
      reached.push(`a connection came to ${name}`);
      socket.on("data", (data) => reached.push(`${name} got ${data.toString("latin1")}`)).on("error", () => {});
      setTimeout(() => socket.destroy(), 1000).unref();
    });
    server.listen(where);
    await once(server, "listening");
    return server;
  };
  const uds = join(folder, "listener.sock");
  const abstract = `attacks-${id}`;
  const servers = await Promise.all([
    open("tcp 127.0.0.1", { host: "127.0.0.1", port: 0 }),
    open("tcp ::1", { host: "::1", port: 0 }),
    open("a Unix socket", { path: uds }),
    open("an abstract Unix socket", { path: `\0${abstract}` }),
  ]);
  const udp = createSocket("udp4", (message) => reached.push(`udp 127.0.0.1 got ${message.toString("latin1")}`));
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  const port = (server: Server) => (server.address() as { port: number }).port;
  return {
    targets: { TCP4: port(servers[0]), TCP6: port(servers[1]), UDP: udp.address().port, UDS: uds, ABSTRACT: abstract },
    take: () => reached.splice(0),
    async close() {
      udp.close();
      for (const server of servers) server.close();
    },
  };
}
