// The CPU time of one call: of the host alone, and of all processes together (host, guest, server), from runs of 3,000 calls
// less a run without any. Against the bare relay, and against clients that call without a guest. Needs Linux and root.
import { setTimeout as delay } from "node:timers/promises";
import { relayHost } from "./calls.mjs";
import { millisecondsOfProcess, openCpuGroup } from "./cpu-group.mjs";
import { executeCode, install } from "./gateway.mjs";
import { bareCalls, sequential } from "./guests.mjs";
import { connect } from "./mcp-client.mjs";
import { median, rest, roundsOr, takeTurns } from "./measure.mjs";
import { connectRaw } from "./raw-client.mjs";
import { contestRow, microseconds, printWhenAlone } from "./report.mjs";
import { echoServer } from "./servers.mjs";

const calls = 3000;
const hostLimit = 55;
const languages = { typescript: "TypeScript", python: "Python" };

export async function measure() {
  const installation = await install(() => ({ echo: echoServer }), { sandbox: { limits: { toolCalls: calls + 1 } } });
  const groups = {};
  const groupFor = (name) => {
    groups[name] = openCpuGroup(name);
    return groups[name];
  };
  const [gateway, relay, sdk, raw] = await Promise.all([
    installation.start(groupFor("ours")),
    connectRaw({ ...groupFor("relay").command(process.execPath, relayHost), stderr: "inherit" }),
    connect(groupFor("sdk").command(echoServer.command, ...echoServer.args)),
    connectRaw(groupFor("raw").command(echoServer.command, ...echoServer.args)),
  ]);
  const contenders = {
    sdk: () => cpuOfClient(groups.sdk, () => bareCalls.sequential(sdk, calls)),
    raw: () => cpuOfClient(groups.raw, () => bareCalls.sequential(raw, calls)),
  };
  for (const language of Object.keys(languages)) {
    const codes = { many: sequential(calls)[language], none: sequential(0)[language] };
    contenders[language] = () =>
      cpuOfRuns(groups.ours, gateway.pid, codes, (code) => executeCode(gateway, code, language));
    contenders[`relay ${language}`] = () =>
      cpuOfRuns(groups.relay, relay.pid, codes, (code) => relay.callTool("run", { code, language }));
  }
  try {
    return rowsOf(await takeTurns(contenders, roundsOr(4)));
  } finally {
    await Promise.all([gateway, relay, sdk, raw].map((each) => each.close()));
    await delay(1000); // until what they started has ended too
    for (const group of Object.values(groups)) group.remove();
    await installation.remove();
  }
}

/** Microseconds a call, of the host and of all. */
async function cpuOfRuns(group, pid, { many, none }, run) {
  const cpuOf = async (code) => {
    await rest();
    const before = { host: millisecondsOfProcess(pid), all: group.milliseconds() };
    await run(code);
    await rest(); // until its successor's sandbox has started
    return { host: millisecondsOfProcess(pid) - before.host, all: group.milliseconds() - before.all };
  };
  const [whole, less] = [await cpuOf(many), await cpuOf(none)];
  return { host: ((whole.host - less.host) * 1000) / calls, all: ((whole.all - less.all) * 1000) / calls };
}

/** The same of a client in this process: the host is this process. */
async function cpuOfClient(group, work) {
  await rest();
  const before = { host: process.cpuUsage(), server: group.milliseconds() };
  await work();
  const { user, system } = process.cpuUsage(before.host);
  const host = (user + system) / calls;
  return { host, all: host + ((group.milliseconds() - before.server) * 1000) / calls };
}

function rowsOf(samples) {
  const of = (name, kind) => samples[name].map((sample) => sample[kind]);
  const rowOf = (language, kind, floor, floorName, more) =>
    contestRow({
      what: `CPU of a call, ${kind === "host" ? "the host alone" : "all processes"}, ${languages[language]}`,
      ours: of(language, kind),
      floor: of(floor, kind),
      floorName,
      show: microseconds,
      ...more,
    });
  const rawNote = (kind) => [`a raw client: ${microseconds(median(of("raw", kind)))}`];
  return Object.keys(languages).flatMap((language) => [
    rowOf(language, "host", `relay ${language}`, "bare relay", { limit: hostLimit }),
    rowOf(language, "host", "sdk", "SDK client", { notes: rawNote("host") }),
    rowOf(language, "all", `relay ${language}`, "bare relay"),
    rowOf(language, "all", "sdk", "SDK client and its server", { notes: rawNote("all") }),
  ]);
}

await printWhenAlone(import.meta.url, measure);
