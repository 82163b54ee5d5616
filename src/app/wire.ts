import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { local } from "../actor.ts";
import { compareDefinitions } from "../catalog/compare-definitions.ts";
import { commandFolders, pathFolders } from "../config/command-folders.ts";
import { userHome } from "../config/home.ts";
import type { ConfigSource } from "../config/load.ts";
import { createDoor } from "../door/door.ts";
import type { Gate } from "../door/gate.ts";
import { createJournalRecorder } from "../door/journal-recorder.ts";
import { createListsGate } from "../door/lists-gate.ts";
import { CoordinatorError } from "../errors.ts";
import { artifactOperations } from "../operations/artifacts.ts";
import { executeCode } from "../operations/code/execute-code.ts";
import { guestSearch, searchTools } from "../operations/code/search-tools.ts";
import { coordinatorDeclarations, pythonCoordinatorStubs } from "../operations/coordinator-module.ts";
import { callTool, getToolSchema, listServers, listTools } from "../operations/discovery/discovery.ts";
import { generateLibraries, generateTools } from "../operations/discovery/generate-tools.ts";
import { createTellChanges, toolChanges } from "../operations/discovery/tool-changes.ts";
import { upstreamPromptOperations } from "../operations/discovery/upstream-prompts.ts";
import { upstreamResourceOperations } from "../operations/discovery/upstream-resources.ts";
import { environmentOperations } from "../operations/environment/environment.ts";
import { installForRun } from "../operations/environment/install-for-run.ts";
import { createInstallPackages } from "../operations/environment/install-packages.ts";
import { fetchOperations } from "../operations/fetch.ts";
import { fileOperations } from "../operations/files/files.ts";
import { memoryOperations } from "../operations/memory.ts";
import { type AnyOperation, runOperation } from "../operations/operation.ts";
import { importServers } from "../operations/registry/import-servers.ts";
import { installClient } from "../operations/registry/install-client.ts";
import { registryOperations } from "../operations/registry/registry.ts";
import { cancelRun, getRun, listRuns } from "../operations/runs.ts";
import type { Services } from "../operations/services.ts";
import { endSession, leaveSession, listSessions } from "../operations/sessions.ts";
import { skillOperations } from "../operations/skills/skills.ts";
import { isStoring } from "../operations/storage-use.ts";
import { createEnvironments } from "../packages/environments.ts";
import { createBundles } from "../packages/npm/bundles.ts";
import { createNpmInstaller } from "../packages/npm/installer.ts";
import { createNpmModules } from "../packages/npm/modules.ts";
import { createPythonInstaller } from "../packages/python/installer.ts";
import { createDispatch } from "../runtime/dispatch.ts";
import { createEngines } from "../runtime/engines.ts";
import type { ExecuteInPlace } from "../runtime/execute.ts";
import type { RunRequest } from "../runtime/execute-request.ts";
import { inTurn } from "../runtime/in-turn.ts";
import { createKnownToolsGate } from "../runtime/known-tools-gate.ts";
import { createLibraries } from "../runtime/libraries.ts";
import { createNotices } from "../runtime/notices.ts";
import { createObservations } from "../runtime/observations.ts";
import { createPace } from "../runtime/pace.ts";
import { createRunsUnderWay } from "../runtime/runs-under-way.ts";
import { createSessions } from "../runtime/sessions.ts";
import { createToolchains } from "../runtime/toolchains.ts";
import type { Language } from "../sandbox/engine.ts";
import { createOwnFiles } from "../servers/own-files.ts";
import { createServerList } from "../servers/server-list.ts";
import { createMirror } from "../skills/mirror.ts";
import { createSkillBook } from "../skills/skill-book.ts";
import { createArtifacts } from "../store/artifacts.ts";
import { createCredentials } from "../store/credentials.ts";
import { openStore } from "../store/store.ts";
import { version } from "../system/version.ts";
import { createSignIns } from "../upstream/oauth/sign-ins.ts";
import { tryServer } from "../upstream/try-server.ts";
import { createUpstreams } from "../upstream/upstreams.ts";
import { createGit } from "../workspace/git.ts";
import { createWorkspace } from "../workspace/workspace.ts";

