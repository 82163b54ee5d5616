import { CoordinatorError } from "../../errors.ts";
import type { KnownTools } from "../../policy/lint.ts";
import type { Services } from "../services.ts";

/** The tools of every server that the configuration names, those too that are not in use now. */
export async function knownTools({ libraries, servers }: Pick<Services, "libraries" | "servers">): Promise<KnownTools> {
  const known = new Map<string, readonly string[] | undefined>();
  for (const name of await namesInFile(servers)) known.set(name, undefined);
  for (const { name } of libraries.leftOut) known.set(name, undefined);
  for (const { name } of libraries.modules) known.set(name, undefined);
  for (const { server, names } of await libraries.toolNames()) {
    const { allow, deny } = libraries.server(server).tools;
    // What its entry leaves out is not among the names, and may be what a rule is about.
    if (allow.length + deny.length === 0) known.set(server, names);
  }
  return known;
}

async function namesInFile(servers: Services["servers"]): Promise<readonly string[]> {
  try {
    return Object.keys(await servers.entries());
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) return []; // who follows the file tells what is wrong with it
    throw thrown;
  }
}
