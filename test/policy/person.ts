import { existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import type { Approval, Decision } from "../../src/approvals/approval.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { type Connected, connect, createHome, server } from "../gateway/connect.ts";
import type { Policy } from "./row.ts";

/** What a client was asked, as it came. */
interface Asked {
  readonly message: string;
  readonly fields: readonly string[];
}

interface Said {
  readonly action: string;
  readonly content?: unknown;
}

/** What the person behind a client says, whenever they are asked. */
type Answer = (asked: Asked) => Said | Promise<Said>;

/** A gateway on a data folder, with the server that counts, for clients that come and go. */
export interface Ground {
  readonly home: { readonly config: string; readonly home: string };
  govern(rules: readonly object[], preset?: Policy["preset"]): void;
  /** The configuration with these rules, as it stands in the file. */
  configWith(rules: readonly object[], preset?: Policy["preset"]): string;
  done(): readonly { readonly what: string; readonly args: unknown }[];
  approvals(filter?: { states?: readonly Approval["state"][]; run?: string }): Promise<readonly Approval[]>;
  /** What became of our own acts, with what they were given. */
  ownActs(): Promise<readonly { readonly name: string; readonly args: string; readonly outcome: string }[]>;
  decide(id: string, decision: Pick<Decision, "state"> & { readonly scope?: "once" | "run" }): Promise<void>;
  /** What is left undecided by one test is not the next one's. */
  clear(): Promise<void>;
}

export function createGround(settings: object = {}, more: object = {}): Ground {
  const ledger = join(mkdtempSync(join(tmpdir(), "person-")), "ledger.jsonl");
  const mcpServers = { counting: server("counting-server", ledger) };
  const coordinator = { approvals: { waitSeconds: 1, ...settings }, ...more };
  const home = createHome(mcpServers, coordinator);
  let read = 0;
  const withStore = async <T>(work: (store: ReturnType<typeof openStore>) => Promise<T>): Promise<T> => {
    const store = openStore(join(home.home, "data"));
    try {
      return await work(store);
    } finally {
      store.close();
    }
  };
  const approvals: Ground["approvals"] = (filter = {}) => withStore((store) => store.approvals.list(filter));
  const configWith: Ground["configWith"] = (rules, preset) =>
    JSON.stringify({ mcpServers, coordinator: { ...coordinator, policy: { rules, ...(preset && { preset }) } } });
  return {
    home,
    approvals,
    configWith,
    govern(rules, preset) {
      writeFileSync(`${home.config}.new`, configWith(rules, preset));
      renameSync(`${home.config}.new`, home.config);
    },
    done() {
      const lines = existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n").filter(Boolean) : [];
      const fresh = lines.slice(read).map((line) => JSON.parse(line));
      read = lines.length;
      return fresh;
    },
    ownActs: () =>
      withStore(async ({ journal }) => {
        const runs = await Promise.all((await journal.listRuns({ limit: 1000 })).map(({ id }) => journal.getRun(id)));
        const calls = runs.flatMap((run) => run?.toolCalls ?? []).filter(({ kind }) => kind === "own");
        return calls.map(({ tool: name, args, outcome }) => ({ name, args, outcome }));
      }),
    async decide(id, { state, scope = "once" }) {
      const decision: Decision =
        state === "approved" ? { state, scope, by: "anna", channel: "cli" } : { state, by: "anna", channel: "cli" };
      await withStore((store) => store.approvals.decide(id, decision));
    },
    async clear() {
      const pending = await approvals({ states: ["pending"] });
      await withStore((store) =>
        store.approvals.void(
          pending.map(({ id }) => id),
          "the test is over",
        ),
      );
    },
  };
}

/** A client whose person answers by `answer`, which tests replace. */
export interface Person extends AsyncDisposable {
  readonly gateway: Connected;
  answer: Answer;
  /** What they were asked since they were asked this last. */
  asked(): readonly Asked[];
  run(language: "typescript" | "python", code: string): ReturnType<Connected["call"]>;
}

export async function connectPerson(ground: Ground, args: string[] = []): Promise<Person> {
  let asked: Asked[] = [];
  const person = { answer: (() => ({ action: "cancel" })) as Answer };
  const gateway = await connect(ground.home, {
    args: ["--toolsets", "code,discovery,runs", ...args],
    capabilities: { elicitation: { form: {} } },
    prepare(client: Client) {
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        const { message, requestedSchema } = params as unknown as {
          readonly message: string;
          readonly requestedSchema: { readonly properties: object };
        };
        const one = { message, fields: Object.keys(requestedSchema.properties) };
        asked.push(one);
        return (await person.answer(one)) as never;
      });
    },
  });
  return Object.assign(person, {
    gateway,
    asked() {
      const these = asked;
      asked = [];
      return these;
    },
    run: (language: "typescript" | "python", code: string) => gateway.call("execute_code", { code, language }),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  });
}
