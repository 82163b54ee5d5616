import { type Approval, mostOfRun } from "../../../src/approvals/approval.ts";
import type { ApprovalStore, AskedQuestion } from "../../../src/approvals/approval-store.ts";

type Kept = Approval & { readonly principal: string };

/** What the approvals of all owners share. */
export function keptApprovals() {
  return {
    rows: new Map<string, Kept>(),
    questions: new Map<string, AskedQuestion & { readonly principal: string }>(),
    listeners: new Set<() => void>(),
  };
}

export function createApprovalsInMemory({ shared: kept = keptApprovals(), principal = "local" } = {}): ApprovalStore {
  const { rows: shared, questions, listeners } = kept;
  const own = () => [...shared.values()].filter((one) => one.principal === principal);
  const without = ({ principal: _whose, ...approval }: Kept): Approval => approval;
  const change = (one: Kept, to: Partial<Approval>) => {
    shared.set(one.id, { ...one, ...to });
    for (const listener of [...listeners]) listener();
  };
  const fresh = {
    state: "pending",
    uses: 0,
    most: 1,
    scope: undefined,
    decidedAt: undefined,
    decidedBy: undefined,
    channel: undefined,
    note: undefined,
  } as const;
  return {
    async ask(asked) {
      if (asked.some(({ id }) => shared.has(id))) throw new Error("there is one of that id");
      for (const one of asked) shared.set(one.id, { ...one, ...fresh, principal });
    },
    async get(id) {
      const found = own().find((one) => one.id === id);
      return found && without(found);
    },
    async list({ states, run, prefix = "", limit = 1000 }) {
      const found = own()
        .filter(({ state }) => states?.includes(state) ?? true)
        .filter((one) => run === undefined || one.run === run)
        .filter(({ id }) => id.startsWith(prefix));
      return found
        .sort((left, right) => left.askedAt - right.askedAt)
        .slice(0, limit)
        .map(without);
    },
    async decide(id, { by: decidedBy, channel, ...said }) {
      const found = own().find((one) => one.id === id);
      if (!found) return undefined;
      const isFirst = found.state === "pending" && found.expiresAt > Date.now();
      const most = said.state === "approved" && said.scope === "run" ? mostOfRun : 1;
      if (isFirst) change(found, { ...said, most, decidedBy, channel, decidedAt: Date.now() });
      return { approval: without(shared.get(id) ?? found), isFirst };
    },
    async void(ids, note) {
      const open = own().filter(({ id, state }) => ids.includes(id) && ["pending", "approved"].includes(state));
      for (const one of open) change(one, { state: "void", note });
      return open.map(({ id }) => id);
    },
    async keepQuestion(state, question) {
      questions.set(state, { ...question, principal });
    },
    async takeQuestion(state, fingerprint) {
      const found = questions.get(state);
      const isTheirs = found?.principal === principal && found.fingerprint === fingerprint;
      if (!isTheirs || found.expiresAt <= Date.now()) return undefined;
      questions.delete(state);
      const { principal: _whose, ...question } = found;
      return question;
    },
    async expire(now) {
      const over = own().filter((one) => ["pending", "approved"].includes(one.state) && one.expiresAt <= now);
      for (const one of over) change(one, { state: "expired" });
      return over.map(({ id }) => id);
    },
    watch(onChange) {
      const listener = () => onChange();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
