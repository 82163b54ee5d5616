// Loaded into a gateway before its own code: tells, when asked by a signal, what it holds after a collection.
import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

process.on("SIGUSR2", () => {
  collect();
  // What the first collection found is let go of between the two.
  setTimeout(() => {
    collect();
    const resources = {};
    for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
    const { heapUsed, external } = memoryUsage();
    process.stderr.write(`soak ${JSON.stringify({ heapUsed, external, resources })}\n`);
  }, 50);
});
