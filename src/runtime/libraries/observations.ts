import { setImmediate } from "node:timers/promises";
import type { ToolName } from "../../actor.ts";
import { observedSchema } from "../../catalog/observed-schema.ts";
import { mergeShapes, type ObservedShape, observe, withinBounds } from "../../catalog/observed-shape.ts";
import { driftBetween } from "../../catalog/shape-drift.ts";
import type { Library, Tool } from "../../catalog/tool.ts";
import { dataOrText } from "../../sandbox/text-as-data.ts";
import { keepRecent } from "../../system/keep-recent.ts";
import { heavyWork } from "../heavy-work.ts";
import { lengthOf, type Unwrapped } from "../results/unwrap.ts";
import type { Libraries } from "./libraries.ts";
import type { ObservedResults } from "./observed-results.ts";

/** What results of tools without an output schema look like: learned from calls, shown to people and models. */
export interface Observations {
  /** Takes note of a result. Returns at once; looks at it later, and not at every one of many. */
  learn(call: ToolName & { readonly run: string }, result: Unwrapped): void;
  /** The library with what was observed, for its readers. The check before a run must not get this one. */
  shown(library: Library): Promise<Library>;
  /** How results of the run differed from those before, in a way that matters to programs; each difference is told once. */
  takeDrift(run: string): Promise<readonly string[]>;
  /** Writes what waits. */
  flush(): Promise<void>;
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
  /** What is kept of it; read before the first look. */
  known: Promise<ObservedShape | undefined>;
  /** Not yet written. */
  pending: ObservedShape | undefined;
  looked: number;
  lastLook: number;
}

interface Waiting {
  readonly learned: Learned;
  readonly run: string;
  readonly result: Unwrapped;
}

export function createObservations({ libraries, store }: ObservationsOptions): Observations {
  const drifts = createDrifts();
  const notebook = createNotebook(store, drifts.tell);
  const waiting: Waiting[] = [];
  let looking = Promise.resolve();

  const look = async ({ learned, run, result }: Waiting): Promise<void> => {
    if (lengthOf(result) <= usualLength) return notebook.take(learned, run, observe(dataOf(result)));
    if (await learned.known) return;
    const text = "text" in result ? result.text : result.value;
    const seeing = heavyWork("observe", () => ({ text }), { turn: run });
    seeing.then((seen) => seen && notebook.take(learned, run, seen)).catch(() => {}); // the next is as good
  };
  /** Later, and a little at a time: each may write to the disk. */
  const lookAtAll = (): Promise<void> => {
    looking = looking.then(async () => {
      let end = performance.now() + sliceMs;
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        await attempt(look(one));
        if (performance.now() < end) continue;
        await setImmediate();
        end = performance.now() + sliceMs;
      }
    });
    return looking;
  };
  const flush = async (): Promise<void> => {
    await lookAtAll();
    await notebook.flush();
  };

  return {
    learn({ run, server, tool }, result) {
      const declared = libraries.peek(server)?.tools.get(tool);
      if (!declared || declared.outputSchema !== undefined || waiting.length >= mostWaiting) return;
      const learned = notebook.page(libraries.identity(server), { server, tool });
      const now = performance.now();
      if (learned.looked >= firstResults && now - learned.lastLook < pauseMs) return;
      if (lengthOf(result) > (learned.looked > 0 ? usualLength : maxLength)) return;
      learned.looked++;
      learned.lastLook = now;
      if (waiting.length === 0) void setImmediate().then(lookAtAll);
      waiting.push({ learned, run, result });
    },
    async shown(library) {
      await flush();
      const known = await store.of(libraries.identity(library.server));
      if (known.size === 0) return library;
      return { ...library, tools: library.tools.map((tool) => withObserved(tool, known.get(tool.name)?.shape)) };
    },
    async takeDrift(run) {
      if (waiting.length > 0) void lookAtAll();
      await looking;
      return drifts.take(run);
    },
    flush,
  };
}

function dataOf(result: Unwrapped): unknown {
  return "text" in result ? dataOrText(result.text) : JSON.parse(result.value);
}

/** What was learned of tools, a page each, and written when there is something to write. */
function createNotebook(store: ObservedResults, tell: (run: string, drift: string) => void) {
  const pages = new Map<string, Learned>();

  const write = async (learned: Learned, run?: string): Promise<void> => {
    const { pending, identity, server, tool } = learned;
    if (!pending) return;
    learned.pending = undefined;
    await store.change(identity, tool, (kept) => {
      const known = kept as ObservedShape | undefined;
      const breaking = known ? driftBetween(known, pending).breaking : [];
      const shape = withinBounds(known ? mergeShapes(known, pending) : pending);
      learned.known = Promise.resolve(shape);
      if (run !== undefined && breaking.length > 0) tell(run, `${server}.${tool}: ${breaking.join("; ")}`);
      return { shape, drift: breaking.join("; ") || undefined };
    });
  };
  /** Of a server whose tools have other names at every list, the oldest are not asked for again. */
  const forgetSome = (): void => {
    if (pages.size < mostTools) return;
    for (const [key, learned] of [...pages].slice(0, mostTools / 2)) {
      void attempt(write(learned));
      pages.delete(key);
    }
  };
  return {
    page(identity: string, { server, tool }: ToolName): Learned {
      const key = `${identity} ${tool}`;
      const known = pages.get(key);
      if (known) return known;
      forgetSome();
      const kept = store.shapeOf(identity, tool) as Promise<ObservedShape | undefined>;
      kept.catch(() => pages.delete(key)); // the next result asks again
      const page: Learned = { identity, server, tool, known: kept, pending: undefined, looked: 0, lastLook: 0 };
      pages.set(key, page);
      return page;
    },
    async take(learned: Learned, run: string, seen: ObservedShape): Promise<void> {
      const known = await learned.known;
      learned.pending = learned.pending ? mergeShapes(learned.pending, seen) : seen;
      const { breaking, added } = known ? driftBetween(known, seen) : { breaking: [], added: [""] };
      if (breaking.length + added.length > 0 || learned.pending.seen >= writeEvery) await write(learned, run);
    },
    async flush(): Promise<void> {
      for (const learned of pages.values()) await attempt(write(learned));
    },
  };
}

/** By run, until somebody takes them; those of runs that nobody asks about go. */
function createDrifts() {
  const drifts = new Map<string, string[]>();
  return {
    tell(run: string, drift: string): void {
      keepRecent(drifts, run, [...(drifts.get(run) ?? []), drift], mostRuns);
    },
    take(run: string): readonly string[] {
      const told = drifts.get(run) ?? [];
      drifts.delete(run);
      return told;
    },
  };
}

function withObserved(tool: Tool, shape: unknown): Tool {
  if (shape === undefined || tool.outputSchema !== undefined) return tool;
  const { seen } = shape as ObservedShape;
  return { ...tool, observed: { results: seen, schema: observedSchema(shape as ObservedShape) } };
}

/** A call has its result, whether or not something can be learned from it: the disk may be full. */
async function attempt(work: Promise<void>): Promise<void> {
  await work.catch(() => {}); // the next result is as good
}
