import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { local, type OnProgress } from "../actor.ts";
import { plainText } from "../catalog/plain-text.ts";
import { undescribedNames } from "../catalog/undescribed.ts";
import { type ConfigSource, type LoadOptions, loadConfig } from "../config/load.ts";
import { openPolicyInForce } from "../door/policy-in-force.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import { defineOperation, runOperation } from "../operations/operation.ts";
import type { Services } from "../operations/services.ts";
import { damagedSkills } from "../operations/skills/skills.ts";
import { storageUse } from "../operations/storage-use.ts";
import { askServers, type ServerAnswer } from "../runtime/libraries/ask-servers.ts";
import type { Engine, Language } from "../sandbox/engine.ts";
import { explainHabits } from "../servers/explain-state.ts";
import { falseCapabilities } from "../servers/false-capabilities.ts";
import { serversInside } from "../servers/own-files.ts";
import { plural } from "../system/plural.ts";
import type { UpstreamState } from "../upstream/upstream-view.ts";
import { checkChanges } from "./check-changes.ts";
import { checkPins } from "./check-pins.ts";
import { checkPolicy } from "./check-policy.ts";
import type { Finding } from "./finding.ts";
import { wire } from "./wire.ts";

/**
 * Examines what a configuration makes of this machine. What cannot be used is a finding, and the rest is examined without it: as
 * if there were no servers, or with an empty data folder for the while.
 */
export async function examine(options: LoadOptions, onProgress?: OnProgress): Promise<readonly Finding[]> {
  const failures: Finding[] = [];
  const tried = async <Result>(area: Finding["area"], attempt: () => Result): Promise<Awaited<Result> | undefined> => {
    try {
      return await attempt();
    } catch (thrown) {
      if (!(thrown instanceof CoordinatorError)) throw thrown;
      failures.push(failed(area, thrown));
      return undefined;
    }
  };
  let folder: string | undefined;
  const standIn = async () => {
    folder ??= await mkdtemp(join(tmpdir(), "mcp-coordinator-doctor-"));
    return folder;
  };
  try {
    const none = async () =>
      loadConfig({ path: join(await standIn(), "none.json"), mayBeMissing: true, withRules: false });
    const source = (await tried("config", () => loadConfig(options))) ?? (await none());
    const policy = await tried("config", () => openPolicyInForce(source.policies));
    const inForce = policy ?? (await openPolicyInForce((await none()).policies));
    const wired =
      (await tried("storage", () => wire(source, inForce))) ?? wire(withHome(source, await standIn()), inForce);
    const missing = new Set(failures.map(({ area }) => area));
    try {
      return [...failures, ...(await runOperation(doctor(wired.services, missing), {}, { onProgress }))];
    } finally {
      await wired.close();
    }
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** What is below another folder stays: examining needs none of it. */
function withHome({ config, ...source }: ConfigSource, home: string): ConfigSource {
  return { ...source, config: { ...config, home } };
}

/** All of it, but for what is `missing`: a stand-in is there instead, of which there is nothing to say. */
export function doctor(services: Services, missing: ReadonlySet<Finding["area"]> = new Set()) {
  const hasData = !missing.has("storage");
  return defineOperation({
    name: "doctor",
    description: "What works and what does not: configuration, storage, engine, servers",
    readOnly: true,
    input: () => z.strictObject({}),
    async run(_input, { onProgress }): Promise<readonly Finding[]> {
      return [
        ...(missing.has("config") ? [] : checkConfig(services)),
        ...(hasData ? await checkStorage(services) : []),
        ...(await checkEngines(services)),
        ...(await unlessFailing("server", () => checkServers(services, hasData, onProgress))),
        ...(missing.has("config") ? [] : await unlessFailing("policy", () => checkPolicy(services))),
        ...(missing.has("config") ? [] : await unlessFailing("storage", () => checkPins(services, hasData))),
        ...(hasData ? await unlessFailing("storage", () => checkChanges(services)) : []),
        ...(hasData ? await unlessFailing("storage", () => checkSkills(services)) : []),
      ];
    },
  });
}

/** What a check finds; that the data does not let it through is a finding too. */
async function unlessFailing(area: Finding["area"], check: () => Promise<Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) return [failed(area, thrown)];
    throw thrown;
  }
}

