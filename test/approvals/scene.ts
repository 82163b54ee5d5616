import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import type { Approval, Decision } from "../../src/approvals/approval.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { type Connected, connect, createHome, server } from "../gateway/connect.ts";

// A client of a coordinator whose rules have a person asked, and a server that writes down what it is asked to do.

export const elicitation = { elicitation: { form: {} } };
export const rules = [
  { id: "mail", match: { tool: "send_*" }, action: "ask", reason: "mail leaves the company" },
  { id: "files", match: { tool: "delete_*" }, action: "ask" },
];
export const mail = (to: string) => `await ledger.send_mail({ to: ${JSON.stringify(to)} })`;
export const typescript = (code: string) => ({ code: `import * as ledger from "mcp_tools/ledger";\n${code}` });
export const python = (code: string) => ({ language: "python", code: `from mcp_tools import ledger\n${code}` });

type Content = Record<string, string>;
interface Asked {
  readonly message: string;
  readonly fields: readonly string[];
  readonly required: unknown;
}

export interface Scene extends AsyncDisposable {
  readonly coordinator: Connected;
  readonly asked: readonly Asked[];
  /** What the server has been made to do. */
  done(): readonly { readonly tool: string; readonly args: unknown }[];
  /** What waits, once so many do. */
  pending(count: number): Promise<readonly Approval[]>;
  decide(approval: Approval, decision: Pick<Decision, "state"> & { readonly scope?: "once" | "run" }): Promise<void>;
  /** How many calls of a run are in the journal, and were refused. */
  journal(run: string): Promise<{ readonly calls: number; readonly refused: number }>;
  readonly config: string;
  readonly home: string;
}

type Answer = { readonly action: "accept" | "decline" | "cancel"; readonly content?: Content };
export type Answering = (asked: Asked) => Answer | Promise<Answer>;

export async function open(
  answering: Answering | undefined,
  { settings = {}, modern = false, policy = { rules } as object, more = {}, toolsets = "code" } = {},
): Promise<Scene> {
  const asked: Asked[] = [];
  const folder = mkdtempSync(join(tmpdir(), "ledger-"));
  const file = join(folder, "ledger.jsonl");
  const made = createHome({ ledger: server("ledger-server", file) }, { policy, approvals: settings, ...more });
  const { home } = made;
  const coordinator = await connect(made, {
    modern,
    args: ["--toolsets", toolsets],
    capabilities: answering ? elicitation : {},
    prepare(client: Client) {
      if (!answering) return;
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        const { message, requestedSchema } = params as unknown as {
          message: string;
          requestedSchema: { properties: object; required: unknown };
        };
        const one = { message, fields: Object.keys(requestedSchema.properties), required: requestedSchema.required };
        asked.push(one);
        return answering(one);
      });
    },
  });
  const withStore = async <T>(work: (store: ReturnType<typeof openStore>) => Promise<T>): Promise<T> => {
    const store = openStore(join(home, "data"));
    try {
      return await work(store);
    } finally {
      store.close();
    }
  };
  return {
    coordinator,
    asked,
    ...made,
    done: () =>
      existsSync(file)
        ? readFileSync(file, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        : [],
    async pending(count) {
      for (;;) {
        const found = await withStore((store) => store.approvals.list({ states: ["pending"] }));
        if (found.length >= count) return found;
        await delay(20);
      }
    },
    async decide({ id }, decision) {
      const whole = { scope: "once", ...decision, by: "anna", channel: "cli" } as Decision;
      await withStore((store) => store.approvals.decide(id, whole));
    },
    journal: (run) =>
      withStore(async (store) => {
        const { calls = 0, toolCalls = [] } = (await store.journal.getRun(run)) ?? {};
        return { calls, refused: toolCalls.filter(({ outcome }) => outcome === "refused").length };
      }),
    [Symbol.asyncDispose]: () => coordinator[Symbol.asyncDispose](),
  };
}

export const textOf = ({ content }: { content: readonly unknown[] }) => (content[0] as { text: string }).text;
