import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { containerImage, containerVariables } from "../container-image.ts";
import { type Canaries, plantCanaries, type Targets } from "./canaries.ts";
import type { EngineEntry } from "./engines.ts";
import { patience } from "./patience.ts";
import { onStdio, type Reach, type Reached } from "./reach-gateway.ts";
import type { Step } from "./row.ts";

// Found from the root, so that the suite runs from its sources and from a bundle alike.
const attacks = resolve("test/attacks");

/** What execute_code answered. */
export interface Answer {
  readonly status: string;
  readonly result?: unknown;
  readonly stdout?: string;
  readonly error?: {
    readonly message?: string;
    readonly code?: string;
    readonly limit?: string;
    readonly name?: string;
  };
  readonly isError: boolean;
  readonly milliseconds: number;
  /** Everything that the client got. */
  readonly text: string;
}

/** A real gateway with canaries around it, and a real client. */
export interface Stage extends AsyncDisposable {
  readonly engine: EngineEntry;
  readonly pid: number;
  readonly targets: Targets;
  readonly canaries: Canaries;
  /** Never throws: a gateway that does not answer is the status "hang". */
  run(step: Step): Promise<Answer>;
  call(name: string, args: object): Promise<unknown>;
  /** The client leaves, with every session that it has; another one takes its place. Over HTTP only. */
  leave(): Promise<void>;
  /** Asks the part of the harness that sits in the gateway. */
  watch(command: string): Promise<string>;
  /** What the gateway has written to stderr since the last call. */
  takeLog(): string;
}

export interface StageOptions {
  /** A build with its sandbox, or its deny list, taken away: canaries must fire. Made by programs on PATH, not by us. */
  readonly weak?: boolean;
  readonly coordinator?: object;
  /** How the client reaches the gateway; on stdio when absent. */
  readonly reach?: Reach;
}

export const limits = { timeoutSeconds: 10, memoryMb: 256, cpuSeconds: 20, parallelRuns: 16 };
/** How much longer than its own time limit a run may take until it counts as hanging. */
const patienceMs = 10_000;

export async function openStage(engine: EngineEntry, options: StageOptions = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "attacks-"));
  const canaries = await plantCanaries(folder);
  const config = join(folder, "mcp_servers.json");
  writeFileSync(config, JSON.stringify(configuration(engine, canaries, options)));
  const { work: cwd, data } = canaries;
  const program = { config, cwd, data, env: environment(canaries, options.weak ?? false) };
  let log = "";
  let gateway: Reached;
  try {
    gateway = await (options.reach ?? onStdio)(program, (text) => {
      log = (log + text).slice(-1_000_000);
    });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    await canaries[Symbol.asyncDispose]();
    throw new Error(`the gateway does not start: ${log.trim() || (error as Error).message}`);
  }
  const { pid } = gateway;
  const targets: Targets = { ...canaries.targets, PID: pid };

  return {
    engine,
    pid,
    targets,
    canaries,
    async run({ code, session, servers = ["attack"], timeout }) {
      const started = performance.now();
      const args = {
        code: aim(code, { ...targets, PAUSE: Math.ceil(patience(3000) / 1000) }),
        servers,
        ...(engine.language !== "typescript" && { language: engine.language }),
        ...(session !== undefined && { session }),
        ...(timeout !== undefined && { timeout }),
      };
      const wait = (timeout ?? limits.timeoutSeconds) * 1000 + patience(patienceMs);
      try {
        const answer = await gateway.client.callTool({ name: "execute_code", arguments: args }, { timeout: wait });
        const body = (answer.structuredContent ?? {}) as Partial<Answer>;
        return {
          ...body,
          status: body.status ?? "refused",
          isError: answer.isError === true,
          milliseconds: performance.now() - started,
          text: JSON.stringify(answer),
        };
      } catch (error) {
        const { message } = error as Error;
        const milliseconds = performance.now() - started;
        return { status: "hang", error: { message }, isError: true, milliseconds, text: message };
      }
    },
    call: (name, args) => gateway.client.callTool({ name, arguments: args as Record<string, unknown> }),
    leave: () => gateway.leave(),
    watch: (command) => ask(targets.WATCH, command),
    takeLog() {
      const taken = log;
      log = "";
      return taken;
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await canaries[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(
  { name, language }: EngineEntry,
  canaries: Canaries,
  { weak, coordinator }: StageOptions,
): object {
  const server = (as: string) => ({
    command: process.execPath,
    args: [join(attacks, "server.mjs"), as, canaries.serverLog],
  });
  const hidden = { env: canaries.serverEnvironment };
  return {
    mcpServers: {
      attack: { ...server("attack"), ...(!weak && { tools: { deny: ["forbidden"] } }) },
      off: { ...server("off"), ...hidden },
    },
    coordinator: {
      ...coordinator,
      sandbox: { [language]: name, limits, ...(name === "container" && { container: { image: containerImage() } }) },
    },
  };
}

function environment(canaries: Canaries, weak: boolean): Record<string, string> {
  const path = process.env["PATH"] ?? "";
  return {
    ...canaries.environment,
    ...containerVariables,
    PATH: weak ? [join(attacks, "weak"), path].join(delimiter) : path,
    HOME: canaries.home,
    MCP_COORDINATOR_HOME: canaries.data,
    NODE_OPTIONS: `--import=${pathToFileURL(join(attacks, "watch-gateway.mjs"))}`,
    ATTACKS_WATCH: canaries.targets.WATCH,
    ...(weak && { ATTACKS_WEAK: "1" }),
  };
}

/** Puts the targets into the code of a row, as literals of either language; PAUSE is longer than anyone may wait. */
function aim(code: string, targets: Targets & { readonly PAUSE: number }): string {
  return code.replace(/%([A-Z]+[46]?)%/g, (whole, name: string) =>
    Object.hasOwn(targets, name) ? JSON.stringify(targets[name as keyof typeof targets]) : whole,
  );
}

function ask(path: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(path, () => socket.write(command));
    socket.setTimeout(5000, () => socket.destroy(new Error("the gateway does not answer the harness")));
    socket.on("data", (data) => {
      answer += data.toString();
    });
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}
