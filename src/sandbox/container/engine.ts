import { randomBytes } from "node:crypto";
import { CoordinatorError } from "../../errors.ts";
import type { Owner } from "../../system/owner.ts";
import { packageFile } from "../../system/package-file.ts";
import type { Engine, EngineOptions, Language, PythonPackages } from "../engine.ts";
import { openSandbox } from "../open-sandbox.ts";
import { type ContainerProcess, startContainer } from "./container-process.ts";
import { type ContainerRuntime, defaultImage, findRuntime } from "./find-runtime.ts";
import { type ContainerGuard, guardContainers } from "./guard-containers.ts";
import { guestFiles, guestInside, type Inside, modulesIn } from "./inside.ts";
import { ownerText } from "./owner-label.ts";
import type { ContainerPlan } from "./run-arguments.ts";
import { stageFiles } from "./stage-files.ts";
import { sweep } from "./sweep.ts";

export interface ContainerEngineOptions extends EngineOptions {
  readonly language: Language;
  readonly image?: string | undefined;
  readonly runtime?: "auto" | "podman" | "docker" | undefined;
  /** A folder of Python packages that is searched before the image's own. */
  readonly packages?: string | undefined;
  /** This process: its containers are marked with it. */
  readonly owner: Owner;
  /** Whether the owner of another container is still there; if not, its containers are removed. */
  readonly isAlive: (owner: Owner) => boolean | undefined;
}

/** How long a container may take to be ready. */
const patienceMs = 30_000;

const dialects = {
  podman: [
    // No further scratch folders, no proxy settings, no names and no service manager of the host.
    ...["--read-only-tmpfs=false", "--http-proxy=false", "--no-hosts", "--sdnotify", "ignore", "--systemd", "false"],
  ],
  // A first process that passes on which signal ended the guest.
  docker: ["--init"],
};

export function createContainerEngine(options: ContainerEngineOptions): Engine {
  const { language, limits } = options;
  const owner = ownerText(options.owner, randomBytes(4).toString("hex"));
  const plan = (inside: Inside, name: "podman" | "docker") => planOf(inside, name, owner, options);
  const containers = createContainers(options, owner, plan);
  let preparing: Promise<ContainerRuntime> | undefined;
  const prepared = (): Promise<ContainerRuntime> => {
    preparing ??= prepare(options, plan).catch((thrown) => {
      preparing = undefined; // the fix may be there the next time
      throw thrown;
    });
    return preparing;
  };
  return {
    name: "container",
    language,
    isAutomatic: false,
    takesPackages: true,
    waiting: 1,
    ...(language === "python" && {
      version: async () => (await prepared()).interpreter?.version ?? "3.11",
      equip: (packages) => equip(packages, options),
    }),
    isolation: async () => ({ layer: "os", detail: (await prepared()).detail }),
    modules: async () =>
      new Set([
        ...((await prepared()).interpreter?.modules ?? []),
        ...(options.packages === undefined ? [] : await modulesIn(options.packages)),
      ]),
    async start(signal) {
      const found = await prepared();
      signal?.throwIfAborted();
      const container = await containers.launch(found, signal);
      signal?.addEventListener("abort", container.kill, { once: true });
      const patience = setTimeout(container.kill, patienceMs);
      try {
        const sandbox = await openSandbox(container, limits);
        container.watch();
        return sandbox;
      } finally {
        clearTimeout(patience);
      }
    },
    rest: containers.rest,
  };
}

type Plan = (inside: Inside, name: "podman" | "docker") => ContainerPlan;

function planOf(
  inside: Inside,
  name: "podman" | "docker",
  owner: string,
  { language, limits, image = defaultImage }: ContainerEngineOptions,
): ContainerPlan {
  return {
    ...inside,
    ...{ language, limits, image, owner, dialect: dialects[name], profile: packageFile("dist/container-profile.json") },
    name: `mcp-coordinator-${process.pid}-${randomBytes(6).toString("hex")}`,
  };
}

async function prepare(options: ContainerEngineOptions, plan: Plan): Promise<ContainerRuntime> {
  const { language, limits, image = defaultImage, runtime = "auto", findProgram, isAlive } = options;
  const found = await findRuntime({ language, limits, image, runtime, findProgram, plan });
  await sweep(found, isAlive);
  return found;
}

/** Packages for the image's own Python: those that were installed for another one do not fit. */
async function equip(packages: PythonPackages, options: ContainerEngineOptions): Promise<Engine> {
  const engine = createContainerEngine({ ...options, packages: packages.folder });
  const version = await engine.version?.();
  if (packages.base === undefined && version === packages.version) return engine;
  const why = packages.base === undefined ? `is for Python ${packages.version}` : `is based on ${packages.base}`;
  throw new CoordinatorError(
    "environment_unusable",
    `The environment "${packages.environment}" ${why}, and the image of the engine "container" has Python ${version} of its own`,
    {
      hint: 'Nothing has run. Use the engine "cpython", or an image with that Python (coordinator.sandbox.container).',
    },
  );
}

/** The containers of an engine, with what they share as long as there are any: a guard and the staged files. */
function createContainers({ language, limits, packages }: ContainerEngineOptions, owner: string, plan: Plan) {
  const containers = new Set<ContainerProcess>();
  let guard: ContainerGuard | undefined;
  let staging: Promise<ReadonlyMap<string, string>> | undefined;
  let starting = 0;
  const start = async (found: ContainerRuntime, signal: AbortSignal | undefined): Promise<ContainerProcess> => {
    guard ??= guardContainers(found, owner);
    const { folder } = guard;
    staging ??= stageFiles(guestFiles(language), folder);
    const readable = await staging;
    signal?.throwIfAborted();
    const inside = guestInside(language, limits, readable, found.interpreter, packages);
    const container = startContainer(found, plan(inside, found.name), folder);
    containers.add(container);
    void container.gone.then(() => containers.delete(container));
    return container;
  };
  return {
    launch(found: ContainerRuntime, signal: AbortSignal | undefined): Promise<ContainerProcess> {
      starting++;
      return start(found, signal).finally(() => starting--);
    },
    async rest(): Promise<void> {
      await Promise.all([...containers].filter(({ isKilled }) => isKilled).map(({ gone }) => gone));
      if (containers.size + starting > 0) return;
      const released = guard;
      guard = undefined;
      staging = undefined;
      await released?.release();
    },
  };
}
