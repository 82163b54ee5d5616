import { CoordinatorError } from "../errors.ts";

// What a thread that watches this one shares with it: see cli/process/watchdog.ts. Without one, nothing here does anything.

/** The beats of this thread's heart, and how often what it was doing has been ended from outside. */
export const pulse = new Int32Array(new SharedArrayBuffer(8));
export const beats = 0;
export const endings = 1;

/** Where in this thread a watchdog asks what stands. */
export const standingKey = "mcp-coordinator.standing";
const mark = "operation ";

interface UnderWay {
  readonly name: string;
  reject(error: CoordinatorError): void;
}

const underWay = new Map<number, UnderWay>();
const due: (() => void)[] = [];
let isWatched = false;
let last = 0;

/** From now on, what is done as `watched` can be ended from outside. */
export function beWatched(): void {
  isWatched = true;
  Object.defineProperty(globalThis, Symbol.for(standingKey), { value: standing, configurable: true });
}

/** Does a piece of work that is told by its name, and rejected, when this thread stands still in the middle of it. */
export function watched<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  if (!isWatched) return work();
  return new Promise((resolve, reject) => {
    const id = ++last;
    const label = `${mark}${name} #${id}`;
    // Its name is on the stack, also where it goes on after an await.
    const named = { [label]: async () => await work() }[label] as () => Promise<Result>;
    const settle =
      <Value>(how: (value: Value) => void) =>
      (value: Value) => {
        underWay.delete(id);
        how(value);
      };
    underWay.set(id, { name, reject });
    // On a stack of its own: those who wait for it are not ended with it. Of all such stacks, Node survives that of a tick best.
    due.push(() => void named().then(settle(resolve), settle(reject)));
    if (due.length === 1) process.nextTick(startDue);
  });
}

function startDue(): void {
  for (let start = due.shift(); start; start = due.shift()) start();
}

/** The number and name of what this thread is in the middle of. Called from outside, on top of whatever that is. */
function standing(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const [, name, id] = /operation (\S+) #(\d+)/.exec(stack) ?? [];
  return name === undefined ? "" : `${id} ${name}`;
}

/** What was ended never settles by itself: those who wait for it are told here, and what was behind it goes on. */
export function tellEnded(id: number, seconds: number): void {
  if (due.length > 0) process.nextTick(startDue);
  const ended = underWay.get(id);
  underWay.delete(id);
  ended?.reject(
    new CoordinatorError(
      "host_stalled",
      `The host stood still for ${seconds} s in ${ended.name}; it was ended. Whether anything happened is not known`,
      { hint: "Look at what it was to change before doing it again, and give it less to do at a time." },
    ),
  );
}

/** Grows whenever something was ended in the middle: neither `catch` nor `finally` has run there. */
export function endedCount(): number {
  return Atomics.load(pulse, endings);
}
