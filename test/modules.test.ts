import { beforeAll, describe, expect, test } from "vitest";
import { local } from "../src/actor.ts";
import type { Coordinator } from "../src/app/coordinator.ts";
import { servicesOf } from "../src/app/services-of.ts";
import type { RunRequest } from "../src/runtime/execute-request.ts";
import type { ModuleSource, SourceModule } from "../src/runtime/modules/module-source.ts";
import { type RunResult, showRun } from "../src/runtime/results/run-result.ts";
import type { Language } from "../src/sandbox/engine.ts";
import { openCoordinator, ownServer } from "./open-coordinator.ts";

// Modules that come with a program, through the whole of it: found, compiled, checked, run.

let coordinator: Coordinator;

const open = (sandbox: object, home: string): Promise<Coordinator> =>
  openCoordinator({ mcpServers: { data: ownServer("data-server") }, coordinator: { sandbox }, home });

beforeAll(async () => {
  coordinator = await open({}, "home");
});

/** A source of modules by the specifiers that mean them: the code, or another specifier with `=` before it. */
function modulesOf(language: Language, codes: Record<string, string>, format?: "commonjs"): ModuleSource {
  const find = (specifier: string): SourceModule | undefined => {
    const code = Object.hasOwn(codes, specifier) ? codes[specifier] : undefined;
    if (code?.startsWith("=")) return find(code.slice(1));
    if (code === undefined) return undefined;
    const isPackage = language === "python" && Object.keys(codes).some((name) => name.startsWith(`${specifier}.`));
    const id = specifier.replace(/^skills\./, "skills/") + (isPackage ? "/__init__.py" : "");
    return { id, language, code, format };
  };
  return { find, names: async () => Object.keys(codes).map((name) => name.replaceAll(".", "/")) };
}

/** As operations run code: with modules of their own. */
const execute = (request: RunRequest, on = coordinator) => servicesOf(on).execute(request, local);

type Options = Partial<RunRequest> & { readonly on?: Coordinator };

const typescript = (code: string, codes: Record<string, string>, { on = coordinator, ...options }: Options = {}) =>
  execute({ code, modules: [modulesOf("typescript", codes)], ...options }, on);
const python = (code: string, codes: Record<string, string>, { on = coordinator, ...options }: Options = {}) =>
  execute({ language: "python", code, modules: [modulesOf("python", codes)], ...options }, on);

const outcome = ({ status, result, error }: RunResult) =>
  error ? { status, error: error.message } : { status, result };
const ok = (result: unknown) => ({ status: "ok", result });

