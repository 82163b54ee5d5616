import { CoordinatorError } from "../../errors.ts";
import { packageFile } from "../../system/package-file.ts";
import type { EngineOptions, Language } from "../engine.ts";
import { askRuntime, type RuntimeAnswer } from "./ask-runtime.ts";
import { type ImageInterpreter, type Inside, probeInside, readInterpreter } from "./inside.ts";
import { readReport, shortfalls } from "./probe.ts";
import { type ContainerPlan, runArguments } from "./run-arguments.ts";

export const defaultImage = "mcp-coordinator-sandbox";

/** A container runtime that has shown here, in a container, that it keeps what this engine promises. */
export interface ContainerRuntime {
  readonly name: "podman" | "docker";
  readonly program: string;
  /** The arguments before every subcommand. */
  readonly options: readonly string[];
  readonly detail: string;
  /** Only for Python. */
  readonly interpreter: ImageInterpreter | undefined;
}

export interface RuntimeQuestion extends EngineOptions {
  readonly language: Language;
  readonly image: string;
  readonly runtime: "auto" | "podman" | "docker";
  /** Everything of a container but what runs in it. */
  readonly plan: (inside: Inside, name: "podman" | "docker") => ContainerPlan;
}

interface Refusal {
  readonly refused: string;
  readonly hint?: string;
}

/** podman's own way first; another of its OCI runtimes where the usual one refuses the machine. */
const optionSets = {
  // The default mounts are the distribution's idea of what every container should have of the host.
  podman: [[], ["--runtime", "runc"], ["--runtime", "crun"]].map((options) => [
    ...options,
    ...["--default-mounts-file", "/dev/null"],
  ]),
  docker: [[]],
};

/** The first container runtime that works, tried for real; else the reason of each, and the fix. */
export async function findRuntime(question: RuntimeQuestion): Promise<ContainerRuntime> {
  const names = question.runtime === "auto" ? (["podman", "docker"] as const) : [question.runtime];
  const reasons: string[] = [];
  let hint: string | undefined;
  for (const name of process.platform === "linux" ? names : []) {
    const found = await tryRuntime(name, question);
    if (!("refused" in found)) return found;
    reasons.push(`${name} ${found.refused}`);
    hint ??= found.hint;
  }
  const reason = reasons.join("; ") || `it works on Linux only, not on ${process.platform}`;
  throw new CoordinatorError("engine_unavailable", `The engine "container" cannot run here: ${reason}`, {
    hint: hint ?? "Install podman (apt-get install podman), best used without root, or choose another engine.",
  });
}

function imageHint(builder: string, image: string): string {
  if (image !== defaultImage)
    return `Build or pull the image "${image}" with ${builder}; nothing is pulled at run time.`;
  return `Build it: ${builder} build --tag ${defaultImage} ${packageFile("container")}`;
}

const limitsHint =
  "Without root, limits need cgroup version 2 with the controllers memory and pids; or use another engine.";

async function tryRuntime(name: "podman" | "docker", question: RuntimeQuestion): Promise<ContainerRuntime | Refusal> {
  const program = question.findProgram(name);
  if (!program) return { refused: "is not installed" };
  const image = await askRuntime(program, ["image", "inspect", "--format", "{{.Id}}", "--", question.image]);
  if (image.code !== 0) {
    const info = await askRuntime(program, ["info"]);
    if (info.code !== 0) return { refused: `does not work (${info.problem})` };
    return { refused: `has no image "${question.image}"`, hint: imageHint(name, question.image) };
  }
  let refused = "";
  for (const options of optionSets[name]) {
    const plan = question.plan(probeInside(question.language), name);
    const answer = await askRuntime(program, [...options, ...runArguments(plan)]);
    if (answer.code !== 125 && answer.code !== 126) return judge(name, program, options, question, answer);
    refused ||= `cannot start a container (${answer.problem})`;
  }
  return { refused };
}

function judge(
  name: "podman" | "docker",
  program: string,
  options: readonly string[],
  question: RuntimeQuestion,
  { stdout, problem }: RuntimeAnswer,
): ContainerRuntime | Refusal {
  const report = readReport(stdout);
  if (report.size === 0) return { refused: `cannot use the image "${question.image}" (${problem})` };
  const ours = [...probeInside(question.language).readable.keys()];
  const missing = shortfalls(report, { ...question, ours });
  if (missing.length > 0) return { refused: `does not give its containers ${missing.join(", ")}`, hint: limitsHint };
  const interpreter = question.language === "python" ? readInterpreter(report.get("python")) : undefined;
  if (question.language === "python" && !interpreter) {
    return { refused: `has no Python 3.9 or later in the image "${question.image}"`, hint: "Use another image." };
  }
  const rights = name === "docker" ? "" : process.getuid?.() === 0 ? " as root" : " without root";
  return { name, program, options, interpreter, detail: `A container of ${name}${rights}, from "${question.image}"` };
}
