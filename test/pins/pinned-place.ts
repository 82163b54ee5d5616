import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { Coordinator, type OpenOptions } from "../../src/app/coordinator.ts";
import { servicesOf } from "../../src/app/services-of.ts";

const program = fileURLToPath(new URL("../servers/pinned-server.mjs", import.meta.url));

/** What the server offers. */
export interface Offered {
  readonly tools?: readonly object[];
  readonly prompts?: readonly object[];
  readonly templates?: readonly object[];
  readonly instructions?: string;
}

interface Setting {
  /** Of the server's entry. */
  readonly entry?: object;
  readonly coordinator?: object;
}

/** A data folder, a file with one server, `shop`, and what that server offers. */
export function createPlace(name = "mine.json") {
  const folder = mkdtempSync(join(tmpdir(), "pins-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [config, list, acts] = [name, "offered.json", "acts"].map((one) => join(folder, one)) as [
    string,
    string,
    string,
  ];
  const shop = { command: process.execPath, args: [program, list, acts] };
  const env = { ...process.env, MCP_COORDINATOR_HOME: join(folder, "home") };
  return {
    ...{ folder, config, shop, env },
    home: join(folder, "home"),
    write(mcpServers: object, coordinator: object = {}) {
      writeFileSync(config, JSON.stringify({ mcpServers, coordinator }));
    },
    configure({ entry = {}, coordinator = {} }: Setting = {}) {
      writeFileSync(config, JSON.stringify({ mcpServers: { shop: { ...shop, ...entry } }, coordinator }));
    },
    say: (offered: Offered) => writeFileSync(list, JSON.stringify(offered)),
    /** What it offers once its tool `change` has been called. */
    sayNext: (offered: Offered) => writeFileSync(`${list}.next`, JSON.stringify(offered)),
    /** What it was asked to do. */
    acts: () => (existsSync(acts) ? readFileSync(acts, "utf8").trim().split("\n") : []),
    /** Another start with the user's own file; with the working folder's where it is `found`. */
    async open({ found = false, ...more }: OpenOptions & { readonly found?: boolean } = {}): Promise<Coordinator> {
      const where = found ? { cwd: folder } : { config };
      const coordinator = await Coordinator.open({ ...where, env, ...more });
      onTestFinished(() => coordinator.close());
      return coordinator;
    },
  };
}

/** The server's first list counts, and is kept. */
export async function seen(coordinator: Coordinator): Promise<void> {
  await servicesOf(coordinator).libraries.refresh("shop");
}

/** What a call came to: its value, or the code of its failure. */
export async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((thrown: { code?: string; delivery?: string }) => `${thrown.code} ${thrown.delivery}`);
}
