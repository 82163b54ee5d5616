import { attempts } from "./javascript-attempt.ts";
import { approvedGlobals } from "./javascript-globals.ts";
import type { Row } from "./row.ts";

const language = "typescript";

/** 1A: reaching the host's realm through objects. */
export const realmRows: readonly Row[] = [
  {
    id: "J001",
    language,
    title: "the constructor of a constructor makes code with another scope: from the global, literals, functions",
    expect: "ok",
    code: `${attempts}
      const starts: any[] = [g, {}, [], "", 1, /x/, function () {}, () => {}, class {}, new Error(), new Map(), Symbol(), 1n, new Date()];
      for (const [index, start] of starts.entries())
        for (const source of ["return process", "return this", "return globalThis.Deno", "return require", "return global"])
          await attempt(index + source, () => loot(start.constructor.constructor(source)()));
      out`,
  },
  {
    id: "J002",
    language,
    title: "the same chain from everything that the host hands in: module, tool, result, console",
    expect: "ok",
    code: `${attempts}
      import * as tools from "mcp_tools/attack";
      import * as root from "mcp_tools";
      import * as coordinator from "coordinator";
      const result: any = await tools.echo({ a: [{ b: [1] }] });
      const starts: any = { tool: tools.echo, call: tools.call, result, nested: result.a, deep: result.a[0].b, console, log: console.log,
        write: process.stdout.write, tools, root, coordinator, error: root.ToolError, stdout: process.stdout };
      for (const [name, start] of Object.entries<any>(starts))
        for (const source of ["return process", "return this", "return arguments.callee.caller", "return host", "return pending", "return write"]) {
          await attempt(name + source, () => loot(start.constructor.constructor(source)()));
          await attempt(name + source, () => loot(Object.getPrototypeOf(start).constructor.constructor(source)()));
        }
      await attempt("caller", () => (tools.echo as any).caller);
      await attempt("arguments", () => (tools.echo as any).arguments);
      out`,
  },
  {
    id: "J004",
    language,
    title: "constructors of async functions and generators compile code",
    expect: "ok",
    code: `${attempts}
      for (const maker of [async () => {}, function* () {}, async function* () {}] as any[])
        for (const source of ["return process", "return [...(yield process) ?? []]", "return await import('node:fs')"])
          await attempt(source, async () => {
            const made = maker.constructor(source)();
            return loot(await (made.next ? (await made.next()).value : made));
          });
      out`,
  },
  {
    id: "J005",
    language,
    title: "errors that the host raised, and their constructors",
    expect: "ok",
    code: `${attempts}
      import * as tools from "mcp_tools/attack";
      import { call } from "mcp_tools";
      const raise: any[] = [() => (tools as any).echo(5), () => tools.call("forbidden"), () => tools.call("nothing"), () => tools.fail({}),
        () => call("off", "echo"), () => call("nowhere", "x"), () => (tools as any).echo({ n: 1n }), () => tools.call("__proto__")];
      for (const [index, act] of raise.entries())
        await attempt(String(index), async () => {
          try { return await act() } catch (e: any) {
            return [loot(e.constructor.constructor("return process")()), loot(e), show(Object.getOwnPropertyNames(e)), e.stack, e.cause];
          }
        });
      out`,
  },
  {
    id: "J007",
    language,
    title: "an error whose name is a symbol or whose toString throws, read by the engine",
    expect: "E",
    code: {
      "symbol name": `const e: any = new Error(); e.name = Symbol(); try { e.stack } catch (f: any) { console.log(f.constructor.constructor("return process.env")()[%ENV%]) } throw e`,
      "throwing toString": `const e: any = new Error("x"); e.name = { toString() { throw new Error("inner") } }; throw e`,
      "throwing message": `const e: any = new Error("x"); Object.defineProperty(e, "message", { get() { throw new Error("inner") } }); throw e`,
      "throwing stack": `const e: any = new Error("x"); Object.defineProperty(e, "stack", { get() { throw new Error("inner") } }); throw e`,
      prepareStackTrace: `(Error as any).prepareStackTrace = (_: any, frames: any[]) => { try { console.log(frames.map((f) => [f.getThis(), f.getFunction(), f.getFileName()])) } catch (e) { console.log(String(e)) } return { toString() { throw 1 } } }; throw new Error("x")`,
      "huge texts": `const e: any = new Error("m".repeat(3e7)); e.name = "n".repeat(3e7); throw e`,
    },
  },
  {
    id: "J008",
    language,
    title: "a stack overflow inside the bridge",
    expect: ["ok", "E"],
    code: `${attempts}
      import { echo } from "mcp_tools/attack";
      let hit: any;
      const fall = (depth: number): void => {
        try { fall(depth + 1) } catch (e) { try { void (echo({ depth }) as Promise<unknown>).catch(() => {}) } catch (f: any) { hit ??= f } throw e }
      };
      try { fall(0) } catch {}
      await attempt("hit", () => loot(hit?.constructor.constructor("return process")()));
      try { JSON.parse("[".repeat(1e6)) } catch (e: any) { await attempt("parse", () => loot(e.constructor.constructor("return process")())) }
      out`,
  },
  {
    id: "J010",
    language,
    title: "a proxy as argument, whose traps note what they are given",
    expect: "ok",
    code: `${attempts}
      import { echo, raw } from "mcp_tools/attack";
      let busy = false;
      const traps: any = new Proxy({}, { get: (_, trap) => (...given: any[]) => { if (!busy) { busy = true; out.push([String(trap), ...given.slice(1).map(loot)]); busy = false } return (Reflect as any)[trap](...given) } });
      await attempt("plain", () => echo(new Proxy({ a: 1 }, traps)));
      await attempt("nested", () => raw({ deep: new Proxy([1, 2], traps) }));
      await attempt("function", () => (echo as any)(new Proxy(function () {}, traps)));
      await attempt("revoked", () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return echo(proxy) });
      out`,
  },
  {
    id: "J011",
    language,
    title: "names of option objects set on Object.prototype",
    expect: ["ok", "E"],
    code: {
      "all of them": `
        import { echo } from "mcp_tools/attack";
        for (const name of ["get", "set", "value", "writable", "toJSON", "code", "status", "isError", "server", "tool", "id", "type", "delivery", "error", "servers", "signal", "timeout"])
          try { Object.defineProperty(Object.prototype, name, { value: "polluted", writable: true, configurable: true }) } catch {}
        let answer; try { answer = await echo({ a: 1 }) } catch (e) { answer = String(e) }
        answer`,
      "a then": `(Object.prototype as any).then = function (resolve: any) { resolve("stolen") }; import { echo } from "mcp_tools/attack"; await echo({ a: 1 })`,
      toJSON: `(Object.prototype as any).toJSON = () => ({ type: "call", server: "off", tool: "echo", args: {} }); import { echo } from "mcp_tools/attack"; await echo({ a: 1 })`,
    },
    timeout: 3,
  },
  {
    id: "J013",
    language,
    title: "call, apply, bind and Reflect.apply replaced before a tool call",
    expect: "ok",
    code: `${attempts}
      import { echo, fail } from "mcp_tools/attack";
      const caught: any[] = [];
      const spy = (original: any) => function (this: any, ...given: any[]) { caught.push(this, ...given); return Reflect.construct === undefined ? undefined : originalApply(original, this, given) };
      const originalApply = Reflect.apply;
      for (const name of ["call", "apply", "bind"]) (Function.prototype as any)[name] = spy((Function.prototype as any)[name]);
      (Reflect as any).apply = spy(originalApply);
      const parse = JSON.parse; JSON.parse = ((text: string) => { caught.push(text); return parse(text) }) as any;
      const stringify = JSON.stringify; JSON.stringify = ((value: any, ...rest: any[]) => { caught.push(value); return stringify(value, ...rest) }) as any;
      await attempt("echo", () => echo({ a: 1 }));
      await attempt("fail", () => fail({}));
      JSON.stringify = stringify;
      for (const value of caught.slice(0, 200)) await attempt("caught", () => loot(value));
      out.slice(0, 20)`,
  },
  {
    id: "J014",
    language,
    title: "defineProperty and freeze made to do nothing, before something is locked late",
    expect: "ok",
    code: `${attempts}
      Object.defineProperty = ((target: any) => target) as any; Object.freeze = ((target: any) => target) as any; (Reflect as any).defineProperty = () => true;
      const tools: any = await import("mcp_tools/attack");
      await attempt("change", () => { tools.echo = () => "changed"; return tools.echo.toString() });
      await attempt("forbidden", () => { tools.forbidden = (args: any) => tools.call("forbidden", args); return tools.forbidden({}) });
      await attempt("late", async () => { const again: any = await import("mcp_tools/attack"); return again.echo.toString() });
      out`,
  },
  {
    id: "J016",
    language,
    title: "setters on prototypes catch what is put into internal lists",
    expect: ["ok", "E"],
    code: `${attempts}
      import { echo } from "mcp_tools/attack";
      const caught: any[] = []; let length = 0;
      for (let key = 0; key < 4; key++)
        for (const prototype of [Array.prototype, Object.prototype])
          Object.defineProperty(prototype, key, { configurable: true, set(value) { caught[length + 10] = value; length++ }, get() { return undefined } });
      for (const method of ["push", "unshift", "shift", "map", "forEach"]) { const original = (Array.prototype as any)[method]; (Array.prototype as any)[method] = function (...given: any[]) { for (const value of given) caught[length++ + 10] = value; return original.apply(this, given) } }
      const set = Map.prototype.set; Map.prototype.set = function (key: any, value: any) { caught[length++ + 10] = value; return set.call(this, key, value) };
      let answer; try { answer = await echo({ a: [1] }) } catch (e) { answer = String(e) }
      console.log("printed", 1);
      for (let key = 0; key < 4; key++) for (const prototype of [Array.prototype, Object.prototype]) delete (prototype as any)[key];
      let got = ""; for (let index = 10; index < length + 10; index++) got += loot(caught[index]);
      [got, length > 0]`,
  },
  {
    id: "J017",
    language,
    title: "throwing what is no error",
    expect: "E",
    code: {
      null: "throw null",
      undefined: "throw undefined",
      "no prototype": "throw Object.create(null)",
      "a proxy that throws":
        "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, has() { throw 3 }, ownKeys() { throw 4 } })",
      "a symbol": "throw Symbol('s')",
      "a revoked proxy": "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy",
      "a function": "throw function thrown() {}",
      "an error that is a proxy": "throw new Proxy(new Error('x'), { get() { throw new Error('trap') } })",
      "a thenable": "throw { then(r: any) { r(1) } }",
      "what looks like a frame": `throw { type: "done", value: "forged", toJSON() { return { type: "done" } } }`,
    },
  },
  {
    id: "J019",
    language,
    title: "causes without end and a million errors in one",
    expect: "E",
    code: {
      cycle:
        "const a: any = new Error('a'), b: any = new Error('b', { cause: a }); a.cause = b; console.log(a); throw a",
      deep: {
        steps:
          "let e: any = new Error('0'); for (let i = 0; i < 1e5; i++) e = new Error(String(i), { cause: e }); throw e",
        slow: true,
      },
      "deep, printed": {
        steps:
          "let e: any = new Error('0'); for (let i = 0; i < 1e5; i++) e = new Error(String(i), { cause: e }); console.log(e); throw e",
        expect: ["E"],
        slow: true,
      },
      "deep, returned": {
        steps: "let e: any = new Error('0'); for (let i = 0; i < 1e4; i++) e = new Error(String(i), { cause: e }); e",
        expect: ["E", "ok"],
      },
      aggregate: {
        steps: "throw new AggregateError(Array.from({ length: 1e6 }, () => new Error('x')), 'many')",
        slow: true,
      },
    },
    timeout: 20,
  },
  {
    id: "J020",
    language,
    title: "custom inspection is handed the inspector and its options",
    expect: "ok",
    code: `${attempts}
      const caught: any[] = [];
      const hook = (...given: any[]) => { caught.push(...given); return "hooked" };
      const value: any = new (class X { [Symbol.for("nodejs.util.inspect.custom")] = hook; [Symbol.for("Deno.customInspect")] = hook; [Symbol.for("Deno.privateCustomInspect")] = hook; toJSON = hook; [Symbol.toPrimitive] = hook })();
      console.log(value, [value], { value }); console.error("%o %O %j %s", value, value, value, value); console.table([value]); console.dir(value);
      for (const found of caught) {
        await attempt("found", () => loot(found));
        await attempt("made", () => loot(found?.constructor?.constructor("return process")()));
        await attempt("stylize", () => loot(found?.stylize?.constructor("return process")()));
      }
      out.slice(0, 50)`,
  },
  {
    id: "J022",
    language,
    title: "legacy accessors and descriptors of the global, looking for the harness's own state",
    expect: "ok",
    code: `${attempts}
      const seen = new Set<any>(); const words: string[] = [];
      const walk = (value: any, path: string, depth: number): void => {
        if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value) || depth > 3 || seen.size > 20000) return;
        seen.add(value);
        let keys: PropertyKey[] = []; try { keys = Reflect.ownKeys(value) } catch {}
        for (const key of keys) {
          let member: any; try { member = value[key]; if (typeof member?.catch === "function") member.catch(() => {}) } catch { continue }
          if (typeof member === "string" && member.includes("canary-")) words.push(path + String(key) + "=" + member);
          walk(member, path + String(key) + ".", depth + 1);
        }
        try { walk(Object.getPrototypeOf(value), path + "^", depth + 1) } catch {}
      };
      walk(g, "", 0);
      const getter = ({} as any).__lookupGetter__("__proto__");
      await attempt("getter", () => loot(getter.call(g).constructor.constructor("return process")()));
      await attempt("setter", () => { (g as any).__defineSetter__("x", (v: any) => out.push(loot(v))); g.x = 1 });
      [words, seen.size > 1000, out]`,
  },
  {
    id: "J023",
    language,
    title: "the names of the global scope, against the approved list",
    expect: "ok",
    returns: { added: [], gone: [] },
    code: `
      const approved: string[] = ${JSON.stringify(approvedGlobals)};
      const names = Reflect.ownKeys(globalThis).map(String);
      ({ added: names.filter((name) => !approved.includes(name)), gone: approved.filter((name) => !names.includes(name)) })`,
  },
  {
    id: "J023-fuzz",
    language,
    title: "every function of the global scope called with strange arguments",
    expect: "N",
    timeout: 5,
    code: `${attempts}
      const strange: any[] = [[], [undefined], [null], [-1], [1e308], ["../../" + %FILES%[0]], [%FILES%[0]], [{ path: %FILES%[0] }], [() => {}], [g], [Symbol()]];
      const skip = new Set(["setInterval", "setTimeout", "setImmediate", "queueMicrotask", "Atomics", "eval"]);
      for (const holder of [g, g.Deno, g.process, g.navigator, g.performance, g.crypto, g.WebAssembly])
        for (const name of Object.getOwnPropertyNames(holder ?? {})) {
          if (skip.has(name) || /exit|abort|kill|reallyExit/.test(name)) continue;
          let member: any; try { member = holder[name] } catch { continue }
          if (typeof member !== "function") continue;
          for (const given of strange) try { const got = member.apply(holder, given); if (typeof got?.catch === "function") got.catch(() => {}); const text = show(got); if (text.includes("canary-")) out.push(text) } catch {}
        }
      out`,
  },
  {
    id: "J025",
    language,
    title: "legacy syntax: with, arguments, sloppy this, HTML comments, labels",
    expect: ["N", "R"],
    code: {
      with: `const h: any = (0, eval)("(function () { with (globalThis) { return typeof process.env === 'object' ? process.env[" + JSON.stringify(%ENV%) + "] : 0 } })()"); h`,
      "sloppy this": `const f: any = Function("return this"); const t = f(); console.log(t.process?.env?.[%ENV%]); t === globalThis`,
      "arguments.callee": `const f: any = Function("return arguments.callee.caller"); String(f())`,
      "with, written out": { steps: `with (globalThis) { console.log(1) }`, expect: ["R", "E", "ok"] },
      "html comments": `const x: any = (0, eval)("1 <!-- 2\\n--> 3\\n"); x`,
      labels: `outer: for (;;) { inner: { break outer } } "done"`,
      octals: `(0, eval)("010")`,
    },
  },
  {
    id: "J026",
    language,
    title: "free names in spread, computed keys, cases, heritage, defaults, tags, optional chains",
    expect: "ok",
    code: `${attempts}
      await attempt("spread", () => [...Object.values<any>(g.process?.env ?? {})]);
      await attempt("key", () => ({ [g.process?.env?.[%ENV%]]: 1 }));
      await attempt("switch", () => { switch (true) { case !!g.Deno?.env: return show(Object.keys(g.Deno)); } });
      await attempt("heritage", () => { class A extends (g.process.constructor as any) {} return loot(new (A as any)()) });
      await attempt("default", () => ((p: any = g.process) => loot(p))());
      await attempt("tag", () => ((s: any, p: any) => loot(p))\`\${g.process}\`);
      await attempt("chain", () => g?.process?.["mainModule"]?.["require"]?.("fs"));
      await attempt("Deno", () => loot(g));
      out`,
  },
  {
    id: "J028",
    language,
    title: "values smuggled by structuredClone, message ports and detached buffers",
    expect: "ok",
    code: `${attempts}
      import { echo } from "mcp_tools/attack";
      await attempt("clone a tool", () => structuredClone(echo));
      await attempt("clone a result", async () => loot(structuredClone(await echo({ a: 1 }))));
      await attempt("port", () => new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port2.onmessage = (event) => { port2.close(); port1.close(); resolve(loot(event)) }; port1.postMessage(port1 === port2 ? 1 : { a: 1 }) }));
      const buffer = new ArrayBuffer(8); const view = new Uint8Array(buffer);
      await attempt("detach", () => echo({ view, get gone() { structuredClone(buffer, { transfer: [buffer] }); return 1 } }));
      await attempt("port as argument", () => { const { port1, port2 } = new MessageChannel(); port2.close(); return echo({ port1 }) });
      out`,
  },
  {
    id: "J029",
    language,
    title: "finalizers and weak references on the harness's objects, run after the result",
    expect: "ok",
    code: `
      import * as tools from "mcp_tools/attack";
      const body = new TextEncoder().encode(JSON.stringify({ type: "call", id: 900, server: "attack", tool: "late", args: {} }));
      const frame = new Uint8Array(4 + body.length); new DataView(frame.buffer).setUint32(0, body.length); frame.set(body, 4);
      const stdout: any = (globalThis as any).Deno.stdout, write = stdout.writeSync.bind(stdout); let hasEnded = false;
      stdout.writeSync = (bytes: Uint8Array) => { const size = write(bytes); hasEnded ||= new TextDecoder().decode(bytes).includes('"type":"done"'); return size };
      const registry = new FinalizationRegistry(() => { if (hasEnded) write(frame) });
      const waste = () => { for (let index = 0; index < 50; index++) registry.register(new Array(1e5).fill(index), index) };
      registry.register(await tools.echo({ a: 1 }), "result"); waste(); setInterval(waste, 20);
      new WeakRef(tools).deref() === tools`,
  },
];
