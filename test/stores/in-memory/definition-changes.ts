import type {
  DefinitionChanges,
  NoticedChange,
  UntoldChange,
} from "../../../src/runtime/libraries/definition-changes.ts";

interface Noted {
  readonly identity: string;
  readonly number: number;
  readonly change: NoticedChange;
  isTold: boolean;
}

export function createChangesInMemory(): DefinitionChanges {
  const noted: Noted[] = [];
  return {
    async note(identity, changes) {
      for (const { tool, kind, parts, diff } of changes) {
        const change = { tool, kind, parts: [...parts], diff, at: Date.now() };
        noted.push({ identity, number: noted.length + 1, change, isTold: false });
      }
    },
    of: async (identity) => noted.flatMap((one) => (one.identity === identity ? [one.change] : [])).reverse(),
    async untold(identities) {
      const wanted = new Set(identities);
      const found = new Map<string, UntoldChange[]>();
      for (const { identity, number, change, isTold } of noted) {
        if (isTold || !wanted.has(identity)) continue;
        found.set(identity, [...(found.get(identity) ?? []), { ...change, number }]);
      }
      return found;
    },
    async markTold(changes) {
      const told = new Set(changes.map(({ number }) => number));
      for (const one of noted) one.isTold ||= told.has(one.number);
    },
  };
}
