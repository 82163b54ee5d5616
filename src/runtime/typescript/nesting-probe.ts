// A program of its own: compiles the source on its stdin and ends well when that can be done on half of the stack that
// the coordinator has. The parser is native and recursive; what nests too deeply ends the whole process.
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { compile, compileModule } from "./compile.ts";

if (isMainThread) {
  const source = await text(process.stdin);
  // A thread has 4 MB of stack, the coordinator's own has 8. An error in it ends the process too.
  new Worker(fileURLToPath(import.meta.url), { workerData: source });
} else {
  compile(workerData as string);
  compile(workerData as string, { session: true });
  compileModule(workerData as string);
}
