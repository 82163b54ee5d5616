import type { Coordinator } from "../app/coordinator.ts";
import { servicesOf } from "../app/services-of.ts";
import type { Answer } from "../approvals/asker.ts";
import type { FileWithBackup } from "../config/write-file.ts";
import type { ProposedRule } from "../operations/allowing-rule.ts";
import type { ShownApproval } from "../operations/approvals.ts";
import { misused } from "./line/arguments.ts";
import { defineCommand, defineGroup } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { asCommand } from "./terminal/as-command.ts";
import { consentOf } from "./terminal/consent.ts";
import { failureOf, reportFailure } from "./terminal/failure.ts";
import { print, printJson, talk } from "./terminal/print.ts";
import { printOperation } from "./terminal/print-operation.ts";
import { userName } from "./terminal/user-name.ts";

const ids = { type: "positional", description: "Their ids, from `approvals list`" } as const;
const ofRun = { type: "string", valueHint: "run", description: "Those of this run only" } as const;
const all = { type: "boolean", description: "All that wait, of the run that --run names" } as const;

const list = defineCommand({
  description: "The calls that wait for a decision, the oldest first",
  args: {
    run: ofRun,
    all: { type: "boolean", description: "Also those that are decided or over" },
    limit: { type: "number", description: "How many; default 1000" },
  },
  async run({ run, all, limit, ...args }) {
    await using coordinator = await open(args);
    return await printOperation(coordinator, "list_approvals", { run, all, limit }, args);
  },
});

const show = defineCommand({
  description: "Calls that wait for a decision, whole",
  args: { "id…": { ...ids, required: true, description: "Their ids, or the first four letters or more" } },
  async run(args) {
    await using coordinator = await open(args);
    const found = await Promise.all(args._.map((id) => find(coordinator, id)));
    if (args.json) printJson(found);
    else print(await shown(found));
  },
});

const allow = defineCommand({
  description: "Let calls be made, after showing each and asking for a yes at the terminal",
  args: {
    "id…": ids,
    all,
    run: ofRun,
    "in-this-run": {
      type: "boolean",
      description: "Also later calls of the same tools by the same rules, in their run",
    },
    "as-rule": { type: "boolean", description: "Also write a rule into your configuration that allows the like of it" },
    same: {
      type: "many",
      valueHint: "pointer",
      description: "With --as-rule: only with the value of this argument, /to",
    },
  },
  async run(args) {
    await using coordinator = await open(args);
    const asked = await chosen(coordinator, args);
    if (asked.length === 0) return nothingWaits(args);
    const { decisionRefusal } = await import("../approvals/decision-refusal.ts");
    const answer = args["in-this-run"] ? "allow in this run" : "allow once";
    if (args["as-rule"]) return await allowAsRule(coordinator, asked, args);
    if (args.same) throw misused("--same goes with --as-rule");
    const { channels } = servicesOf(coordinator).config.approvals;
    for (const one of asked) {
      const refusal = decisionRefusal(one, { channel: "cli", answer, channels });
      if (refusal) throw refusal;
    }
    if (!(await consentOf(`${await shown(asked)}\n\n${questionOf(asked.length, answer)}`))) {
      talk("Nothing was allowed.");
      if (args.json) printJson([]);
      return 1;
    }
    return await decideAll(coordinator, asked, answer, args);
  },
});

interface AsRule {
  readonly same?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
  readonly "in-this-run"?: boolean | undefined;
}

/** The call that waits, and the like of it from now on. */
async function allowAsRule(
  coordinator: Coordinator,
  asked: readonly ShownApproval[],
  { same = [], json, ...args }: AsRule,
): Promise<number> {
  const [one, another] = asked;
  if (!one || another || args["in-this-run"]) throw misused("--as-rule takes one id, and no --in-this-run");
  const input = { id: one.id, same };
  const proposed = (await coordinator.run("propose_rule", input, { ...asCommand })) as ProposedRule;
  const { showProposedRule } = await import("./terminal/proposed-rule.ts");
  if (!(await consentOf(`${await shown(asked)}\n\n${showProposedRule(proposed)}`))) {
    talk("Nothing was allowed.");
    if (json) printJson([]);
    return 1;
  }
  const code = await decideAll(coordinator, asked, "allow once", { json });
  if (code !== 0) return code;
  const seen = JSON.stringify(proposed.rule);
  const written = (await coordinator.run("write_rule", { ...input, seen }, { ...asCommand })) as FileWithBackup;
  talk(`The rule is in ${written.file}${written.backup ? `; the previous file is ${written.backup}` : ""}.`);
  return 0;
}