describe("a TypeScript guest", () => {
  test("imports every kind of export", async () => {
    const code = `
      import whole, { add, one as first, Point, Colour, renamed, type Options, Shape } from "skills/kinds";
      import * as all from "skills/kinds";
      const options: Options = { by: 2 };
      const shape: Shape = { sides: 3 };
      [whole(), add(first, options.by), new Point(4).x, Colour.Red, renamed, shape.sides, Object.keys(all).sort()]`;
    const kinds = `
      export interface Options { by: number }
      export const one = 1, { two, three: [third] } = { two: 2, three: [3] };
      export async function later(): Promise<number> { return 5 }
      export function add(a: number, b: number): number { return a + b }
      export class Point { constructor(readonly x: number) {} }
      export enum Colour { Red = "red" }
      const hidden = "hidden";
      interface Shape { sides: number }
      export { hidden as renamed, Shape };
      export type { Options as Same };
      export default function () { return "default" }
      export * from "skills/more";
      export * as more from "skills/more";
      export { extra as passed } from "skills/more";`;
    const more = 'export const extra = await Promise.resolve("extra");\nexport default 1;';
    const names = ["Colour", "Point", "add", "default", "extra", "later", "more", "one", "passed", "renamed", "third"];
    expect(outcome(await typescript(code, { "skills/kinds": kinds, "skills/more": more }))).toEqual(
      ok(["default", 3, 4, "red", "hidden", 3, [...names, "two"]]),
    );
  });

  test("imports at run time, and evaluates a module once", async () => {
    const codes = {
      "skills/count": "let n = 0;\nexport const next = () => ++n;\nexport { n };",
      "skills/user": 'import { next } from "skills/count";\nexport const used = next();',
    };
    const code = `import * as count from "skills/count"; import { used } from "skills/user";
      const again = await import("skills/count"); again.next(); [used, count.n, again === count]`;
    expect(outcome(await typescript(code, codes))).toEqual(ok([1, 2, true]));
  });

  test("has two versions side by side, and one by two names", async () => {
    const codes = {
      "skills/report@1": "export const report = () => 1; export const id = {};",
      "skills/report@2": "export const report = () => 2; export const id = {};",
      "skills/report": "=skills/report@2",
    };
    const code = `import { report, id } from "skills/report"; import { report as old } from "skills/report@1";
      import { id as same } from "skills/report@2"; [report(), old(), id === same]`;
    expect(outcome(await typescript(code, codes))).toEqual(ok([2, 1, true]));
  });

  test("imports modules that import each other's functions", async () => {
    const codes = {
      "skills/even":
        'import { odd } from "skills/odd";\nexport function even(n: number): boolean { return n === 0 || odd(n - 1) }',
      "skills/odd":
        'import { even } from "skills/even";\nexport function odd(n: number): boolean { return n !== 0 && even(n - 1) }',
      "skills/a": 'import { b } from "skills/b";\nexport const a = 1;\nexport const c = b;',
      "skills/b": 'import { a } from "skills/a";\nexport const b = () => a;',
    };
    expect(outcome(await typescript('import { even } from "skills/even"; even(10)', codes))).toEqual(ok(true));
    expect(outcome(await typescript('import { c } from "skills/a"; c()', codes)).error).toBe(
      '"a" of "skills/a" has no value yet, because it and "skills/b" import each other: declare it as a function',
    );
  });

  test("is told the module and its own line when something fails in it", async () => {
    const codes = {
      "skills/fails":
        "interface Padding {\n  a: string;\n}\n\nexport function fails(): never {\n  throw new TypeError('broken');\n}",
      "skills/outer": 'import { fails } from "skills/fails";\n\nexport const outer = () => fails();',
      "skills/early": "const ready = 1;\n\nthrow new Error('early ' + ready);",
    };
    const late = await typescript('import { outer } from "skills/outer";\n\nouter()', codes);
    expect(late.error).toMatchObject({ name: "TypeError", line: 3 });
    expect(late.error?.stack).toBe("skills/fails:6 in fails\nskills/outer:3 in outer\nline 3");
    expect(showRun(late)).toBe("error: TypeError: broken (skills/fails:6 in fails, from line 3)");
    const early = await typescript('import "skills/early"', codes);
    expect(showRun(early)).toBe("error: early 1 (skills/early:3)");
  });

  test("is checked with the types of its modules, and so are they", async () => {
    const codes = {
      "skills/sum": "export function addUp(a: number, b: number) { return { total: a + b } }",
      "skills/wrong": 'import { addUp } from "skills/sum";\nexport const wrong = addUp(1, 2).totl + missing;',
    };
    const problems = async (code: string) =>
      (await typescript(code, codes)).error?.problems?.map(({ line, message, module }) => [module?.id, line, message]);
    expect(
      await problems('import { addUp } from "skills/sum";\n\naddUp("a", 1);\naddUp(1, 2).tota;\naddUp(1)'),
    ).toEqual([
      [undefined, 3, "Argument of type 'string' is not assignable to parameter of type 'number'."],
      [undefined, 4, "Property 'tota' does not exist on type '{ total: number; }'. Did you mean 'total'?"],
      [undefined, 5, "Expected 2 arguments, but got 1."],
    ]);
    expect(await problems('import { addup } from "skills/sum"; addup()')).toEqual([
      [undefined, 1, `'"skills/sum"' has no exported member named 'addup'. Did you mean 'addUp'?`],
    ]);
    const inModule = [
      ["skills/wrong", 2, "Property 'totl' does not exist on type '{ total: number; }'. Did you mean 'total'?"],
      ["skills/wrong", 2, "Cannot find name 'missing'."],
    ];
    expect(await problems('import { wrong } from "skills/wrong"; wrong')).toEqual(inModule);
    expect(await problems('import { wrong } from "skills/wrong"; wrong')).toEqual(inModule);
  });

  test("sees a changed module at once", async () => {
    const run = (code: string) => typescript('import { f } from "./f.ts"; f().a', { "./f.ts": code });
    expect(outcome(await run("export const f = () => ({ a: 1 });"))).toEqual(ok(1));
    expect(outcome(await run("export const f = () => ({ b: 1 });")).status).toBe("check_failed");
    expect(outcome(await run("export const f = () => ({ a: 2 });"))).toEqual(ok(2));
  });

  test("imports a package as Node does", async () => {
    const code = `const { readFileSync } = require("fs"); const path = require("node:path");
      exports.kind = typeof readFileSync; exports.join = (...parts) => path.posix.join(...parts);
      exports.fails = () => { throw new Error("in the package") };`;
    const whole = "module.exports = function twice(n) { return 2 * n }; module.exports.half = (n) => n / 2;";
    const sources = [
      modulesOf("typescript", { tools: code, twice: whole }, "commonjs"),
      modulesOf("typescript", { "./mine.ts": 'import twice from "twice"; export const four = twice(2);' }),
    ];
    const run = (source: string, { on, ...options }: Options = {}) =>
      execute({ code: source, modules: sources, ...options }, on);
    const imports = `import tools, { kind, join } from "tools"; import twice, { half } from "twice";
      import * as all from "twice"; import { four } from "./mine.ts";`;
    expect(
      outcome(
        await run(`${imports} [kind, join("a", "b"), tools.kind, twice(2), half(2), all.default === twice, four]`),
      ),
    ).toEqual(ok(["function", "a/b", "function", 4, 1, true, 4]));
    expect((await run('import { fails } from "tools";\nfails()')).error).toMatchObject({
      message: "in the package",
      line: 2,
    });
    expect(outcome(await run('import { none } from "twice"; none')).error).toBe(
      'The module "twice" has no export named "none"',
    );
  });
});

