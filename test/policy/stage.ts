import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Coordinator } from "../../src/app/coordinator.ts";
import type { NewApproval } from "../../src/approvals/approval.ts";
import { server } from "../gateway/connect.ts";
import type { Files, Policy } from "./row.ts";

/** What the server was asked to do. */
interface Done {
  readonly what: string;
  readonly args: unknown;
}

export type Language = "typescript" | "python";

/** A coordinator in a project, with the rules of an administrator, a user and the project, and one server that writes down what it does. */
export interface Stage extends AsyncDisposable {
  readonly coordinator: Coordinator;
  readonly folder: string;
  /** Where whose rules are. */
  readonly paths: Readonly<Record<keyof Files, string>>;
  /** Puts the rules of each in force. */
  govern(files: Files): Promise<void>;
  /** What it has done since it was asked last. */
  done(): readonly Done[];
  /** What a person was asked since, as they decided; they deny whatever they are asked. */
  asked(): readonly NewApproval[];
}

/** As long as rules are taken to be what they were (src/door/policy-in-force.ts). */
const lookMs = 10;

export async function openStage(settings: object = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "policy-"));
  const [project, home] = [join(folder, "project"), join(folder, "data")];
  for (const one of [project, home]) mkdirSync(one);
  const paths = {
    managed: join(folder, "policy.json"),
    user: join(home, "config.json"),
    project: join(project, ".mcp.json"),
  };
  const ledger = join(folder, "ledger.jsonl");
  const mcpServers = { counting: server("counting-server", ledger) };
  const put = (files: Files): void => {
    write(paths.managed, files.managed ?? {});
    write(paths.user, { coordinator: { policy: files.user ?? {} } });
    write(paths.project, { mcpServers, coordinator: { ...settings, policy: files.project ?? {} } });
  };
  put({});
  let asked: NewApproval[] = [];
  let read = 0;
  const coordinator = await Coordinator.open({
    cwd: project,
    env: { ...process.env, MCP_COORDINATOR_HOME: home, MCP_SERVERS_CONFIG: "" },
    managedPolicy: paths.managed,
    accepters: [{ accept: async () => true }], // the project's server may be started
    askers: [
      {
        channel: "cli",
        who: "a person",
        canShow: () => true,
        async ask(questions) {
          asked.push(...questions);
          return new Map(questions.map(({ id }) => [id, "deny"]));
        },
      },
    ],
  });
  return {
    ...{ coordinator, folder, paths },
    async govern(files) {
      put(files);
      await delay(2 * lookMs);
    },
    done() {
      const lines = existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n").filter(Boolean) : [];
      const fresh = lines.slice(read).map((line) => JSON.parse(line) as Done);
      read = lines.length;
      return fresh;
    },
    asked() {
      const these = asked;
      asked = [];
      return these;
    },
    async [Symbol.asyncDispose]() {
      await coordinator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whole, as editors do. */
function write(path: string, value: Policy | object): void {
  writeFileSync(`${path}.new`, JSON.stringify(value));
  renameSync(`${path}.new`, path);
}
