import type { ToolName } from "../../actor.ts";
import { observedSchema } from "../../catalog/observed-schema.ts";
import { mergeShapes, type ObservedShape, observe, withinBounds } from "../../catalog/observed-shape.ts";
import { driftBetween } from "../../catalog/shape-drift.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import type { ObservedResults } from "../../store/observed-results.ts";
import { heavyWork } from "../heavy-work.ts";
import type { Libraries } from "./libraries.ts";

/** What results of tools without an output schema look like: learned from calls, shown to people and models. */
export interface Observations {
  /** Takes note of a result, given as JSON text. Returns at once; looks at it later, and not at every one of many. */
  learn(call: ToolName & { readonly run: string }, result: string): void;
  /** The library with what was observed, for whoever reads it. The check before a run must not get this one. */
  shown(library: Library): Library;
  /** How results of the run differed from those before, in a way that matters to programs; each difference is told once. */
  takeDrift(run: string): readonly string[];
  /** Writes what waits. */
  flush(): void;
}

export interface ObservationsOptions {
  readonly libraries: Pick<Libraries, "peek" | "identity">;
  readonly store: ObservedResults;
}

/** A tool's first results are all looked at; later ones when this long has passed since the last. */
const firstResults = 5;
const pauseMs = 250;
/** Longer ones take a while to read: only when nothing is known of the tool, up to the second limit, and in another thread. */
const usualLength = 1_000_000;
const maxLength = 16_000_000;
/** Results that change nothing but the count are written together. */
const writeEvery = 20;
const mostWaiting = 100;
/** So long others wait for it at most. */
const sliceMs = 20;
const mostRuns = 200;
const mostTools = 5000;

/** What this process knows of one tool. */
interface Learned {
  readonly identity: string;
  readonly server: string;
  readonly tool: string;
  known: ObservedShape | undefined;
  /** Not yet written. */
  pending: ObservedShape | undefined;
  looked: number;
  lastLook: number;
}

interface Waiting {
  readonly learned: Learned;
  readonly run: string;
  readonly result: string;
}

export function createObservations({ libraries, store }: ObservationsOptions): Observations {
  const tools = new Map<string, Learned>();
  const drifts = new Map<string, string[]>();
  let waiting: Waiting[] = [];

  const learnedOf = ({ server, tool }: ToolName): Learned => {
    const identity = libraries.identity(server);
    const key = `${identity} ${tool}`;
    let learned = tools.get(key);
    if (!learned) {
      forgetSome();
      const known = store.shapeOf(identity, tool) as ObservedShape | undefined;
      learned = { identity, server, tool, known, pending: undefined, looked: 0, lastLook: 0 };
      tools.set(key, learned);
    }
    return learned;
  };

  /** Of a server whose tools have other names at every list, the oldest are not asked for again. */
  const forgetSome = (): void => {
    if (tools.size < mostTools) return;
    for (const [key, learned] of [...tools].slice(0, mostTools / 2)) {
      attempt(() => write(learned));
      tools.delete(key);
    }
  };

  const write = (learned: Learned, run?: string): void => {
    const { pending, identity, server, tool } = learned;
    if (!pending) return;
    learned.pending = undefined;
    store.change(identity, tool, (kept) => {
      const known = kept as ObservedShape | undefined;
      const breaking = known ? driftBetween(known, pending).breaking : [];
      learned.known = withinBounds(known ? mergeShapes(known, pending) : pending);
      if (run !== undefined && breaking.length > 0) tell(run, `${server}.${tool}: ${breaking.join("; ")}`);
      return { shape: learned.known, drift: breaking.join("; ") || undefined };
    });
  };

  const tell = (run: string, drift: string): void => {
    const [oldest] = drifts.keys();
    if (drifts.size >= mostRuns && oldest !== undefined) drifts.delete(oldest);
    drifts.set(run, [...(drifts.get(run) ?? []), drift]);
  };

  const look = ({ learned, run, result }: Waiting): void => take(learned, run, observe(JSON.parse(result)));

  const take = (learned: Learned, run: string, seen: ObservedShape): void => {
    learned.pending = learned.pending ? mergeShapes(learned.pending, seen) : seen;
    const { breaking, added } = learned.known ? driftBetween(learned.known, seen) : { breaking: [], added: [""] };
    if (breaking.length + added.length > 0 || learned.pending.seen >= writeEvery) write(learned, run);
  };

  const lookElsewhere = ({ learned, run, result }: Waiting): void => {
    const looking = heavyWork("observe", () => ({ text: result }), { turn: run });
    looking.then((seen) => seen && attempt(() => take(learned, run, seen))).catch(() => {}); // the next is as good
  };

  /** Later, and a little at a time: each may write to the disk. */
  const lookAtSome = (): void => {
    const end = performance.now() + sliceMs;
    while (performance.now() < end) {
      const one = waiting.shift();
      if (!one) return;
      attempt(() => look(one));
    }
    if (waiting.length > 0) setImmediate(lookAtSome);
  };

  const lookAtAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const one of all) attempt(() => look(one));
  };

  const observations: Observations = {
    learn({ run, server, tool }, result) {
      const declared = libraries.peek(server)?.tools.get(tool);
      if (!declared || declared.outputSchema !== undefined || waiting.length >= mostWaiting) return;
      attempt(() => {
        const learned = learnedOf({ server, tool });
        const now = performance.now();
        if (learned.looked >= firstResults && now - learned.lastLook < pauseMs) return;
        if (result.length > (learned.known || learned.looked > 0 ? usualLength : maxLength)) return;
        learned.looked++;
        learned.lastLook = now;
        if (result.length > usualLength) return lookElsewhere({ learned, run, result });
        if (waiting.length === 0) setImmediate(lookAtSome);
        waiting.push({ learned, run, result });
      });
    },
    shown(library) {
      observations.flush();
      const known = store.of(libraries.identity(library.server));
      if (known.size === 0) return library;
      return { ...library, tools: library.tools.map((tool) => withObserved(tool, known.get(tool.name)?.shape)) };
    },
    takeDrift(run) {
      lookAtAll();
      const told = drifts.get(run) ?? [];
      drifts.delete(run);
      return told;
    },
    flush() {
      lookAtAll();
      for (const learned of tools.values()) attempt(() => write(learned));
    },
  };
  return observations;
}

function withObserved(tool: Tool, shape: unknown): Tool {
  if (shape === undefined || tool.outputSchema !== undefined) return tool;
  const { seen } = shape as ObservedShape;
  return { ...tool, observed: { results: seen, schema: observedSchema(shape as ObservedShape) } };
}

/** A call has its result, whether or not something can be learned from it: the disk may be full. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The next result is as good.
  }
}