export function showFindings(findings: readonly Finding[]): string {
  const lines = findings.map(({ status, area, server, engine, message, fix, milliseconds }) => {
    const subject = [area, server ?? engine].filter(Boolean).join(" ");
    const took = milliseconds === undefined ? "" : ` (${milliseconds} ms)`;
    const text = `${status.padEnd(4)}  ${subject}${took}: ${message}`.replaceAll("\n", "\n        ");
    return fix === undefined ? text : `${text}\n        fix: ${fix}`;
  });
  const count = (wanted: Finding["status"]) => findings.filter(({ status }) => status === wanted).length;
  return [...lines, "", `${count("ok")} ok, ${count("warn")} warn, ${count("fail")} fail`].join("\n");
}

function checkConfig({ config }: Services): Finding[] {
  const { file, servers, notes, leftOut } = config;
  const found: Finding =
    servers.length + leftOut.length > 0
      ? { area: "config", status: "ok", message: `read ${file}, ${plural(servers.length, "server")}` }
      : { area: "config", status: "warn", message: `${file} has no servers`, fix: 'Add one under "mcpServers".' };
  const without = leftOut.map(({ name, reason, fix }): Finding => {
    return { area: "config", server: name, status: "warn", message: `is left out: ${reason}`, fix };
  });
  const inside = serversInside(config).map(({ server, program }): Finding => {
    const message = `is started from the workspace (${program}): guests cannot change that file, but they can change others that it loads`;
    const fix = "Keep the programs of servers outside coordinator.workspace.root.";
    return { area: "config", server, status: "warn", message, fix };
  });
  return [
    found,
    ...notes.map((message) => ({ area: "config", status: "ok", message }) as const),
    ...without,
    ...inside,
  ];
}

async function checkStorage(services: Services): Promise<Finding[]> {
  const { home } = services.config;
  const { journal } = services;
  const probe = join(home, `doctor-${process.pid}.tmp`);
  try {
    await journal.listRuns({ limit: 1 });
    await writeFile(probe, "", { mode: 0o600 });
    await rm(probe);
    return [await checkHome(home), ...(await checkRoom(services))];
  } catch (thrown) {
    const fix = "Make the data folder writable for this user, or set MCP_COORDINATOR_HOME to another folder.";
    return [{ fix, ...failed("storage", thrown) }];
  }
}

/** Whether the data folder, where our programs and rules are, can be written to by its owner alone. */
async function checkHome(home: string): Promise<Finding> {
  const { mode } = await stat(home);
  if (process.platform === "win32" || (mode & 0o022) === 0) {
    return { area: "storage", status: "ok", message: `${home} is writable` };
  }
  const message = `others can write to ${home}, and so change what the coordinator runs and allows`;
  return { area: "storage", status: "warn", message, fix: `chmod 700 '${home}'` };
}

/** From here on it is told that room runs out. */
const nearlyFull = 0.9;

async function checkRoom(services: Services): Promise<Finding[]> {
  return (await storageUse(services)).map(
    ({ what, bytes, maxMb, count, maxCount = Number.POSITIVE_INFINITY, setting, remedy }) => {
      const number = count === undefined ? "" : `, ${count} of ${maxCount}`;
      const message = `${what}: ${(bytes / 1_000_000).toFixed(1)} of ${maxMb} MB${number}`;
      const isNearlyFull = bytes > maxMb * 1_000_000 * nearlyFull || (count ?? 0) > maxCount * nearlyFull;
      if (!isNearlyFull || remedy === undefined) return { area: "storage", status: "ok", message };
      return { area: "storage", status: "warn", message, fix: `${remedy}, or raise coordinator.${setting}.` };
    },
  );
}

