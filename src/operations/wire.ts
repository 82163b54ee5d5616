import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandFolders } from "../config/command-folders.ts";
import type { Config } from "../config/load.ts";
import { CoordinatorError } from "../errors.ts";
import type { Checker } from "../runtime/checker.ts";
import { createDispatch } from "../runtime/dispatch.ts";
import type { Execute, ExecuteOptions } from "../runtime/execute.ts";
import { createLibraries } from "../runtime/libraries.ts";
import { createDenoEngine } from "../sandbox/deno/engine.ts";
import { createPool } from "../sandbox/pool.ts";
import { createArtifacts } from "../store/artifacts.ts";
import { openStore } from "../store/store.ts";
import { createUpstreams } from "../upstream/upstreams.ts";
import { version } from "../version.ts";
import { readArtifact } from "./artifacts.ts";
import { coordinatorDeclarations } from "./coordinator-module.ts";
import { callTool, getToolSchema, listServers, listTools } from "./discovery.ts";
import { executeCode } from "./execute-code.ts";
import { generateTools } from "./generate-tools.ts";
import { type AnyOperation, runOperation } from "./operation.ts";
import { getRun, listRuns } from "./runs.ts";
import { guestSearch, searchTools } from "./search-tools.ts";
import type { Services } from "./services.ts";

/** After this long without a run, the sandboxes and the compiler that wait for one are ended. */
const idleMs = 4 * 60_000;
const waitingSandboxes = 2;
/** How long runs stay in the journal, and their artifacts on disk. */
const maxAgeDays = 30;

/** Every room at work for one configuration. */
export interface Wired {
  readonly services: Services;
  readonly operations: readonly AnyOperation[];
  /** Starts what the first run and the first search would wait for. Returns at once. */
  warmUp(): void;
  /** Ends every run and every process. */
  close(): Promise<void>;
}

function createOperations(services: Services): readonly AnyOperation[] {
  return [
    searchTools(services),
    executeCode(services),
    listServers(services),
    listTools(services),
    getToolSchema(services),
    callTool(services),
    generateTools(services),
    guestSearch(services),
    readArtifact(services),
    listRuns(services),
    getRun(services),
  ];
}

export function wire(config: Config): Wired {
  const store = openStore(config.home);
  const artifacts = createArtifacts(config.home);
  const upstreams = createUpstreams(config.servers, {
    version,
    onToolsChanged: (server) => void libraries.refresh(server).catch(() => {}), // the known library goes on serving
  });
  const libraries = createLibraries({ servers: config.servers, upstreams, cache: store.catalogs });
  const dispatch = createDispatch({ libraries, upstreams, journal: store.journal });
  const { limits, isolation } = config.sandbox;
  const engine = createDenoEngine({ limits, isolation, findProgram });
  const pool = createPool(engine, waitingSandboxes);
  const { maxTokens } = config.output;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one listener for each run under way

  const services: Services = {
    config,
    libraries,
    upstreams,
    dispatch,
    journal: store.journal,
    artifacts,
    engine,
    maxTokens,
    execute: async (request) => {
      stayAwake();
      const { execute } = await runtime();
      return execute({
        ...request,
        signal: request.signal ? AbortSignal.any([stop.signal, request.signal]) : stop.signal,
      });
    },
  };
  const operations = createOperations(services);
  const guestOperations = new Map(
    operations.flatMap((operation) => (operation.guest ? [[operation.guest, operation]] : [])),
  );
  let loading: Promise<{ execute: Execute; checker: Checker }> | undefined;
  // Loaded with the first run or while nothing else is to be done: parser and compiler would double the time to start.
  const runtime = () => {
    loading ??= loadRuntime(coordinatorDeclarations(operations), {
      engineName: engine.name,
      pool,
      libraries,
      dispatch,
      journal: store.journal,
      artifacts,
      limits,
      maxTokens,
      operations: {
        names: [...guestOperations.keys()],
        call(name, args, context) {
          const operation = guestOperations.get(name);
          if (!operation) throw new CoordinatorError("input_invalid", `Guests have no operation "${name}"`);
          return runOperation(operation, args, context);
        },
      },
    });
    return loading;
  };

  let isWarm = false;
  let idleTimer: NodeJS.Timeout | undefined;
  const stayAwake = (): void => {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => void rest(), idleMs).unref();
  };
  const rest = async (): Promise<void> => {
    await Promise.all([pool.drain(), loading?.then(({ checker }) => checker.stop())]);
  };
  const warmUp = (): void => {
    stayAwake();
    pool.refill();
    runtime()
      .then(({ checker }) => checker.check("", []))
      .catch(() => {}); // the first run will tell
    if (isWarm) return;
    isWarm = true;
    libraries.discover().catch(() => {}); // each failure is kept and named by search
    Promise.all([store.prune({ maxAgeDays }), artifacts.prune(maxAgeDays)]).catch(() => {}); // the next start tries again
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    clearTimeout(idleTimer);
    stop.abort();
    const checkerStopped = loading?.then(({ checker }) => checker[Symbol.asyncDispose]());
    closing ??= Promise.all([upstreams.close(), pool.close(), checkerStopped]).then(() => store.close());
    return closing;
  };
  return { services, operations, warmUp, close };
}

async function loadRuntime(coordinatorModule: string, options: Omit<ExecuteOptions, "checker">) {
  const [{ createTypeScriptChecker }, { createExecute }] = await Promise.all([
    import("../runtime/checker.ts"),
    import("../runtime/execute.ts"),
  ]);
  const checker = createTypeScriptChecker(coordinatorModule);
  return { checker, execute: createExecute({ ...options, checker }) };
}

function findProgram(name: string): string | undefined {
  return commandFolders()
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