describe.each(["cpython", "pyodide"])("a Python guest on %s", (engine) => {
  const run = (code: string, codes: Record<string, string>) => python(code, codes, { engine });

  test("imports skills and neighbours, which import others", async () => {
    const codes = {
      "skills.report":
        "import textwrap\nfrom skills import title\ndef report(n):\n    return title.title(textwrap.dedent(f'  {n}'))\n",
      "skills.title": "def title(text):\n    return text.upper()\n",
      fib: "from functools import lru_cache\n@lru_cache\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n",
      lib: "name = __name__\nfrom .deep import depth\n",
      "lib.deep": "depth = 2\n",
    };
    const code =
      "from skills.report import report\nimport fib, lib.deep\nimport skills.title as t\n[report('a'), fib.fib(30), lib.deep.depth, t.title('b'), lib.name]";
    expect(outcome(await run(code, codes))).toEqual(ok(["A", 832040, 2, "B", "lib"]));
  });

  test("has two versions side by side, and one by two names, run once", async () => {
    const codes = {
      "skills.report.v1": "def report(): return 1\n",
      "skills.report": "=skills.report.v2",
      "skills.report.v2": "print('runs')\ndef report(): return 2\n",
    };
    const code =
      "from skills.report import report, v1\nfrom skills.report.v1 import report as old\nimport skills.report.v2 as two\n[report(), old(), v1.report(), two.report is report]";
    const result = await run(code, codes);
    expect(outcome(result)).toEqual(ok([2, 1, 1, true]));
    expect(result.stdout).toBe("runs\n");
    const only = await run("from skills.report.v1 import report\nreport()", codes);
    expect([only.result, only.stdout]).toEqual([1, undefined]);
  });

  test("imports modules that import each other's functions", async () => {
    const codes = {
      "skills.even": "import skills.odd\ndef even(n): return n == 0 or skills.odd.odd(n - 1)\n",
      "skills.odd": "import skills.even\ndef odd(n): return n != 0 and skills.even.even(n - 1)\n",
    };
    expect(outcome(await run("from skills.even import even\neven(10)", codes))).toEqual(ok(true));
  });

  test("is told the module and its own line when something fails in it", async () => {
    const codes = {
      "skills.fails": "\n\ndef fails():\n    return 1 / 0\n",
      "skills.early": "\nready = []\nready[1]\n",
    };
    const late = await run("import skills.fails\n\nskills.fails.fails()", codes);
    expect(late.error).toMatchObject({ name: "ZeroDivisionError", line: 3, stack: "skills/fails:4 in fails\nline 3" });
    expect(showRun(late)).toContain("(skills/fails:4 in fails, from line 3)");
    expect((await run("import skills.early", codes)).error).toMatchObject({ line: 1, stack: "skills/early:3\nline 1" });
  });

  test("can look at the source of a function in a module", async () => {
    const codes = { "skills.plain": "def plain():\n    return 1\n" };
    const code = "import inspect\nfrom skills.plain import plain\ninspect.getsource(plain)";
    expect(outcome(await run(code, codes))).toEqual(ok("def plain():\n    return 1\n"));
  });
});