/** What runs guests of each language here, then the engines that were not chosen. */
async function checkEngines(services: Services): Promise<Finding[]> {
  const chosen: Engine[] = [];
  const findings: Finding[] = [];
  for (const language of languages) {
    try {
      const { engine, instead } = await services.engines.choose(language);
      chosen.push(engine);
      findings.push(await checkIsolation(engine, instead), await checkRun(services, engine));
      findings.push(await checkChecker(services, language));
    } catch (thrown) {
      findings.push(failed("engine", thrown));
    }
  }
  for (const engine of services.engines.all) {
    if (chosen.includes(engine)) continue;
    const finding = await checkIsolation(engine).catch((thrown) => ({
      ...failed("engine", thrown),
      status: "off" as const,
    }));
    findings.push({ ...finding, engine: `${engine.name} (${engine.language})` });
  }
  return findings;
}

const languages = ["typescript", "python"] as const;

async function checkIsolation(engine: Engine, instead?: string): Promise<Finding> {
  const { layer, detail } = await engine.isolation();
  const about = { area: "engine", engine: engine.name } as const;
  if (instead !== undefined) {
    return { ...about, status: "warn", message: `${engine.language} runs on ${engine.name}: ${detail}`, fix: instead };
  }
  if (layer === "os") return { ...about, status: "ok", message: detail };
  const fix =
    'Where the system allows it, install bubblewrap and permit user namespaces. "isolation": "os" in coordinator.sandbox refuses runs without that.';
  return { ...about, status: "warn", message: detail, fix };
}

const asDoctor = { ...local, client: "doctor" };

async function checkRun({ execute }: Services, { name, language }: Engine): Promise<Finding> {
  const started = performance.now();
  const { status, result, error } = await execute({ code: "1 + 1", language, check: false }, asDoctor);
  const milliseconds = Math.round(performance.now() - started);
  const about = { area: "engine", engine: name, milliseconds } as const;
  if (status === "ok" && result === 2) return { ...about, status: "ok", message: "ran 1 + 1 in a new sandbox" };
  const message = `1 + 1 ended as ${status}: ${error?.message ?? JSON.stringify(result)}`;
  return { ...about, status: "fail", message, ...(error?.hint && { fix: error.hint }) };
}

async function checkChecker({ execute }: Services, language: Language): Promise<Finding> {
  const started = performance.now();
  const { status, error } = await execute({ code: "no_such_name", language, dryRun: true }, asDoctor);
  const milliseconds = Math.round(performance.now() - started);
  const about = { area: "engine", milliseconds } as const;
  if (status === "check_failed") {
    return { ...about, status: "ok", message: `the check of ${language} finds an unknown name before it runs` };
  }
  const message = `the check of ${language} with an unknown name ended as ${status}${error ? `: ${error.message}` : ""}`;
  return { ...about, status: "fail", message, fix: "Install mcp-coordinator again: its checker is incomplete." };
}

async function checkServers(
  { libraries, upstreams, door, config }: Services,
  hasData: boolean,
  onProgress?: OnProgress,
): Promise<Finding[]> {
  const names = libraries.modules.map(({ name }) => name);
  const answers = await askServers(libraries, names, onProgress);
  return Promise.all(
    answers.map(async (answer): Promise<Finding> => {
      const { server, error } = answer;
      if (!hasData && error instanceof CoordinatorError && error.code === "sign_in_needed") {
        const message = "it wants a sign-in, and those are kept in the data folder";
        return { area: "server", server, status: "off", message };
      }
      const finding = judge(answer, upstreams.state(server), config.file ?? "the configuration");
      const absent = answer.listed ? await falseCapabilities(upstreams, door, server) : [];
      if (absent.length === 0) return finding;
      const message = `${finding.message}; it says that it has ${absent.join(" and ")}, and does not know how to list them`;
      return { fix: "Tell the maintainers of the server.", ...finding, status: "warn", message };
    }),
  );
}

