import { randomBytes } from "node:crypto";
import type { Owner } from "../../system/owner.ts";
import { packageFile } from "../../system/package-file.ts";
import type { Engine, Language, Limits } from "../engine.ts";
import { openSandbox } from "../open-sandbox.ts";
import { type ContainerProcess, startContainer } from "./container-process.ts";
import { type ContainerRuntime, defaultImage, findRuntime } from "./find-runtime.ts";
import { type ContainerGuard, guardContainers } from "./guard-containers.ts";
import { guestFiles, guestInside, type Inside } from "./inside.ts";
import { modulesIn } from "./modules-in.ts";
import { ownerText } from "./owner.ts";
import type { ContainerPlan } from "./run-arguments.ts";
import { stageFiles } from "./stage-files.ts";
import { sweep } from "./sweep.ts";

export interface ContainerEngineOptions {
  readonly language: Language;
  readonly limits: Limits;
  /** Finds a program of the system, as `which` does. */
  readonly findProgram: (name: string) => string | undefined;
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
  const { language, limits, image = defaultImage, runtime = "auto", findProgram, isAlive } = options;
  const owner = ownerText(options.owner, randomBytes(4).toString("hex"));
  const plan = (inside: Inside, name: "podman" | "docker"): ContainerPlan => ({
    ...inside,
    ...{ language, limits, image, owner, dialect: dialects[name], profile: packageFile("dist/container-profile.json") },
    name: `mcp-coordinator-${options.owner.epoch}-${randomBytes(6).toString("hex")}`,
  });
  const prepare = async (): Promise<ContainerRuntime> => {
    const found = await findRuntime({ language, limits, image, runtime, findProgram, plan });
    await sweep(found, isAlive);
    return found;
  };
  let preparing: Promise<ContainerRuntime> | undefined;
  const prepared = (): Promise<ContainerRuntime> => {
    preparing ??= prepare().catch((thrown) => {
      preparing = undefined; // the fix may be there the next time
      throw thrown;
    });
    return preparing;
  };
  const containers = new Set<ContainerProcess>();
  let guard: ContainerGuard | undefined;
  let staging: Promise<ReadonlyMap<string, string>> | undefined;
  let starting = 0;
  const launch = async (found: ContainerRuntime, signal: AbortSignal | undefined): Promise<ContainerProcess> => {
    guard ??= guardContainers(found, owner);
    staging ??= stageFiles(guestFiles(language), guard.folder);
    const readable = await staging;
    signal?.throwIfAborted();
    const inside = guestInside(language, limits, readable, found.interpreter, options.packages);
    const container = startContainer(found, plan(inside, found.name), guard.folder);
    containers.add(container);
    void container.gone.then(() => containers.delete(container));
    return container;
  };
  return {
    name: "container",
    language,
    isolation: async () => ({ layer: "os", detail: (await prepared()).detail }),
    ...(language === "python" && { version: async () => (await prepared()).interpreter?.version ?? "3.11" }),
    modules: async () =>
      new Set([
        ...((await prepared()).interpreter?.modules ?? []),
        ...(options.packages === undefined ? [] : await modulesIn(options.packages)),
      ]),
    async start(signal) {
      const found = await prepared();
      signal?.throwIfAborted();
      starting++;
      const container = await launch(found, signal).finally(() => starting--);
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
    async rest() {
      await Promise.all([...containers].filter(({ isKilled }) => isKilled).map(({ gone }) => gone));
      if (containers.size + starting > 0) return;
      const released = guard;
      guard = undefined;
      staging = undefined;
      await released?.release();
    },
  };
}
