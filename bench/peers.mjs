// Other code modes beside ours: the same jobs on the same server program, in turns, each measured by whoever asks for a run, from
// request to answer. What is missing is installed first. Needs Linux and root, for the CPU time of all processes.
import { setTimeout as delay } from "node:timers/promises";
import { openCpuGroup } from "./cpu-group.mjs";
import { median, rest, roundsOr, takeTurns, timedRested } from "./measure.mjs";
import { openOurs, peers } from "./peers/contenders.mjs";
import { milliseconds, printWhenAlone, showRatio } from "./report.mjs";
import { tokensOf } from "./tokens.mjs";

const ours = ["TypeScript", "Python"];
const runsForCpu = 5;

const contests = [
  { what: "100 sequential calls in a run", rounds: 7, sample: ({ run }) => timedRested(() => run("sequential")) },
  { what: "100 parallel calls of 50 ms in a run", rounds: 3, sample: ({ run }) => timedRested(() => run("parallel")) },
  { what: "warm empty run", rounds: 11, sample: ({ run }) => timedRested(() => run("empty")) },
  { what: "CPU of an empty run, all processes", rounds: 3, sample: cpuOfEmptyRun },
];

export async function measure() {
  const groups = [];
  const open = async (name, opening) => {
    const group = openCpuGroup(`peer-${groups.length}`);
    groups.push(group);
    return [name, { ...(await opening(group)), group }];
  };
  const contenders = [];
  const refusals = [];
  try {
    for (const name of ours) contenders.push(await open(name, (group) => openOurs(name.toLowerCase(), group)));
    for (const [name, opening] of Object.entries(peers)) {
      try {
        contenders.push(await open(name, opening));
      } catch (error) {
        refusals.push({
          what: name,
          ours: "–",
          floor: `cannot be run here: ${error.message}`,
          ratio: "–",
          published: true,
        });
      }
    }
    const rows = [];
    for (const contest of contests) rows.push(await measureContest(contest, contenders));
    return [...rows, await definitionsRow(contenders), ...refusals];
  } finally {
    await Promise.all(contenders.map(([, { close }]) => close()));
    await delay(1000); // until what they started has ended too
    for (const group of groups) group.remove();
  }
}

/** A peer that cannot do a job says why, in its place. */
async function measureContest({ what, rounds, sample }, contenders) {
  const failures = {};
  const turns = contenders.map(([name, contender]) => [
    name,
    () =>
      sample(contender).catch((error) => {
        failures[name] = error.message.split("\n")[0];
      }),
  ]);
  const samples = await takeTurns(Object.fromEntries(turns), roundsOr(rounds));
  const figure = (name) => (failures[name] ? `"${failures[name]}"` : milliseconds(median(samples[name])));
  const others = contenders.map(([name]) => name).filter((name) => !ours.includes(name));
  const able = others.filter((name) => failures[name] === undefined);
  const [best] = able.sort((left, right) => median(samples[left]) - median(samples[right]));
  return {
    what: `${what}, beside peers`,
    ours: ours.map((name) => `${name} ${figure(name)}`).join(", "),
    floor: others.map((name) => `${figure(name)} ${name}`).join("; "),
    ratio: best === undefined ? "–" : `${showRatio(samples[ours[0]], samples[best])} of ${best}`,
    rounds: samples[ours[0]].length,
    published: true,
  };
}

/** With what its successor's sandbox takes. */
async function cpuOfEmptyRun({ run, group }) {
  await rest();
  const before = group.milliseconds();
  for (let count = 0; count < runsForCpu; count++) {
    await run("empty");
    await rest();
  }
  return (group.milliseconds() - before) / runsForCpu;
}

async function definitionsRow(contenders) {
  const told = [];
  for (const [name, { definitions }] of contenders) {
    if (definitions) told.push([name, tokensOf(await definitions())]);
  }
  const tokens = Object.fromEntries(told);
  const others = told.filter(([name]) => !ours.includes(name));
  const least = Math.min(...others.map(([, count]) => count));
  return {
    what: "definitions in the model's context, one server, beside peers",
    ours: `${tokens[ours[0]]} tokens`,
    floor: others.map(([name, count]) => `${count} tokens ${name}`).join("; "),
    ratio: others.length === 0 ? "–" : `${(tokens[ours[0]] / least).toFixed(2)}x of the least`,
    published: true,
  };
}

await printWhenAlone(import.meta.url, measure);