/** After this long without a run, the sandboxes and the compiler that wait for one are ended. */
const idleMs = 4 * 60_000;
const sessionIdleMs = 10 * 60_000;
const mostSessions = { mostOfOne: 16, most: 64 };
/** Their languages are the ones to be ready for. */
const recentRuns = 20;

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
    generateLibraries(services),
    guestSearch(services),
    toolChanges(services),
    ...artifactOperations(services),
    ...upstreamResourceOperations(services),
    ...upstreamPromptOperations(services),
    listRuns(services),
    getRun(services),
    cancelRun(services),
    listSessions(services),
    endSession(services),
    leaveSession(services),
    ...fetchOperations(services),
    ...skillOperations(services),
    ...fileOperations(services),
    ...memoryOperations(services),
    ...environmentOperations(services),
    importServers(services),
    installClient(services),
    ...registryOperations(services),
  ];
}

export function wire(source: ConfigSource, moreGates: readonly Gate[] = []): Wired {
  const { config } = source;
  const store = openStore(config.home, {
    skills: config.skills,
    memoryBytes: config.memory.maxMb * 1_000_000,
    journal: { maxAgeDays: config.journal.keepDays, maxBytes: config.journal.maxMb * 1_000_000 },
  });
  const artifacts = createArtifacts({
    home: config.home,
    maxMb: config.artifacts.maxMb,
    isUnderWay: (run) => store.journal.isUnderWay(run),
  });
  const notices = createNotices();
  const underWay = createRunsUnderWay();
  const credentials = createCredentials(join(config.home, "credentials"));
  const upstreams = createUpstreams(config.servers, {
    version,
    credentials,
    onFailed: (server, { message }) => notices.tell({ about: server, message }),
    onToolsChanged: createPace((server) => libraries.refresh(server)), // the known library goes on serving
  });
  const door = createDoor({
    upstreams,
    gates: [
      createListsGate((server) => libraries.server(server).tools),
      createKnownToolsGate(() => libraries),
      ...moreGates,
    ],
    recorders: [createJournalRecorder(store.journal)],
    runs: store.journal,
  });
  const libraries = createLibraries({
    servers: config.servers,
    door,
    cache: store.catalogs,
    onRedefined: (identity, before, after) => {
      store.definitionChanges.note(identity, compareDefinitions(before, after));
    },
  });
  const observations = createObservations({ libraries, store: store.observed });
  const dispatch = createDispatch({ door, libraries, observations });
  const cacheFolder = join(config.home, "cache");
  const servers = createServerList(source, {
    lockFolder: join(cacheFolder, "locks"),
    use(wanted) {
      upstreams.update(wanted);
      libraries.update(wanted);
    },
  });
  const bundles = createBundles(findProgram);
  const environments = createEnvironments({
    folder: join(config.home, "environments"),
    settings: config.packages,
    ownFolders: [config.home, config.workspace.root, config.skills.folder],
    installers: {
      python: createPythonInstaller({ settings: config.packages, findProgram }),
      typescript: createNpmInstaller({ settings: config.packages, findProgram, bundles }),
    },
  });
  const installPackages = createInstallPackages(door, environments);
  const usual = config.packages.environment;
  /** The packages of its environment, for a guest of TypeScript; Python has its own way to them. */
  const packageModules = ({ language, environment = usual }: RunRequest) => {
    const layer = async () => (await environments.find(environment))?.layers.typescript;
    return language === "python" ? [] : [createNpmModules(bundles, layer)];
  };
  const engines = createEngines(config.sandbox, findProgram, cacheFolder, {
    environments,
    usual,
  });
  const sessions = createSessions({
    idleMs: sessionIdleMs,
    ...mostSessions,
    isShared: config.sessions === "shared",
  });
  const { maxTokens } = config.output;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one listener for each run under way

  const execute: ExecuteInPlace = async (request, actor, place) => {
    stayAwake();
    const run = await runtime();
    const modules = [...(request.modules ?? []), ...packageModules(request)];
    return run({ ...request, modules }, { ...actor, signal: untilStop(actor.signal) }, place);
  };
  const untilStop = (signal?: AbortSignal) => (signal ? AbortSignal.any([stop.signal, signal]) : stop.signal);
  // Not those that a run itself makes, of a skill's tests: they would wait for the turn that their run has.
  const executeInTurn = inTurn(async (request, actor, place) => {
    await skills.takeEditsFor(request.code);
    return execute(request, actor, place);
  }, config.sandbox.limits.parallelRuns);
  const mirror = createMirror(config.skills.folder);
  const skills = createSkillBook({ store: store.skills, mirror, libraries, execute, door });
  const services: Services = {
    config,
    servers,
    libraries,
    upstreams,
    signIns: createSignIns({ servers: () => servers.current, server: (name) => libraries.server(name), credentials }),
    door,
    dispatch,
    observations,
    observed: store.observed,
    definitionChanges: store.definitionChanges,
    tellChanges: createTellChanges({ libraries, definitionChanges: store.definitionChanges }),
    journal: store.journal,
    underWay,
    notices,
    artifacts,
    memory: store.memory,
    usedBytes: store.usedBytes,
    engines,
    sessions,
    workspace: createWorkspace({
      ...config.workspace,
      lockFolder: join(cacheFolder, "locks"),
      ownFiles: createOwnFiles(source, () => servers.current),
    }),
    git: createGit(findProgram("git"), config.workspace.root, userHome()),
    environments,
    installPackages,
    tryServer: (server, signal) => tryServer(server, { version, signal }),
    maxTokens,
    skills,
    execute: (request, actor) => executeInTurn(request, { ...actor, signal: untilStop(actor.signal) }),
  };
  const operations = createOperations(services);
  const guestOperations = new Map(
    operations.flatMap((operation) => (operation.guest ? [[operation.guest, operation]] : [])),
  );
  const declarations = { typescript: coordinatorDeclarations(operations), python: pythonCoordinatorStubs(operations) };
  const toolchains = createToolchains(engines, declarations, cacheFolder);
  let loading: Promise<ExecuteInPlace> | undefined;
  const runtime = (): Promise<ExecuteInPlace> => {
    loading ??= import("../runtime/execute.ts").then(({ createExecute }) =>
      createExecute({
        toolchain: toolchains.get,
        sessions,
        underWay,
        libraries,
        dispatch,
        observations,
        journal: store.journal,
        artifacts,
        limits: config.sandbox.limits,
        imports: config.sandbox.imports,
        modules: [skills.modules],
        maxTokens,
        install: config.packages.autoInstall ? installForRun(installPackages, usual) : undefined,
        operations: {
          offered: [...guestOperations].map(([name, { positional = [] }]) => [name, ...positional] as const),
          isReadOnly: (name) => guestOperations.get(name)?.readOnly ?? true,
          isStoring,
          isHeavy: (name) => guestOperations.get(name)?.heavy ?? false,
          async call(name, args, context) {
            const operation = guestOperations.get(name);
            if (!operation) throw new CoordinatorError("input_invalid", `Guests have no operation "${name}"`);
            const output: unknown = await runOperation(operation, args, context);
            return operation.guestValue ? operation.guestValue(output) : output;
          },
        },
      }),
    );
    return loading;
  };

  let isWarm = false;
  let idleTimer: NodeJS.Timeout | undefined;
  const stayAwake = (): void => {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => void toolchains.rest(), idleMs).unref();
  };
  const warmUp = (): void => {
    stayAwake();
    const prepare = async (language: Language): Promise<void> => {
      const { pool, checker } = await toolchains.get(language);
      pool.refill();
      await checker.check("", []);
    };
    // Python takes time and memory: only where it has been in use.
    const usesPython = store.journal.listRuns({ limit: recentRuns }).some(({ language }) => language === "python");
    Promise.all([prepare("typescript"), runtime()])
      .then(() => (usesPython ? prepare("python") : undefined))
      .catch(() => {}); // the first run will tell
    if (isWarm) return;
    isWarm = true;
    skills.takeEditsLater("when due", local);
    libraries.discover().catch(() => {}); // each failure is kept and named by search
    Promise.all([store.prune(), artifacts.prune(config.journal.keepDays)]).catch(() => {}); // the next start tries again
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    clearTimeout(idleTimer);
    skills.close();
    stop.abort();
    servers.close();
    sessions.close();
    closing ??= Promise.all([upstreams.close(), toolchains.close()]).then(() => {
      observations.flush();
      store.close();
    });
    return closing;
  };
  return { services, operations, warmUp, close };
}

/** Programs of the system are where the system says; an interpreter may be where a version manager has put it. */
function findProgram(name: string): string | undefined {
  return (name === "python3" ? commandFolders() : pathFolders())
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