const deny = defineCommand({
  description: "Refuse calls that wait for a decision",
  args: { "id…": ids, all, run: ofRun },
  async run(args) {
    await using coordinator = await open(args);
    const asked = await chosen(coordinator, args);
    return asked.length === 0 ? nothingWaits(args) : await decideAll(coordinator, asked, "deny", args);
  },
});

export const approvals = defineGroup("Calls that wait until a person allows or denies them", {
  list,
  show,
  allow,
  deny,
});

/** What waits is in the data folder: no list of servers is needed for it. */
function open(args: { config?: string | undefined }): Promise<Coordinator> {
  return openCoordinator(args, { mayBeMissing: true });
}

async function find(coordinator: Coordinator, id: string): Promise<ShownApproval> {
  return (await coordinator.run("show_approval", { id }, { ...asCommand })) as ShownApproval;
}

interface Choice {
  readonly _: readonly string[];
  readonly all?: boolean | undefined;
  readonly run?: string | undefined;
}

/** Those that the words name, each by its whole id, or all that wait in a run. */
async function chosen(coordinator: Coordinator, { _: given, all, run }: Choice): Promise<readonly ShownApproval[]> {
  if ((all === true) !== (run !== undefined))
    throw misused("--all and --run go together", "Write --all --run RUN, or ids.");
  if (run !== undefined) {
    if (given.length > 0) throw misused("Give ids, or --all with --run, not both");
    const input = { run, limit: 10_000 };
    const { approvals, more } = (await coordinator.run("list_approvals", input, { ...asCommand })) as Listed;
    if (more) throw misused(`More than ${approvals.length} calls of that run wait: decide some by their ids`);
    return approvals;
  }
  if (given.length === 0) throw misused("ID is missing", "`mcp-coordinator approvals list` shows them.");
  const found: ShownApproval[] = [];
  for (const id of new Set(given)) {
    const one = await find(coordinator, id);
    if (one.id !== id)
      throw misused(`${JSON.stringify(id)} is not a whole id`, `Did you mean ${one.id}? This changed nothing.`);
    found.push(one);
  }
  return found;
}

interface Listed {
  readonly approvals: readonly ShownApproval[];
  readonly more: boolean;
}

async function shown(asked: readonly ShownApproval[]): Promise<string> {
  const { showWithRun } = await import("../operations/approvals.ts");
  return asked.map(showWithRun).join("\n\n");
}

function questionOf(count: number, answer: Answer): string {
  const what = count === 1 ? "The call above may be made" : `The ${count} calls above may be made`;
  if (answer === "allow once") return `${what}, once.`;
  return `${what}, and in the same run the same tool with any arguments, at most 100 times.`;
}

function nothingWaits({ json }: { readonly json?: boolean | undefined }): number {
  if (json) printJson([]);
  else print("Nothing waits for a decision.");
  return 0;
}

/** One that cannot be decided any more does not hold up the others; all are told of. */
async function decideAll(
  coordinator: Coordinator,
  asked: readonly ShownApproval[],
  answer: Answer,
  { json }: { readonly json?: boolean | undefined },
): Promise<number> {
  const outcomes: unknown[] = [];
  let code = 0;
  for (const { id } of asked) {
    const input = { id, answer, by: userName(), channel: "cli" };
    try {
      if (json) outcomes.push(await coordinator.run("decide_approval", input, { ...asCommand }));
      else await printOperation(coordinator, "decide_approval", input, {});
    } catch (thrown) {
      code = reportFailure(thrown, { json: false });
      outcomes.push({ id, error: failureOf(thrown) });
    }
  }
  if (json) printJson(outcomes);
  return code;
}
