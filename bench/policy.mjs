// What rules cost: one decision by a hundred of them, a hundred calls of a guest with them and without any, and how long a call that waited
// takes from the decision, in another process, to its server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { executeCode, install } from "./gateway.mjs";
import { sequential } from "./guests.mjs";
import { median, quantile, rest, roundsOr, takeTurns } from "./measure.mjs";
import { microseconds, milliseconds, printWhenAlone } from "./report.mjs";
import { openRooms } from "./rooms.mjs";
import { echoServer } from "./servers.mjs";

const rounds = roundsOr(9);
const goal = { decision: 20, hundredCalls: 3, sent: 50 };
const decisions = 20_000;
const rooms = 'export * from "./src/policy/policy.ts"; export * from "./src/policy/condition.ts";';
const ownFile = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A hundred that a call of `echo` has to pass: about other tools, other arguments, and every fifth under a condition. */
const rules = Array.from({ length: 100 }, (_, number) => ({ id: `rule ${number}`, ...ruleOf(number), action: "deny" }));
/** The same hundred without conditions, which take a process some thousand evaluations to become fast. */
const plainRules = rules.map((rule) => (rule.match.when ? { ...rule, match: { server: "other" } } : rule));

function ruleOf(number) {
  if (number % 5 === 0) return { match: { server: "echo", when: `size(args.message) > ${1000 + number}` } };
  if (number % 5 === 1) return { match: { tool: `delete_${number}_*` } };
  if (number % 5 === 2) return { match: { server: "echo", args: { "/message": `*forbidden ${number}*` } } };
  if (number % 5 === 3) return { match: { server: ["mail", `server-${number}`], tool: "send_*" } };
  return { match: { tool: "echo", args: { "/message": [`evil ${number}`, `*.bad-${number}.example`] } } };
}

export async function measure() {
  return [
    await measureDecisions(),
    await measureCalls("100 sequential calls with 100 rules", plainRules),
    await measureCalls("the same with 20 of them in CEL", rules),
    await measureSending(),
  ];
}

/** Each by itself: what counts is how slow one can be. */
async function measureDecisions() {
  const { createPolicy, compileCondition } = await openRooms(rooms);
  const { policy } = createPolicy([{ origin: "user", file: "", trust: [], rules }], compileCondition);
  const act = (call) => ({
    kind: "tool",
    server: "echo",
    tool: "echo",
    args: { message: `call ${call}` },
    via: "code",
  });
  const samples = [];
  for (let call = 0; call < decisions * 2; call++) {
    const judged = act(call);
    const started = performance.now();
    const { action } = policy.decide(judged);
    const took = (performance.now() - started) * 1000;
    if (action !== "allow") throw new Error(`It was to be allowed, not ${action}`);
    if (call >= decisions) samples.push(took);
  }
  const [middle, slow] = [quantile(samples, 0.5), quantile(samples, 0.99)];
  return {
    what: "one decision by 100 rules, p99",
    ours: microseconds(slow),
    floor: `${microseconds(middle)} p50`,
    ratio: "–",
    goal: `<= ${microseconds(goal.decision)}`,
    met: slow <= goal.decision,
    published: false,
  };
}

/** Two gateways take turns; the difference is taken round by round. */
async function measureCalls(what, rules) {
  const servers = () => ({ echo: echoServer });
  const installed = [await install(servers), await install(servers, { policy: { rules } })];
  const [none, ruled] = await Promise.all(installed.map((one) => one.start()));
  const turn = (gateway) => async () => {
    await rest();
    return executeCode(gateway, sequential(100).typescript);
  };
  try {
    const samples = await takeTurns({ none: turn(none), ruled: turn(ruled) }, rounds);
    const more = median(samples.ruled.map((took, round) => took - samples.none[round]));
    return {
      what,
      ours: `${milliseconds(median(samples.ruled))}, ${more.toFixed(1)} ms more`,
      floor: `${milliseconds(median(samples.none))} without rules`,
      ratio: "–",
      rounds,
      goal: `<= ${goal.hundredCalls} ms more`,
      met: more <= goal.hundredCalls,
      published: false,
    };
  } finally {
    await Promise.all([none, ruled].map((gateway) => gateway.close()));
    await Promise.all(installed.map((one) => one.remove()));
  }
}

/** The server answers with the moment at which it was called; the other process says at which it decided. */
async function measureSending() {
  const clock = { command: process.execPath, args: [ownFile("clock-server.mjs")] };
  const asking = { policy: { rules: [{ id: "ask", match: { tool: "moment" }, action: "ask" }] } };
  const installed = await install(() => ({ clock }), { ...asking, approvals: { waitSeconds: 1, channels: ["cli"] } });
  const gateway = await installed.start();
  const decider = startDecider(installed);
  try {
    const samples = [];
    for (let round = 0; round <= rounds; round++) {
      const took = await sendOne(gateway, decider);
      if (round > 0) samples.push(took);
    }
    const took = median(samples);
    return {
      what: "from allow, in another process, to the server, of a parked call",
      ours: milliseconds(took),
      floor: `${milliseconds(Math.max(...samples))} the slowest`,
      ratio: "–",
      rounds,
      goal: `<= ${goal.sent} ms`,
      met: took <= goal.sent,
      published: false,
    };
  } finally {
    decider.close();
    await gateway.close();
    await installed.remove();
  }
}

async function sendOne(gateway, decider) {
  const code = 'import { moment } from "mcp_tools/clock"; await moment()';
  const asked = await gateway.callTool("execute_code", { code });
  const { status, run } = asked.structuredContent;
  if (status !== "needs_approval")
    throw new Error(`The call was to wait, and ended ${status}: ${asked.content[0].text}`);
  const resumed = gateway.callTool("resume_run", { run });
  const decided = await decider.allow(run);
  const { structuredContent } = await resumed;
  if (structuredContent.status !== "ok") throw new Error(`The run ended ${structuredContent.status}`);
  return Number(structuredContent.result) - decided;
}

/** A process of its own that decides what waits in a run, and tells when it did. */
function startDecider({ config, env }) {
  const child = spawn(process.execPath, [ownFile("decider.mjs"), config], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  return {
    async allow(run) {
      const line = once(lines, "line");
      child.stdin.write(`${run}\n`);
      return Number((await line)[0]);
    },
    close: () => child.stdin.end(),
  };
}

await printWhenAlone(import.meta.url, measure);
