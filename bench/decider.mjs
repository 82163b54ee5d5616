// Allows what waits in the runs whose ids it reads, and writes the moment of each decision: `node decider.mjs CONFIG`.
import { createInterface } from "node:readline";
import { Coordinator } from "../dist/index.js";

const coordinator = await Coordinator.open({ config: process.argv[2] });
for await (const run of createInterface({ input: process.stdin })) {
  const { approvals } = await coordinator.run("list_approvals", { run });
  const decided = performance.timeOrigin + performance.now();
  for (const { id } of approvals) {
    await coordinator.run("decide_approval", { id, answer: "allow once", by: "bench", channel: "cli" });
  }
  console.log(decided);
}
await coordinator.close();
