// Collects the tests that a guest defines and runs them one after the other, in the sandbox. It speaks as much of
// node:test and Deno.test as tests of a file need; Node's own runner is a program around processes, which guests lack.
import type { GuestError } from "../../engine.ts";
import { nodeModule } from "./modules.ts";

interface TestOutcome {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly ms: number;
  readonly error?: GuestError;
}

export interface TestRunner {
  /** What guests import as `node:test`. */
  readonly module: Readonly<Record<string, unknown>>;
  readonly denoTest: unknown;
  /** Runs all that was defined, and what the tests themselves define meanwhile. */
  run(): Promise<{ tests: TestOutcome[] }>;
}

interface Options {
  readonly skip?: unknown;
  readonly todo?: unknown;
  readonly only?: unknown;
  readonly timeout?: number;
}
type Body = (context: unknown, done?: (error?: unknown) => void) => unknown;
type HookName = "before" | "after" | "beforeEach" | "afterEach";

interface Suite {
  readonly name: string;
  readonly above: Suite | undefined;
  readonly options: Options;
  readonly hooks: Record<HookName, Body[]>;
  readonly entries: (Suite | Test)[];
  /** What the suite's own function is still doing. */
  ready: Promise<unknown>;
}
interface Test {
  readonly name: string;
  readonly options: Options;
  readonly body: Body | undefined;
}
interface Storage<Value> {
  run<Result>(value: Value, work: () => Result): Result;
  getStore(): Value | undefined;
}

export function createTestRunner(
  describeError: (thrown: unknown) => GuestError,
  say: (text: string) => void,
): TestRunner {
  const root = createSuite("", undefined, {});
  const { defineTest, defineSuite, hooks } = createDefinitions(root);
  const test = withVariants(defineTest);
  const describe = withVariants(defineSuite);
  const members = { test, it: test, describe, suite: describe, ...hooks };
  const { before: beforeAll, after: afterAll, beforeEach, afterEach } = hooks;
  return {
    module: Object.assign(Object.create(null), { default: Object.assign(test, members), ...members }),
    denoTest: Object.assign(withVariants(defineTest), { beforeAll, afterAll, beforeEach, afterEach }),
    async run() {
      const report = createReport(describeError, say);
      await runSuite(root, [], { isLeftOut: false, onlyChosen: hasChosen(root) }, report);
      return { tests: report.tests };
    },
  };
}

/** What a file's code calls to define its tests: they belong to the suite that is being defined at that moment. */
function createDefinitions(root: Suite) {
  const { AsyncLocalStorage } = nodeModule("node:async_hooks") as {
    AsyncLocalStorage: new <Value>() => Storage<Value>;
  };
  const place = new AsyncLocalStorage<Suite>();
  const here = (): Suite => place.getStore() ?? root;
  const hook = (name: HookName) => (body: Body) => void here().hooks[name].push(body);
  return {
    defineTest(given: unknown[], extra: Options = {}): Promise<void> {
      const { name, options, body } = readArguments(given);
      here().entries.push({ name, options: { ...options, ...extra }, body });
      // Tests run when the file has ended: who waits for one here waits for nothing.
      return Promise.resolve();
    },
    defineSuite(given: unknown[], extra: Options = {}): Promise<void> {
      const { name, options, body } = readArguments(given);
      const suite = createSuite(name, here(), { ...options, ...extra });
      here().entries.push(suite);
      if (body && !suite.options.skip) suite.ready = Promise.resolve(place.run(suite, () => body({ name })));
      suite.ready.catch(() => {}); // told when the suite's turn comes
      return Promise.resolve();
    },
    hooks: {
      before: hook("before"),
      after: hook("after"),
      beforeEach: hook("beforeEach"),
      afterEach: hook("afterEach"),
    },
  };
}

/** How the tests have ended so far, in the order in which they began. */
interface Report {
  readonly tests: TestOutcome[];
  readonly say: (text: string) => void;
  /** Does what a test does, and keeps how that ended. */
  add(name: string, work: () => Promise<unknown>): Promise<void>;
}

function createReport(describeError: (thrown: unknown) => GuestError, say: (text: string) => void): Report {
  const tests: TestOutcome[] = [];
  return {
    tests,
    say,
    async add(name, work) {
      const started = performance.now();
      const at = tests.push({ name, status: "passed", ms: 0 }) - 1;
      const since = () => Math.round((performance.now() - started) * 10) / 10;
      try {
        await work();
        tests[at] = { name, status: "passed", ms: since() };
      } catch (thrown) {
        const isSkip = thrown instanceof Skipped;
        tests[at] = isSkip
          ? { name, status: "skipped", ms: since() }
          : { name, status: "failed", ms: since(), error: describeError(thrown) };
      }
    },
  };
}

