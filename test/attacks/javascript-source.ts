// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of the guest
import type { Row } from "./row.ts";

const language = "typescript";

/** 1F: TypeScript, wrapping and the handling of source. */
export const sourceRows: readonly Row[] = [
  {
    id: "J109",
    language,
    title: "source that ends or begins oddly",
    expect: ["R", "ok", "E"],
    code: {
      "line comment": { steps: "1 //", expect: "ok", returns: 1 },
      "open comment": { steps: "1 /*", expect: "R" },
      "open template": { steps: "1; `", expect: "R" },
      "html comment": { steps: "1 <!--", expect: ["R", "ok"] },
      backslash: { steps: "1; \\", expect: "R" },
      "line separator": { steps: "1 \u2028 + 1", expect: "ok", returns: 2 },
      "carriage return": { steps: "1 // x\r+ 1", expect: "ok" },
      hashbang: { steps: "#!/usr/bin/env node\n2", expect: ["ok", "R"] },
      bom: { steps: "\ufeff3", expect: "ok", returns: 3 },
      "use strict": { steps: '"use strict"; 4', expect: "ok", returns: 4 },
      "source url": { steps: "throw new Error('x')\n//# sourceURL=/etc/passwd", expect: "E" },
      "source map": { steps: "throw new Error('x')\n//# sourceMappingURL=file:///etc/passwd", expect: "E" },
      "closes the wrapper": { steps: "}); globalThis.pwned = 1; (async () => {", expect: "R" },
      "closes the function": { steps: "1 } ; console.log('out') ; { 2", expect: "R" },
      "closes and comments": { steps: "} //", expect: "R" },
      nul: { steps: "1; \u0000", expect: ["R", "ok"] },
      empty: { steps: "", expect: ["ok", "R"] },
      "only a comment": { steps: "// nothing", expect: "ok" },
      "lone surrogate": { steps: "'\ud800'.length", expect: ["ok", "R"] },
    },
  },
  {
    id: "J110",
    language,
    title: "return, await, export and fences at the top level",
    expect: "ok",
    code: {
      return: { steps: "if (true) return 5; 6", expect: "ok", returns: 5 },
      await: { steps: "await Promise.resolve(7)", expect: "ok", returns: 7 },
      "export default": { steps: "export default 8", expect: "ok", returns: 8 },
      "export and import": {
        steps: 'import { echo } from "mcp_tools/attack"; export const a = await echo({ a: 9 }); a',
        expect: "ok",
        returns: { a: 9 },
      },
      fences: { steps: "```ts\n10\n```", expect: "ok", returns: 10 },
      "fences inside": { steps: "const text = '```'; text.length", expect: "ok", returns: 3 },
    },
  },
  {
    id: "J112",
    language,
    title: "types that keep the checker busy",
    expect: ["R", "ok", "E", "L", "T"],
    timeout: 10,
    slow: true,
    code: {
      recursive: "type Grow<T extends any[]> = Grow<[...T, ...T, 1]>; const a: Grow<[1]> = null as any; 1",
      "long unions": `type U = ${Array.from({ length: 100_000 }, (_, index) => `"u${index}"`).join("|")}; const a: U = "u1"; 1`,
      "cross product":
        "type D = 0|1|2|3|4|5|6|7|8|9; type T = `${D}${D}${D}${D}${D}${D}${D}${D}`; const a: T = '00000000'; 1",
      "deep mapped":
        "type P<T, N extends any[] = []> = N['length'] extends 900 ? T : P<{ [K in keyof T]: { v: T[K] } }, [...N, 1]>; const a: P<{ x: 1 }> = null as any; a.x; 1",
      "many overloads": `${Array.from({ length: 20_000 }, (_, index) => `function f(a: { k${index}: 1 }): ${index};`).join("\n")} function f(a: any): any { return a } f({ k19999: 1 })`,
      "long inference": `const a = ${"[".repeat(500)}1${"]".repeat(500)}; const b = [${Array.from({ length: 20_000 }, (_, index) => `{ k${index}: ${index} }`).join(",")}]; b.length`,
      "path references":
        '/// <reference path="/etc/passwd" />\n/// <reference types="node" />\nimport type x from "/etc/passwd"; 1',
    },
  },
  {
    id: "J113",
    language,
    title: "syntax whose output has effects: enums, namespaces, decorators, parameter properties",
    expect: ["ok", "R"],
    code: {
      enum: { steps: "enum A { x = 1, y = (console.log('ran'), 2) } A.y", expect: ["ok", "R"] },
      "const enum": "const enum B { x = 3 } B.x",
      namespace: "namespace N { export const a = 4 } N.a",
      decorator: {
        steps: "function d(_: any, __: any) { return undefined as any } @d class C { @d m() { return 5 } } new C().m()",
        expect: ["ok", "R", "E"],
      },
      "parameter property": "class P { constructor(readonly a: number) {} } new P(6).a",
      "import equals": { steps: 'import fs = require("fs"); fs.readFileSync(%FILES%[0], "utf8")', expect: ["R", "E"] },
      "export equals": { steps: "export = 1", expect: ["R", "ok", "E"] },
      "declare global": "declare global { var evil: any } 1",
    },
  },
  {
    id: "J115",
    language,
    title: "syntax that two parsers may read differently",
    expect: ["ok", "R", "E"],
    code: {
      division: { steps: "const a = 8, b = 2, c = 2, g = 1; a/b/c", expect: "ok", returns: 2 },
      "regex or division": { steps: "let x = 4; x\n/2/1", expect: "ok" },
      generics: { steps: "const y = 1, z = 2; const x = 3; (x as any)<y>(z)", expect: ["ok", "R"] },
      arrows: { steps: "const f = <T,>(a: T) => a; f(9)", expect: "ok", returns: 9 },
      "close html comment": { steps: "1\n--> 2", expect: ["R", "ok", "E"] },
      "import in text": {
        steps: 'const text = \'import("node:fs")\'; /import\\("x"\\)/.test(text)',
        expect: "ok",
        returns: false,
      },
      "import in a template": {
        steps: "`${await (async () => 3)()} import x from 'y'`",
        expect: "ok",
        returns: "3 import x from 'y'",
      },
      "import with escapes": {
        steps: 'const m: any = await import("node:\\u0066s"); m.readFileSync(%FILES%[0], "utf8")',
        expect: ["R", "E"],
      },
      "import.meta": { steps: "(import.meta as any).url", expect: ["R", "E", "ok"] },
      "import defer": { steps: 'import defer * as fs from "node:fs"; fs', expect: ["ok", "R", "E"] },
      "import attributes": { steps: 'import data from "/etc/passwd" with { type: "json" }; data', expect: ["R", "E"] },
      "unicode escapes in names": { steps: "const \\u0061b = 1; ab", expect: "ok", returns: 1 },
      asi: { steps: "const a = 1\n;[1, 2].map((x) => x + a)", expect: "ok", returns: [2, 3] },
    },
  },
  {
    id: "J116",
    language,
    title: "names of the harness declared by the guest",
    expect: ["ok", "R", "E"],
    code: {
      console: { steps: "const console = { log() {} }; console.log(1); 2", expect: "ok", returns: 2 },
      fetch: { steps: "var fetch = () => 3; fetch()", expect: "ok", returns: 3 },
      require: { steps: "function require(name: string) { return name } require('fs')", expect: "ok", returns: "fs" },
      __import: {
        steps: 'const __import = 5; import { echo } from "mcp_tools/attack"; await echo({ a: __import })',
        expect: ["R", "E", "ok"],
      },
      "__import read": "typeof (globalThis as any).__import",
      "import's own name": {
        steps: 'import { echo } from "mcp_tools/attack"; const again: any = await (0, eval)("typeof __import"); again',
        expect: ["ok"],
      },
      load: {
        steps: "const load = 1, host = 2, pending = 3, write = 4, stdin = 5; load + host + pending + write + stdin",
        expect: "ok",
        returns: 15,
      },
      globalThis: { steps: "const globalThis = {}; Object.keys(globalThis).length", expect: "ok", returns: 0 },
      "undefined and friends": {
        steps: "const undefined_ = 1, Deno = 2, process = 3; Deno + process",
        expect: "ok",
        returns: 5,
      },
      "tool shadowed": {
        steps:
          'import { echo } from "mcp_tools/attack"; { const echo = () => "mine"; console.log(echo()) } await echo({ a: 1 })',
        expect: "ok",
        returns: { a: 1 },
      },
    },
  },
  {
    id: "J118",
    language,
    title: "what has crashed engines before",
    expect: "N",
    timeout: 3,
    code: {
      "typed array resized in sort":
        "const b: any = new (ArrayBuffer as any)(4096, { maxByteLength: 8192 }); const a = new Uint8Array(b); for (let i = 0; i < a.length; i++) a[i] = i; a.sort((x, y) => { b.resize(16); return x - y }); a.length",
      "array shortened in sort":
        "const a: any[] = Array.from({ length: 1e4 }, (_, i) => 1e4 - i); a.sort((x, y) => { a.length = 1; return x - y }); a.length",
      "proxy keys": {
        steps:
          "const p: any = new Proxy({}, { ownKeys: () => Array.from({ length: 1e5 }, (_, i) => 'k' + i) }); let n = 0; try { for (const k in p) n++ } catch {} try { Object.assign({}, p) } catch {} n",
        slow: true,
      },
      "detached buffer":
        "const b = new ArrayBuffer(1024); const v = new DataView(b); structuredClone(b, { transfer: [b] }); try { v.getInt8(0) } catch (e) { String(e) }",
      "deep regular expression":
        "try { new RegExp('('.repeat(1e5) + ')'.repeat(1e5)) } catch (e) { String(e).slice(0, 50) }",
      "deep JSON":
        "let t = ''; try { JSON.stringify(JSON.parse('['.repeat(5e4) + ']'.repeat(5e4))) } catch (e) { t = String(e).slice(0, 50) } t",
      "deep eval": "let t = ''; try { (0, eval)('['.repeat(1e5)) } catch (e) { t = String(e).slice(0, 50) } t",
      "endless recursion": "const f = (): number => f() + 1; let t = ''; try { f() } catch (e) { t = String(e) } t",
      "wasm trap":
        "const g: any = globalThis; const m = new g.WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11])); let t = ''; try { new g.WebAssembly.Instance(m).exports.f() } catch (e) { t = String(e) } t",
      "splice of a subclass":
        "class A extends Array { static get [Symbol.species]() { return function (n: number) { return new Proxy([], { defineProperty: () => false }) } as any } } const a: any = A.from([1, 2, 3]); try { a.splice(0, 2) } catch {} a.length",
      "kill itself": {
        steps: "process.kill(process.pid, 'SIGSEGV'); await new Promise((r) => setTimeout(r, 200)); 'alive'",
        expect: ["ok", "E"],
      },
    },
  },
];
