// The job of `npm run demo`: a question over 10,000 rows, through us and by calling every tool directly.
import { rows, runJob } from "../examples/demo/job.mjs";
import { count, printWhenAlone } from "./report.mjs";

const goalPercent = 99.5;

export async function measure() {
  const { ours, direct } = await runJob();
  const total = ({ definitions, written, read }) => definitions + written + read;
  const fewer = (1 - total(ours) / total(direct)) * 100;
  return [
    {
      what: `tokens of a job over ${count(rows)} rows`,
      ours: `${count(total(ours))} tokens`,
      floor: `${count(total(direct))} tokens, tools called directly`,
      ratio: `${fewer.toFixed(2)}% fewer`,
      goal: `>= ${goalPercent}%`,
      met: fewer >= goalPercent,
    },
  ];
}

await printWhenAlone(import.meta.url, measure);
