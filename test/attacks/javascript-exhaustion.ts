import type { Row } from "./row.ts";

const language = "typescript";

/** 1E: using everything up. */
export const exhaustionRows: readonly Row[] = [
  {
    id: "J094",
    language,
    title: "loops without end, also where no interrupt is looked for",
    expect: "T",
    timeout: 1,
    code: {
      for: "for (;;) {}",
      "replace callback": "'a'.replace(/a/, () => { while (true); })",
      comparator: "[2, 1].sort(() => { while (true); })",
      getter: "({ get a() { while (true); } }).a",
      valueOf: "+({ valueOf() { while (true); } } as any)",
      reviver: "JSON.parse('[1]', () => { while (true); })",
      generator: "for (const _ of (function* () { while (true) yield 1 })());",
      proxy: "Object.keys(new Proxy({}, { ownKeys() { while (true); } }))",
    },
  },
  {
    id: "J095",
    language,
    title: "regular expressions that never come back",
    expect: ["T", "E", "ok"],
    timeout: 1,
    code: {
      nested: { steps: "/^(a+)+$/.test('a'.repeat(40) + 'b')", expect: "T" },
      "look-behind": { steps: "/(?<=(?:a+)+)$/.test('a'.repeat(40) + 'b')", expect: ["T", "ok"] },
      "a pattern of 10 MB": "new RegExp('a|'.repeat(5e6)).test('b')",
      backreferences: { steps: "/^(a*)*\\1$/.test('a'.repeat(40) + 'b')", expect: ["T", "ok"] },
    },
  },
  {
    id: "J097",
    language,
    title: "memory outside the heap of JavaScript",
    expect: ["M", "E"],
    timeout: 8,
    slow: true,
    code: {
      buffers: { steps: "const all: any[] = []; for (;;) all.push(Buffer.alloc(1e7, 1))", expect: "M" },
      wasm: {
        steps:
          "const g: any = globalThis; const all: any[] = []; for (;;) { const m = new g.WebAssembly.Memory({ initial: 1 }); m.grow(2000); new Uint8Array(m.buffer).fill(1); all.push(m) }",
        expect: ["M", "E"],
      },
      intl: "const all: any[] = []; for (;;) all.push(new Intl.DateTimeFormat('de-DE', { dateStyle: 'full', timeStyle: 'full' }).resolvedOptions(), new Intl.Segmenter('th').segment('x'.repeat(1e4)))",
      strings: {
        steps:
          "const all: string[] = []; for (let i = 0; ; i++) all.push(Buffer.alloc(1e7, String(i)).toString('latin1'))",
        expect: "M",
      },
      "a zip bomb": {
        steps:
          "const zlib: any = await import('node:zlib'); const bomb = zlib.gzipSync(Buffer.alloc(5e7)); const all: any[] = []; for (;;) all.push(zlib.gunzipSync(bomb).fill(1))",
        expect: "M",
      },
      "shared memory": {
        steps: "const all: any[] = []; for (;;) all.push(new Uint8Array(new SharedArrayBuffer(1e7)).fill(1))",
        expect: "M",
      },
      "one array too big": { steps: "new Uint8Array(8e9).fill(1).length", expect: ["M", "E"] },
      "map of objects": {
        steps: "const m = new Map(); for (let i = 0; ; i++) m.set({ i }, new Array(1000).fill(i))",
        expect: "M",
      },
    },
  },
  {
    id: "J098",
    language,
    title: "big integers",
    expect: ["T", "M", "E"],
    timeout: 2,
    code: {
      power: "String(2n ** (10n ** 9n)).length",
      text: "(7n ** 80_000_000n).toString().length",
      factorial: "let f = 1n; for (let i = 1n; ; i++) f *= i",
    },
  },
  {
    id: "J100",
    language,
    title: "source that is too much",
    expect: ["R", "ok", "E"],
    timeout: 10,
    slow: true,
    code: {
      "9 MB": `/*${"x".repeat(9_000_000)}*/ 1`,
      "one line of 5 MB": `"${"x".repeat(5_000_000)}".length`,
      "100,000 imports": Array.from({ length: 100_000 }, (_, index) => `import "mcp_tools/x${index}";`).join("\n"),
      "a million names": `const ${Array.from({ length: 1_000_000 }, (_, index) => `a${index}=1`).join(",")}; 1`,
      "100,000 deep": `${"(".repeat(100_000)}1${")".repeat(100_000)}`,
      "5,000 deep": `${"[".repeat(5_000)}1${"]".repeat(5_000)}; 1`,
    },
  },
  {
    id: "J101",
    language,
    title: "a million timers",
    expect: ["T", "M", "ok"],
    timeout: 2,
    code: {
      timeouts: "for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 0); await new Promise((r) => setTimeout(r, 5000))",
      intervals: "for (let i = 0; i < 1e5; i++) setInterval(() => {}, 0); await new Promise(() => {})",
      immediates:
        "const f = () => { (globalThis as any).setImmediate(f); (globalThis as any).setImmediate(f) }; f(); await new Promise(() => {})",
    },
  },
  {
    id: "J103",
    language,
    title: "descriptors, inodes and the disk of the scratch folder",
    expect: ["ok", "E"],
    timeout: 5,
    code: `
      const fs: any = await import("node:fs"); const done: Record<string, unknown> = {};
      const until = (name: string, act: (index: number) => void, most: number) => { let index = 0; try { for (; index < most; index++) act(index) } catch (e: any) { done[name] = [index, e.code ?? e.name]; return } done[name] = [index, "no end"] };
      until("file", () => fs.appendFileSync("/tmp/big", Buffer.alloc(1e6)), 2000);
      until("files", (index) => fs.writeFileSync("/tmp/f" + index, "x"), 1e5);
      until("sparse", () => fs.truncateSync("/tmp/sparse", 2 ** 40), 1);
      until("open", () => fs.openSync("/dev/null", "r"), 1e5);
      until("folders", (index) => fs.mkdirSync("/tmp/d" + index), 1e5);
      const endless = Object.values(done).some((entry: any) => entry[1] === "no end"); if (endless) throw new Error(JSON.stringify(done)); "refused"`,
    returns: "refused",
  },
  {
    id: "J104",
    language,
    title: "processes and threads without end",
    expect: ["ok", "E", "T"],
    timeout: 3,
    code: {
      processes: `const child: any = await import("node:child_process"); let n = 0; for (let i = 0; i < 1000; i++) try { child.spawn("sleep", ["60", %PROC%]).on("error", () => {}); n++ } catch {} await new Promise((r) => setTimeout(r, 100)); "tried"`,
      threads: `const { Worker }: any = await import("node:worker_threads"); let n = 0; try { for (let i = 0; i < 500; i++) { const w = new Worker("setInterval(() => {}, 1000)", { eval: true }); w.on("error", () => {}); n++ } } catch (e) { console.log(String(e)) } await new Promise((r) => setTimeout(r, 300)); n`,
    },
  },
  {
    id: "J106",
    language,
    title: "runs that wait to their limit, so that others get no place",
    expect: "T",
    copies: 20,
    timeout: 2,
    slow: true,
    code: "await new Promise(() => {})",
  },
  {
    id: "J107",
    language,
    title: "pressure on the garbage collector",
    expect: ["T", "M", "ok"],
    timeout: 2,
    slow: true,
    code: {
      "weak references":
        "const all: any[] = []; const registry = new FinalizationRegistry(() => {}); for (let i = 0; ; i++) { const o = { i }; registry.register(o, i); all[i % 1e6] = new WeakRef(o) }",
      "sparse maps":
        "const all: any[] = []; for (let i = 0; ; i++) { const a: any[] = []; a[i * 1000003 % 4e9] = i; all.push(a, new Map([[a, a]])) }",
      churn: "let a: any; for (;;) a = Array.from({ length: 1e5 }, (_, i) => ({ i, a: i % 100 ? null : a }))",
    },
  },
];
