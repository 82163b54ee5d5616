import { join } from "node:path";
import * as z from "zod";
import { sortedJson } from "../catalog/sorted-json.ts";
import { readDocument } from "../config/document.ts";
import { readConfigText } from "../config/find-config.ts";
import { insertRule } from "../config/rules/insert-rule.ts";
import { type FileWithBackup, writeWithBackup } from "../config/write-file.ts";
import { judgedOf } from "../door/policy-gate.ts";
import { policyOf } from "../door/policy-in-force.ts";
import { CoordinatorError } from "../errors.ts";
import { allowingRule } from "../policy/allowing-rule.ts";
import { trustedServers } from "../policy/policy.ts";
import type { Rule } from "../policy/rule.ts";
import { fieldsOf } from "../system/fields.ts";
import { createFileLock } from "../system/file-lock.ts";
import { type AnyOperation, defineOperation } from "./operation.ts";
import type { Services } from "./services.ts";

/** A rule by which a person would not be asked any more about a call and its like. */
export interface ProposedRule {
  readonly rule: Rule;
  readonly file: string;
  readonly index: number;
  /** Those that the file has. */
  readonly before: readonly Rule[];
  /** What would be said to this very call then: another file may have rules too. */
  readonly outcome: "allow" | "ask" | "deny";
}

/** For a person's own faces: neither a model nor a guest has any of it. */
export function allowingRuleOperations(services: Services): readonly AnyOperation[] {
  return [proposeRule(services), writeRule(services)];
}

const input = () => z.strictObject({ id: z.string(), same: z.array(z.string().startsWith("/")).default([]) });

function proposeRule(services: Services) {
  return defineOperation({
    name: "propose_rule",
    description: "The rule by which nobody would be asked about a call and its like any more; it is not written",
    input,
    run: ({ id, same }) => propose(id, same, services),
    present: ({ rule }) => ({ text: JSON.stringify(rule, undefined, 2) }),
  });
}

/** How long another process may be writing the file. */
const patienceMs = 10_000;

function writeRule(services: Services) {
  const { config } = services;
  const withLock = createFileLock(join(config.home, "cache", "locks"));
  return defineOperation({
    name: "write_rule",
    description: "Write a rule that was proposed, and that a person has seen, into the user's own file",
    input: () => z.strictObject({ ...input().shape, seen: z.string() }),
    async run({ id, same, seen }): Promise<FileWithBackup> {
      const { file } = await propose(id, same, services);
      return withLock(file, { patienceMs, busy: () => changed(file) }, async () => {
        // By the file as it is now: nothing is written that the person has not seen.
        const now = await propose(id, same, services);
        const text = await readConfigText(file);
        const isAsSeen = JSON.stringify(now.rule) === seen && now.file === file;
        if (!isAsSeen || text === undefined || rulesIn(text, file) !== sortedJson(now.before)) throw changed(file);
        return writeWithBackup(file, insertRule(text, now.index, now.rule), false);
      });
    },
    present: ({ file, backup }) => ({
      text: `The rule is in ${file}${backup === undefined ? "" : `; the previous file is ${backup}`}`,
    }),
  });
}

function rulesIn(text: string, file: string): string {
  const { policy } = fieldsOf(fieldsOf(readDocument(text, file).value)["coordinator"]);
  return sortedJson(fieldsOf(policy)["rules"] ?? []);
}

function changed(file: string): CoordinatorError {
  return new CoordinatorError("file_busy", `The rule was not written: ${file} is being changed`, {
    hint: "Nothing was written. Look at it, and try again.",
  });
}

async function propose(id: string, same: readonly string[], services: Services): Promise<ProposedRule> {
  const { approvals, policy, libraries } = services;
  const asked = await approvals.get(id);
  if (!asked) throw new CoordinatorError("approval_unknown", "No call was held for a decision under that id");
  await policy.now();
  await libraries.load([asked.server]).catch(() => {}); // its claims are what the protocol takes for granted then
  const claims = libraries.peek(asked.server)?.tools.get(asked.tool)?.annotations;
  const { kind, server, tool: name, args, via } = asked;
  const act = judgedOf({ kind, server, name, args: JSON.parse(args) }, via, claims);
  const { compileCondition } = await import("../policy/condition.ts");
  const isTrusted = trustedServers(policy.layers).has(server);
  const [only, another] = policy.layers.flatMap((layer) => {
    const how = { same, isTrusted, compile: compileCondition };
    const made = layer.origin === "user" ? allowingRule(act, layer, how) : undefined;
    return made === undefined ? [] : [{ layer, made }];
  });
  if (!only) throw noRule("no rule of yours asks about it: what asks is the administrator's, or a project's");
  const { layer, made } = only;
  if (another) throw noRule(`two files of yours ask about it, ${layer.file} and ${another.layer.file}`);
  if (typeof made === "string") throw noRule(made, layer.file);
  const { rule, index } = made;
  const layers = policy.layers.map((one) =>
    one === layer ? { ...one, rules: one.rules.toSpliced(index, 0, rule) } : one,
  );
  return { rule, index, file: layer.file, before: layer.rules, outcome: (await policyOf(layers)).decide(act).action };
}

function noRule(why: string, file?: string): CoordinatorError {
  return new CoordinatorError("input_invalid", `No rule can be made of it: ${why}`, {
    hint: `Nothing was changed. Allow the call alone, or write a rule by hand${file === undefined ? "" : ` into ${file}`} (docs/policy.md).`,
  });
}