/** Edits of files that are not taken over, and skills whose tools have changed: nobody is told of them while nobody lists. */
async function checkSkills({ skills, config }: Services): Promise<Finding[]> {
  await skills.edits.take("now", local);
  const all = await skills.store.list();
  const problems = (await skills.edits.problems()).map(({ name, problem }): Finding => {
    const fix = `Correct the file in ${config.skills.folder}, or delete it: the previous version is written again.`;
    return { area: "skills", status: "warn", message: `the edit of ${name} was not taken over: ${problem}`, fix };
  });
  const damaged = (await damagedSkills(skills.store, all)).map((name): Finding => {
    const fix = `Save ${name} again, or delete it.`;
    return { area: "skills", status: "warn", message: `the row of ${name} in the database is damaged`, fix };
  });
  const reasonsOf = new Map(
    await Promise.all(all.map(async (skill) => [skill, await skills.tools.stale(skill)] as const)),
  );
  const stale = [...reasonsOf].flatMap(([skill, reasons]): Finding[] => {
    const fix = `Save ${skill.name} again when it still does what it should, or delete it.`;
    const message = `${skill.name} is stale: ${reasons.join("; ")}`;
    return reasons.length === 0 ? [] : [{ area: "skills", status: "warn", message, fix }];
  });
  if (all.length + problems.length + damaged.length === 0) return [];
  const count = `${plural(all.length, "skill")} in ${config.skills.folder}`;
  return [{ area: "skills", status: "ok", message: count }, ...problems, ...damaged, ...stale];
}

function judge({ server, milliseconds, listed, error }: ServerAnswer, state: UpstreamState, file: string): Finding {
  if (error instanceof CoordinatorError && error.code === "tool_denied") {
    const fix = `\`mcp-coordinator pins accept ${server}\` takes that back.`;
    return { area: "server", server, status: "off", message: "you have blocked it", fix };
  }
  if (!listed) {
    const { message, ...finding } = failed("server", error);
    const tail = plainText((state.stderrTail ?? "").trim().slice(-2000), 2000);
    const whole = tail === "" || message.includes(tail) ? message : `${message}\nThe last it wrote to stderr:\n${tail}`;
    return {
      fix: `Correct its entry in ${file}, or set "disabled": true there.`,
      ...finding,
      server,
      message: whole,
      milliseconds,
    };
  }
  const { library, skipped } = listed;
  const count = plural(library.tools.length, "tool");
  const warn = (message: string, fix: string): Finding => {
    return { area: "server", server, status: "warn", message: `${count}; ${message}`, fix, milliseconds };
  };
  if (skipped.length > 0) {
    const reasons = skipped.map(({ name, reason }) => `\nleft out ${name}: ${reason}`);
    return warn(`not all that it lists can be used${reasons.join("")}`, "Tell the maintainers of the server.");
  }
  const habit = explainHabits(state);
  if (habit?.fix !== undefined) return warn(habit.note, habit.fix);
  const undescribed = undescribedNames(library.tools);
  if (undescribed !== "") {
    return warn(`it does not say which arguments these take: ${undescribed}`, "Tell the maintainers of the server.");
  }
  if (library.tools.length === 0)
    return warn("there is nothing to import", 'Check "tools" of its entry and the server.');
  const message = habit === undefined ? count : `${count}; ${habit.note}`;
  return { area: "server", server, status: "ok", message, milliseconds };
}

function failed(area: Finding["area"], thrown: unknown): Finding {
  const fix = thrown instanceof CoordinatorError ? thrown.hint : undefined;
  return { area, status: "fail", message: messageOf(thrown), ...(fix !== undefined && { fix }) };
}
