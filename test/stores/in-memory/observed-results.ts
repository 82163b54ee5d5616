import type { ObservedResults } from "../../../src/runtime/libraries/observed-results.ts";

interface Kept {
  readonly shape: string;
  readonly drift: { readonly at: number; readonly text: string } | undefined;
}

export function createObservedInMemory(): ObservedResults {
  const servers = new Map<string, Map<string, Kept>>();
  const shapeOf = (identity: string, tool: string): unknown => {
    const kept = servers.get(identity)?.get(tool);
    return kept && JSON.parse(kept.shape);
  };
  return {
    async of(identity) {
      const tools = [...(servers.get(identity) ?? [])];
      return new Map(
        tools.map(([tool, { shape, drift }]) => [tool, { shape: JSON.parse(shape), ...(drift && { drift }) }]),
      );
    },
    shapeOf: async (identity, tool) => shapeOf(identity, tool),
    async change(identity, tool, change) {
      const { shape, drift } = change(shapeOf(identity, tool));
      const tools = servers.get(identity) ?? new Map<string, Kept>();
      const last = drift === undefined ? tools.get(tool)?.drift : { at: Date.now(), text: drift };
      servers.set(identity, tools.set(tool, { shape: JSON.stringify(shape), drift: last }));
    },
  };
}
