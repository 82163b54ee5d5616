import { join } from "node:path";
import { local } from "../actor.ts";
import { userHome } from "../config/home.ts";
import type { ConfigSource } from "../config/load.ts";
import type { PolicyInForce } from "../door/policy-in-force.ts";
import { createTellChanges } from "../operations/discovery/tool-changes.ts";
import { type ApiFunction, guestApi } from "../operations/guest-api.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { brokenPolicy } from "../operations/policy/policy-news.ts";
import type { Services } from "../operations/services.ts";
import { createNotices } from "../runtime/notices.ts";
import { createOwnFiles } from "../servers/own-files.ts";
import { version } from "../system/version.ts";
import { tryServer } from "../upstream/try-server.ts";
import { createGit } from "../workspace/git.ts";
import { createWorkspace } from "../workspace/workspace.ts";
import { createOperations } from "./all-operations.ts";
import type { Embedding } from "./embedding.ts";
import { findProgram } from "./find-program.ts";
import { wirePackages } from "./wire-packages.ts";
import { wireRuns } from "./wire-runs.ts";
import { wireServers } from "./wire-servers.ts";
import { type WiredStore, wireStore } from "./wire-store.ts";

/** Every room at work for one configuration. */
export interface Wired {
  readonly services: Services;
  readonly operations: readonly AnyOperation[];
  /** Starts what the first run and the first search would wait for. Returns at once. */
  warmUp(): void;
  /** Ends every run and every process. */
  close(): Promise<void>;
}

export function wire(source: ConfigSource, policy: PolicyInForce, embedding: Embedding = {}): Wired {
  const { config } = source;
  const cacheFolder = join(config.home, "cache");
  const lockFolder = join(cacheFolder, "locks");
  const notices = createNotices();
  const kept = wireStore(config);
  const { store, artifacts } = kept;
  const reached = wireServers(source, kept, { notices, lockFolder, policy, embedding });
  const { libraries, servers, upstreams, observations } = reached;
  const packages = wirePackages(config, reached.door);
  let known: readonly ApiFunction[] | undefined;
  const api = () => {
    known ??= guestApi(operations);
    return known;
  };
  const runs = wireRuns({ config, policy, cacheFolder, kept, reached, packages, operations: () => operations, api });
  const { engines, sessions, underWay, skills, execute } = runs;
  const services: Services = {
    ...reached,
    engines,
    sessions,
    underWay,
    skills,
    execute,
    config,
    observed: store.observed,
    definitionChanges: store.definitionChanges,
    policy,
    tellChanges: createTellChanges({ libraries, definitionChanges: store.definitionChanges }),
    journal: store.journal,
    approvals: store.approvals,
    notices,
    artifacts,
    memory: store.memory,
    usedBytes: store.usedBytes,
    workspace: createWorkspace({
      ...config.workspace,
      lockFolder,
      ownFiles: createOwnFiles(source, () => servers.current),
    }),
    git: createGit(findProgram("git"), config.workspace.root, userHome()),
    environments: packages.environments,
    installPackages: packages.installPackages,
    tryServer: (server, signal) => tryServer(server, { version, signal }),
    api,
    maxTokens: config.output.maxTokens,
  };
  const operations = createOperations(services);
  policy.onChange(() => {
    const broken = brokenPolicy(policy);
    if (broken !== undefined) notices.tell({ about: "policy", message: broken });
  });

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    servers.close();
    reached.desk.close();
    closing ??= Promise.all([runs.close(), upstreams.close()]).then(async () => {
      await observations.flush();
      store.close();
    });
    return closing;
  };
  return { services, operations, warmUp: createWarmUp(services, kept, runs.warmUp), close };
}

/** Runs whose languages are the ones to be ready for. */
const recentRuns = 20;

function createWarmUp(
  { libraries, skills, journal }: Services,
  { prune }: WiredStore,
  warmUp: (language: "typescript" | "python") => Promise<void>,
): () => void {
  let isWarm = false;
  return () => {
    // Python takes time and memory: only where it has been in use.
    const usesPython = async () =>
      (await journal.listRuns({ limit: recentRuns })).some(({ language }) => language === "python");
    warmUp("typescript")
      .then(async () => ((await usesPython()) ? warmUp("python") : undefined))
      .catch(() => {}); // the first run will tell
    if (isWarm) return;
    isWarm = true;
    skills.edits.takeLater("when due", local);
    libraries.discover().catch(() => {}); // each failure is kept and named by search
    prune().catch(() => {}); // the next start tries again
  };
}