describe("a Python guest", () => {
  test("is checked with the types of its modules, and so are they", async () => {
    const codes = {
      "skills.total": "def total(a: int, b: int):\n    return str(a + b)\n",
      "skills.wrong":
        "import json\nfrom skills.total import total\ndef wrong():\n    return total(1, 2).uper() + json.sumps(missing)\n",
      "skills.waits": "import asyncio\nawait asyncio.sleep(0)\n",
    };
    const problems = async (code: string) =>
      (await python(code, codes)).error?.problems?.map(({ line, message, module }) => [module?.id, line, message]);
    expect(await problems("from skills.total import total\ntotal('a', 1)\ntotal(1, 2).uper()\ntotal(1)\n")).toEqual([
      [undefined, 2, '"a" of "total": \'a\' is not int.'],
      [undefined, 3, '"str" has no attribute "uper".'],
      [undefined, 4, 'Argument missing for parameter "b".'],
    ]);
    expect(await problems("from skills.total import tota")).toEqual([
      [undefined, 1, '"skills.total" has no "tota". Did you mean "total"?'],
    ]);
    const inModule = [
      ["skills/wrong", 4, '"str" has no attribute "uper".'],
      ["skills/wrong", 4, 'Module "json" has no "sumps". Did you mean "dumps"?'],
      ["skills/wrong", 4, '"missing" is not defined.'],
    ];
    expect(await problems("import skills.wrong")).toEqual(inModule);
    expect(await problems("import skills.wrong")).toEqual(inModule);
    expect(await problems("import skills.waits")).toMatchObject([
      ["skills/waits", 2, expect.stringContaining("await")],
    ]);
  });

  test("sees a changed module at once, and none that is gone", async () => {
    const run = (codes: Record<string, string>) => python("import fib\nfib.f().upper()", codes);
    expect(outcome(await run({ fib: "def f():\n    return 'a'\n" }))).toEqual(ok("A"));
    expect(outcome(await run({ fib: "def f():\n    return 1\n" })).status).toBe("check_failed");
    expect(outcome(await run({ fib: "def f():\n    return 'b'\n" }))).toEqual(ok("B"));
    expect(outcome(await run({})).error).toContain('Cannot find module "fib"');
  });

  test("gets its neighbour, not the well-known package of that name", async () => {
    const codes = { yaml: "def mine(): return 'mine'\n" };
    expect(outcome(await python("import yaml\nyaml.mine()", codes))).toEqual(ok("mine"));
  });

  test("imports relatively only inside of a package", async () => {
    const codes = { "lib.a": "from .b import b\n", "lib.b": "b = 1\n", top: "from .b import b\n" };
    expect(outcome(await python("from lib.a import b\nb", codes))).toEqual(ok(1));
    expect(outcome(await python("import top", codes)).error).toContain('top, line 1, column 16: Cannot find ".b"');
  });

  test("gets the standard library's module, whatever a neighbour is called", async () => {
    const codes = { json: "raise RuntimeError('not this one')\n", "os.path": "x = 1\n" };
    expect(outcome(await python("import json, os.path\njson.dumps([os.path.sep])", codes))).toEqual(ok('["/"]'));
  });
});