async function runSuite(
  suite: Suite,
  path: string[],
  { isLeftOut, onlyChosen }: { readonly isLeftOut: boolean; readonly onlyChosen: boolean },
  report: Report,
): Promise<void> {
  const { tests } = report;
  const failed = async (what: string, work: () => Promise<unknown>): Promise<boolean> => {
    const at = tests.length;
    await report.add([...path, what].join(" > "), work);
    const isFailed = tests[at]?.status === "failed";
    // What went well is not a test of its own.
    if (!isFailed) tests.splice(at, 1);
    return isFailed;
  };
  if (await failed("(suite)", () => suite.ready)) return;
  if (!isLeftOut && (await failed("(before)", () => runAll(suite.hooks.before)))) return;
  // Also those that tests define meanwhile.
  for (const entry of suite.entries) {
    const leftOut = isLeftOut || Boolean(entry.options.skip) || (onlyChosen && !hasChosen(entry));
    if (!isSuite(entry)) await runTest(entry, suite, path, leftOut, report);
    else {
      const which = { isLeftOut: leftOut, onlyChosen: onlyChosen && !entry.options.only };
      await runSuite(entry, [...path, entry.name], which, report);
    }
  }
  if (!isLeftOut) await failed("(after)", () => runAll(suite.hooks.after));
}

async function runTest(test: Test, suite: Suite, path: string[], isLeftOut: boolean, report: Report): Promise<void> {
  const name = [...path, test.name].join(" > ");
  const { body, options } = test;
  if (isLeftOut || options.skip || options.todo || !body) {
    report.tests.push({ name, status: "skipped", ms: 0 });
    return;
  }
  const suites = lineOf(suite);
  await report.add(name, async () => {
    const after: Body[] = [];
    try {
      for (const { hooks } of suites) await runAll(hooks.beforeEach);
      const context = createContext(test, suite, path, after, report);
      await withTimeout(options.timeout, () => call(body, context));
    } finally {
      await runAll(after);
      for (const { hooks } of suites.toReversed()) await runAll(hooks.afterEach);
    }
  });
}

/** What a test's function is given. */
function createContext({ name }: Test, suite: Suite, path: string[], after: Body[], report: Report) {
  const { tests, say } = report;
  const below = async (...given: unknown[]): Promise<boolean> => {
    const test = readArguments(given);
    const at = tests.length;
    await runTest(test, suite, [...path, name], false, report);
    const failed = tests.slice(at).find(({ status }) => status === "failed");
    if (failed) throw new Error(`its part "${test.name}" failed`);
    return true;
  };
  const skip = () => {
    throw new Skipped();
  };
  return {
    name,
    signal: new AbortController().signal,
    test: below,
    step: below,
    skip,
    todo: skip,
    diagnostic: (text: unknown) => say(String(text)),
    after: (body: Body) => void after.push(body),
  };
}

class Skipped extends Error {}

function createSuite(name: string, above: Suite | undefined, options: Options): Suite {
  const hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
  return { name, above, options, hooks, entries: [], ready: Promise.resolve() };
}

function isSuite(entry: Suite | Test): entry is Suite {
  return "entries" in entry;
}

/** Whether it, or something in it, is marked as the only one to run. */
function hasChosen(entry: Suite | Test): boolean {
  return Boolean(entry.options.only) || (isSuite(entry) && entry.entries.some(hasChosen));
}

function lineOf(suite: Suite): Suite[] {
  return suite.above ? [...lineOf(suite.above), suite] : [suite];
}

/** `test(name, options, fn)` with any of them left out, and Deno's `test({ name, fn, ignore })`. */
function readArguments(given: unknown[]): Test {
  const body = given.find((value): value is Body => typeof value === "function");
  const object = (given.find((value) => typeof value === "object" && value !== null) ?? {}) as Options & {
    name?: unknown;
    fn?: Body;
    ignore?: unknown;
  };
  const run = body ?? object.fn;
  const name = given.find((value) => typeof value === "string") ?? object.name ?? run?.name;
  return { name: String(name || "<anonymous>"), options: { ...object, skip: object.skip ?? object.ignore }, body: run };
}

function withVariants(define: (given: unknown[], extra?: Options) => Promise<void>) {
  const variant =
    (extra: Options) =>
    (...given: unknown[]) =>
      define(given, extra);
  return Object.assign((...given: unknown[]) => define(given), {
    skip: variant({ skip: true }),
    ignore: variant({ skip: true }),
    todo: variant({ todo: true }),
    only: variant({ only: true }),
  });
}

async function runAll(bodies: readonly Body[]): Promise<void> {
  for (const body of bodies) await call(body, {});
}

/** A function with a second parameter says by calling it that it is done. */
function call(body: Body, context: unknown): Promise<unknown> {
  if (body.length < 2) return Promise.resolve().then(() => body(context));
  return new Promise((resolve, reject) => {
    Promise.resolve(body(context, (error) => (error ? reject(error) : resolve(undefined)))).catch(reject);
  });
}

async function withTimeout(timeoutMs: number | undefined, work: () => Promise<unknown>): Promise<unknown> {
  if (timeoutMs === undefined || !Number.isFinite(timeoutMs)) return work();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the test took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
