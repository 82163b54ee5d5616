import { fileURLToPath } from "node:url";
import { type Actor, local } from "../actor.ts";
import type { Accepter } from "../approvals/acceptance.ts";
import type { Asker } from "../approvals/asker.ts";
import { type LoadOptions, loadConfig } from "../config/load.ts";
import type { Gate } from "../door/gate.ts";
import { openPolicyInForce } from "../door/policy-in-force.ts";
import { CoordinatorError } from "../errors.ts";
import type { Generated } from "../operations/discovery/generate-tools.ts";
import { perform } from "../operations/operation.ts";
import type { Lock } from "../policy/pins/lock-schema.ts";
import type { ExecuteRequest } from "../runtime/execute-request.ts";
import type { RunResult } from "../runtime/results/run-result.ts";
import { keepRest } from "../sandbox/guest/typescript/rest.ts";
import { callTool, plain } from "./call-tool.ts";
import { keepWired, operationNamed } from "./services-of.ts";
import { type Wired, wire } from "./wire.ts";

export interface OpenOptions extends Omit<LoadOptions, "path"> {
  /** The path or URL of the configuration file; the usual places when absent. */
  readonly config?: string | URL;
  /** Gates of the program that embeds us: they judge after ours, and can only refuse what those let pass. */
  readonly gates?: readonly Gate[];
  /** Its own ways to ask a person what a rule wants a person to decide. */
  readonly askers?: readonly Asker[];
  /** Its own ways to ask a person whether a server may be started that nobody has accepted. */
  readonly accepters?: readonly Accepter[];
  /** Told, a line each, of what a person should know of this start. */
  readonly tell?: (message: string) => void;
  /** A file of `pins export` that servers, and what they offer, are held to; true: the one beside the configuration. */
  readonly lock?: string | true;
  /** How long a run waits for a person before it is answered with `needs_approval`; as configured when left out. */
  readonly waitSeconds?: number;
  /** How long a run keeps its process after that; 0: it ends with its answer, for programs that do so too. */
  readonly parkMinutes?: number;
}

/** Everything wired together: one per process is plenty. */
export class Coordinator implements AsyncDisposable {
  // esbuild renames a class that mentions itself.
  static readonly name = "Coordinator";
  readonly #wired: Wired;
  #isClosed = false;

  private constructor(wired: Wired) {
    this.#wired = wired;
    keepWired(this, wired);
  }

  /** Reads the configuration; servers and sandboxes are started when they are needed. */
  static async open(options: OpenOptions = {}): Promise<Coordinator> {
    const { config, lock, gates, askers, accepters, tell, waitSeconds, parkMinutes, ...others } = options;
    const path = config instanceof URL ? fileURLToPath(config) : config;
    const source = await loadConfig({ ...others, ...(path !== undefined && { path }) });
    const embedding = { gates, askers, accepters, tell, waitSeconds, parkMinutes };
    const held = lock === undefined ? undefined : await lockOf(source.file, lock);
    return new Coordinator(wire(source, await openPolicyInForce(source.policies), { ...embedding, lock: held }));
  }

  /** Runs guest code. */
  async execute(request: ExecuteRequest, actor: Partial<Actor> = {}): Promise<RunResult> {
    this.#mustBeOpen();
    return this.#wired.services.execute(request, { ...local, ...actor });
  }

  /** Writes `mcp_tools/` for programs outside the sandbox. */
  generateTools(options: { out?: string; force?: boolean } = {}): Promise<Generated> {
    return this.run("generate_libraries", options) as Promise<Generated>;
  }

  /** Calls one tool and gives the value of its result, as a guest gets it. */
  async callTool(
    server: string,
    tool: string,
    args: Record<string, unknown> = {},
    actor: Partial<Actor> = {},
  ): Promise<unknown> {
    this.#mustBeOpen();
    const { value, rest } = await callTool(this, { server, tool, args }, actor);
    const data: unknown = JSON.parse(value);
    if (rest !== undefined) keepRest(data, JSON.parse(rest));
    return data;
  }

  /** Runs any operation by its name, and gives its data. */
  async run(name: string, args: unknown, actor: Partial<Actor> = {}): Promise<unknown> {
    this.#mustBeOpen();
    return (await perform(operationNamed(this, name), plain(args), actor)).data;
  }

  /** Starts what the first run and the first search would wait for. Returns at once. */
  warmUp(): void {
    this.#wired.warmUp();
  }

  /** Ends every run and every process that was started. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#wired.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #mustBeOpen(): void {
    if (this.#isClosed)
      throw new CoordinatorError("closed", "The coordinator has been closed", { hint: "Open another one." });
  }
}

/** Loaded by those who hold their servers to one. */
async function lockOf(configFile: string, lock: string | true): Promise<Lock> {
  const { lockBeside, readLock } = await import("../servers/pins/read-lock.ts");
  return readLock(lock === true ? lockBeside(configFile) : lock);
}