const languages = {
  typescript: {
    run: typescript,
    modules: (member: string, code: string) => ({ [`skills/${member}`]: code }),
    use: (name: string, code: string) => `import { ${name} } from "skills/${name}"; ${code}`,
    answer: "export const answer = () => 42;",
    call: 'import { customers } from "mcp_tools/data";\nexport const ask = async () => (await customers()).customers.length;',
    asking: "await ask()",
    exact:
      'import { call } from "mcp_tools";\nexport const ask = async () => (await call("data", "customers", {})).customers.length;',
    reads: 'import "node:fs";\nexport const reads = 1;',
  },
  python: {
    run: python,
    modules: (member: string, code: string) => ({ [`skills.${member}`]: code }),
    use: (name: string, code: string) => `from skills.${name} import ${name}\n${code}`,
    answer: "def answer():\n    return 42\n",
    call: "from mcp_tools.data import customers\ndef ask():\n    return len(customers()['customers'])\n",
    asking: "ask()",
    exact: "from mcp_tools import call\ndef ask():\n    return len(call('data', 'customers', {})['customers'])\n",
    reads: "import socket\nreads = 1\n",
  },
} as const;

describe.each(["typescript", "python"] as const)("modules in %s", (language) => {
  const { run, modules, use, answer, call, asking, exact, reads } = languages[language];

  test("stay importable and typed in a session, also when their source is gone", async () => {
    const options = { session: `modules-${language}` };
    expect(outcome(await run(use("answer", "answer()"), modules("answer", answer), options))).toEqual(ok(42));
    expect(outcome(await run("answer()", {}, options))).toEqual(ok(42));
    expect(outcome(await run("answer(1, 2)", {}, options)).status).toBe("check_failed");
    expect(outcome(await run(use("answer", "answer() + 1"), {}, options))).toEqual(ok(43));
    const newer = answer.replace("42", "7");
    expect(outcome(await run(use("answer", "answer()"), modules("answer", newer), options))).toEqual(ok(7));
  });

  test("call tools of the servers that the run may use", async () => {
    const code = use("ask", asking);
    expect(await run(code, modules("ask", call))).toMatchObject({ status: "ok", result: 100, calls: { total: 1 } });
    const refused = await run(code, modules("ask", call), { servers: [] });
    expect([refused.status, refused.error?.problems?.[0]?.module?.id]).toEqual(["check_failed", "skills/ask"]);
  });

  test("call only the tools that are declared, on every path", async () => {
    for (const code of [call, exact]) {
      const allowed = { tools: [{ server: "data", tool: "customers" }] };
      expect(outcome(await run(use("ask", asking), modules("ask", code), allowed))).toEqual(ok(100));
      const { error } = await run(use("ask", asking), modules("ask", code), {
        tools: [{ server: "data", tool: "orders" }],
      });
      expect(error).toMatchObject({ code: "tool_denied", delivery: "not_sent", server: "data", tool: "customers" });
      expect(error?.message).toContain('The skill does not declare "customers" of "data"');
    }
  });

  test("may import what the policy lets a guest import", async () => {
    await using strict = await open({ imports: { deny: ["node:fs", "socket"] } }, `strict-${language}`);
    const options = { on: strict };
    const refused = await run(use("reads", "reads"), modules("reads", reads), options);
    expect(refused.error?.problems).toMatchObject([{ module: { id: "skills/reads" }, line: 1 }]);
    expect(refused.error?.message).toContain("is not allowed (coordinator.sandbox.imports)");
    expect(outcome(await run(use("answer", "answer()"), modules("answer", answer), options))).toEqual(ok(42));
  });

  test("that are not there are told with what could have been meant", async () => {
    const skills = modules("answer", answer);
    const [name] = Object.keys(skills) as [string];
    const wrong = outcome(await run(use("anwser", "1"), skills)).error;
    expect(wrong).toContain(`Cannot find the skill "${name.replace("answer", "anwser")}". Did you mean "${name}"?`);
    expect(outcome(await run(use("zzz", "1"), skills)).error).toContain("list_skills lists the skills");
  });

  test("of the other language are refused", async () => {
    const other = modulesOf(language === "python" ? "typescript" : "python", modules("answer", answer));
    const refused = await run(use("answer", "1"), {}, { modules: [other] });
    expect(refused.error?.message).toContain("only code of that language can import it");
  });

  test("are bounded in number and size", async () => {
    const dot = language === "python" ? "." : "/";
    const chain = Array.from({ length: 250 }, (_, n) => {
      const next = language === "python" ? `import skills.m${n + 1}\n` : `import "skills/m${n + 1}";`;
      return [`skills${dot}m${n}`, next];
    });
    const first = language === "python" ? "import skills.m0" : 'import "skills/m0"';
    expect(outcome(await run(first, Object.fromEntries(chain))).error).toContain("more than 200 modules");
    const big = language === "python" ? `x = "${"a".repeat(200_000)}"\n` : `export const x = "${"a".repeat(200_000)}";`;
    const many = Array.from({ length: 30 }, (_, n) => [`skills${dot}b${n}`, big]);
    const all = many.map(([name]) => (language === "python" ? `import ${name}` : `import "${name}";`)).join("\n");
    expect(outcome(await run(all, Object.fromEntries(many), { check: false })).error).toContain(
      "more than 4000000 characters",
    );
    const long =
      language === "python" ? `x = "${"a".repeat(300_000)}"\n` : `export const x = "${"a".repeat(300_000)}";`;
    const { error } = await run(first, { [`skills${dot}m0`]: long });
    expect(error?.message).toContain("skills/m0, line 1, column 1: The code has 3000");
    const ten = Array.from({ length: 10_000 }, (_, n) => (language === "python" ? `import a${n}` : `import "a${n}";`));
    expect(outcome(await run(ten.join("\n"), {})).error).toContain("more than 2000 imports");
  });
});

test("odd names mean nothing", async () => {
  const everything: ModuleSource = {
    find: (specifier) => ({ id: specifier, language: "typescript", code: "export const x = 1;" }),
    names: async () => [],
  };
  for (const name of ["skills/../x", "skills//x", "skills/./x", "skills\\\\x", "/etc/passwd", "skills/a\\u0000b"]) {
    const { status, error } = await execute({ code: `import "${name}"; 1`, modules: [everything] });
    expect([name, status, error?.message]).toEqual([name, "check_failed", expect.stringContaining("Cannot find")]);
  }
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const none = await execute({
      code: `import "${name}"; 1`,
      modules: [modulesOf("typescript", {})],
      check: false,
    });
    expect([name, none.error?.message]).toEqual([name, expect.stringContaining(`Cannot find module "${name}"`)]);
    const given = await execute({ code: `import { x } from "${name}"; x`, modules: [everything] });
    expect([name, given.status, given.result]).toEqual([name, "ok", 1]);
  }
});
