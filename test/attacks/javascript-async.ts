import { attempts } from "./javascript-attempt.ts";
import type { Row } from "./row.ts";

const language = "typescript";

/** 1B: promises, async functions and generators. */
export const asyncRows: readonly Row[] = [
  {
    id: "J031",
    language,
    title: "then and Promise.resolve replaced while the harness waits for the guest's promise",
    expect: ["ok", "E", "T"],
    timeout: 2,
    code: `${attempts}
      import { echo } from "mcp_tools/attack";
      const caught: any[] = []; const original = Promise.prototype.then;
      Promise.prototype.then = function (this: any, ...given: any[]) { caught.push(...given); return (original as any).apply(this, given) } as any;
      (Promise as any).resolve = (value: any) => { caught.push(value); return new Promise((resolve) => resolve(value)) };
      await attempt("echo", () => echo({ a: 1 }));
      for (const found of caught.slice(0, 50)) await attempt("found", () => [loot(found), String(found).slice(0, 80), loot(found?.constructor?.constructor("return process")())]);
      for (const found of caught.slice(0, 50)) if (typeof found === "function") try { found({ type: "done", value: "forged" }) } catch {}
      out`,
  },
  {
    id: "J032",
    language,
    title: "an own species on the promise of a tool call",
    expect: "ok",
    code: `${attempts}
      import { echo, fail } from "mcp_tools/attack";
      for (const tool of [echo, fail]) {
        const caught: any[] = [];
        const promise: any = tool({ a: 1 });
        promise.constructor = { [Symbol.species]: function (executor: any) { executor((v: any) => caught.push(v), (e: any) => caught.push(e)) } };
        await attempt("then", () => { promise.then(); promise.catch(); promise.finally() });
        await new Promise((resolve) => setTimeout(resolve, 50));
        for (const found of caught) await attempt("found", () => [loot(found), loot(found?.constructor?.constructor("return process")())]);
        await promise.then(undefined, () => {});
      }
      out`,
  },
  {
    id: "J034",
    language,
    title: "Promise.all and its sisters with a hostile constructor",
    expect: "ok",
    code: `${attempts}
      import { echo, fail } from "mcp_tools/attack";
      const caught: any[] = [];
      function Hostile(this: any, executor: any) { executor((v: any) => caught.push(v), (e: any) => caught.push(e)) }
      (Hostile as any).resolve = (value: any) => { caught.push(value); return { then: (f: any, r: any) => { caught.push(f, r); f?.(value) } } };
      for (const name of ["all", "race", "any", "allSettled", "try", "withResolvers", "reject", "resolve"])
        await attempt(name, () => { void (Promise as any)[name].call(Hostile, [echo({}), fail({}).catch((e: unknown) => e)]) });
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const found of caught) await attempt("found", () => loot(found?.constructor?.constructor("return process")()));
      out.slice(0, 40)`,
  },
  {
    id: "J035",
    language,
    title: "a promise made by Reflect.construct with a hostile prototype",
    expect: ["ok", "E", "T"],
    timeout: 2,
    code: {
      "hostile then": `function T() {} Object.defineProperty(T, "prototype", { value: { then(r: any) { r({ got: (globalThis as any).process?.env?.[%ENV%] ?? null }) }, constructor: T } }); const p: any = Reflect.construct(Promise, [(r: any) => r(1)], T); p`,
      "no prototype": `function T() {} T.prototype = null as any; const p: any = Reflect.construct(Promise, [(r: any) => r(1)], T); p`,
      "proxy target": `const T = new Proxy(function () {}, { get: (t: any, k) => (k === "prototype" ? { then: null } : t[k]) }); Reflect.construct(Promise, [(r: any) => r(1)], T)`,
    },
  },
  {
    id: "J037",
    language,
    title: "a thenable as result",
    expect: ["ok", "E", "T"],
    timeout: 1,
    code: {
      resolves: { steps: "({ then(r: any) { r('value') } })", expect: "ok", returns: "value" },
      never: { steps: "({ then() {} })", expect: "T" },
      twice: { steps: "({ then(r: any) { r(1); r(2) } })", expect: "ok", returns: 1 },
      later: { steps: "({ then(r: any) { setTimeout(() => r('later'), 100) } })", expect: "ok", returns: "later" },
      throws: { steps: "({ then() { throw new Error('no') } })", expect: "E" },
      itself: { steps: "const t: any = { then(r: any) { r(t) } }; t", expect: ["T", "E", "L"] },
    },
  },
  {
    id: "J038",
    language,
    title: "a then that is a getter with effects, and thenables 10,000 deep",
    expect: ["ok", "E", "T"],
    timeout: 2,
    code: {
      getter: "let n = 0; ({ get then() { n++; console.log(n); return undefined }, n: 1 })",
      "getter that throws": "({ get then() { throw new Error('got') } })",
      "getter that loops": { steps: "({ get then() { for (;;); } })", expect: "T" },
      nested: "let t: any = 'deep'; for (let i = 0; i < 1e4; i++) { const u = t; t = { then(r: any) { r(u) } } } t",
    },
  },
  {
    id: "J040",
    language,
    title: "rejections that nobody handles",
    expect: ["E", "ok"],
    code: {
      "beside the result": { steps: "Promise.reject(new Error('beside')); 1", expect: "E" },
      "in an executor": { steps: "new Promise(() => { throw new Error('executor') }); 1", expect: "E" },
      "in a timer": {
        steps: "setTimeout(() => { throw new Error('timer') }); await new Promise((r) => setTimeout(r, 100))",
        expect: "E",
      },
      "after the result": "setTimeout(() => Promise.reject(new Error('after')), 0); 1",
      "with a hostile reason": {
        steps: "Promise.reject(new Proxy({}, { get() { throw 1 } })); await new Promise((r) => setTimeout(r, 50)); 1",
        expect: "E",
      },
      "a thousand": {
        steps: "for (let i = 0; i < 1000; i++) Promise.reject(i); await new Promise((r) => setTimeout(r, 50)); 1",
        expect: "E",
      },
      "handled by the guest":
        "(globalThis as any).addEventListener('unhandledrejection', (e: any) => { e.stopImmediatePropagation(); e.preventDefault() }); Promise.reject(1); await new Promise((r) => setTimeout(r, 50)); 'swallowed'",
    },
  },
  {
    id: "J041",
    language,
    title: "microtasks without end",
    expect: "T",
    timeout: 1,
    code: {
      queueMicrotask: "const f = () => queueMicrotask(f); f(); await new Promise(() => {})",
      promises: "for (;;) await null",
      nextTick: "const f = () => (process as any).nextTick(f); f(); await new Promise(() => {})",
    },
  },
  {
    id: "J043",
    language,
    title: "calling tools after the result",
    expect: ["ok", "E"],
    code: {
      "from a timer": `import { call } from "mcp_tools/attack"; setTimeout(() => { call("late") }, 60); "result"`,
      "from an interval": `import { call } from "mcp_tools/attack"; let n = 0; setInterval(() => { if (++n > 5) call("late") }, 20); "result"`,
      "by forging the end first": `
        import { call } from "mcp_tools/attack";
        const json = JSON.stringify({ type: "done", value: "early" }), body = new TextEncoder().encode(json), frame = new Uint8Array(4 + body.length);
        new DataView(frame.buffer).setUint32(0, body.length); frame.set(body, 4);
        (globalThis as any).Deno.stdout.writeSync(frame); for (let i = 0; i < 3e8; i++); call("late"); await new Promise(() => {})`,
    },
    timeout: 3,
  },
  {
    id: "J044",
    language,
    title: "hooks for the end of the process",
    expect: ["ok", "E"],
    code: {
      "process events": `import { call } from "mcp_tools/attack"; const p: any = process; for (const name of ["exit", "beforeExit", "uncaughtException", "unhandledRejection", "SIGTERM", "SIGINT"]) try { p.on(name, () => { call("late"); for (;;); }) } catch {} 1`,
      "window events": `import { call } from "mcp_tools/attack"; const g: any = globalThis; for (const name of ["unload", "beforeunload", "error", "unhandledrejection"]) g.addEventListener(name, (e: any) => { e.preventDefault(); call("late"); for (;;); }); g.onunload = () => call("late"); 1`,
      "and an exit": `const p: any = process; p.on("exit", () => { for (;;); }); p.exit(0)`,
      "and a real exit": {
        steps: `const p: any = process; p.on("exit", () => { for (;;); }); p.reallyExit(0)`,
        expect: ["ok", "E", "T"],
      },
    },
    timeout: 2,
  },
];
