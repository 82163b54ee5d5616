import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { type RunResult, showRun } from "../src/runtime/results/run-result.ts";
import type { Language } from "../src/sandbox/engine.ts";
import { documented } from "./documented.ts";
import { folder, officialServer, openCoordinator } from "./open-coordinator.ts";

// Files that runs leave: through the library, in both languages, opened by later runs.

const home = join(folder, "home");
let coordinator: Coordinator;
beforeAll(async () => {
  const mcpServers = { everything: officialServer("everything") };
  coordinator = await openCoordinator({ mcpServers, coordinator: { artifacts: { maxMb: 60 } } });
});

const execute = (language: Language, code: string, engine?: string): Promise<RunResult> => {
  const importing = {
    typescript: 'import { artifacts } from "coordinator";',
    python: "from coordinator import artifacts",
  };
  return coordinator.execute({ language, code: `${importing[language]}\n${code}`, engine });
};
const resultOf = async (language: Language, code: string, engine?: string): Promise<unknown> => {
  const { status, result, error } = await execute(language, code, engine);
  return status === "ok" ? result : { status, code: error?.code, message: error?.message };
};
const inTypeScript = (code: string) => resultOf("typescript", code);
const inPython = (code: string, engine?: string) => resultOf("python", code, engine);
const filesOf = (run: string) => readdirSync(join(home, "artifacts", "local", run)).sort();

describe("what a guest saves", () => {
  test("stays beside its code and output, and the answer names it", async () => {
    const run = await execute(
      "typescript",
      'console.log("drawing");\nawait artifacts.save("charts/a.svg", "<svg/>");\nawait artifacts.save("rows.json", [{ a: 1 }]);\n7',
    );
    expect(run.artifacts).toEqual([`artifact://${run.run}/charts/a.svg`, `artifact://${run.run}/rows.json`]);
    expect(filesOf(run.run)).toEqual(["charts", "code.ts", "output.txt", "rows.json"]);
    const read = (name: string) => readFileSync(join(home, "artifacts", "local", run.run, name), "utf8");
    expect([read("charts/a.svg"), read("rows.json")]).toEqual(["<svg/>", '[{"a":1}]']);
    expect(read("output.txt")).toBe("drawing\n[result]\n7\n");
    expect(read("code.ts")).toContain('console.log("drawing")');
  });

  test("may be of any kind, and is answered with its address, size and type", async () => {
    expect(
      await inTypeScript(`
        const bytes = new Uint8Array([0, 1, 255]);
        const saved = [
          await artifacts.save("a.bin", bytes), await artifacts.save("b.bin", bytes.buffer),
          await artifacts.save("c.png", new Blob([bytes])), await artifacts.save("d.bin", Buffer.from(bytes)),
          await artifacts.save("e.txt", "é"), await artifacts.save("f.json", null),
        ];
        const back = await Promise.all(saved.slice(0, 4).map(async ({ uri }) => [...await artifacts.read_bytes(uri)]));
        [saved.map((s) => [s.uri.split("/").at(-1), s.bytes, s.mediaType]), back]`),
    ).toEqual([
      [
        ["a.bin", 3, "application/octet-stream"],
        ["b.bin", 3, "application/octet-stream"],
        ["c.png", 3, "image/png"],
        ["d.bin", 3, "application/octet-stream"],
        ["e.txt", 2, "text/plain"],
        ["f.json", 4, "application/json"],
      ],
      Array(4).fill([0, 1, 255]),
    ]);
    const python = `
from coordinator.aio import artifacts as later
data = bytes([0, 1, 255])
saved = [artifacts.save("a.bin", data), artifacts.save("b.bin", bytearray(data)), artifacts.save("c.bin", memoryview(data)),
         await later.save("d.bin", data)]
[artifacts.read_bytes(s["uri"]) == data for s in saved] + [await later.read_bytes(saved[0]["uri"]) == data]`;
    expect(await inPython(python)).toEqual([true, true, true, true, true]);
    expect(await inPython(python, "pyodide")).toEqual([true, true, true, true, true]);
  });

  test("may be larger than one message, up to 32 MB", async () => {
    const large = 13_000_001;
    expect(
      await inTypeScript(`
        const { uri, bytes } = await artifacts.save("large", new Uint8Array(${large}).fill(7));
        const text = await artifacts.save("text", "é".repeat(4_000_000));
        const back = await artifacts.read_bytes(uri, { offset: ${large - 2} });
        [bytes, [...back], text.bytes, (await artifacts.read(text.uri, { offset: 3_999_999 }))]`),
    ).toEqual([large, [7, 7], 8_000_000, "é"]);
    expect(
      await inPython(`
saved = artifacts.save("large", b"7" * ${large})
[saved["bytes"], artifacts.read_bytes(saved["uri"], offset=${large - 2}).decode()]`),
    ).toEqual([large, "77"]);
    expect(await inPython('artifacts.save("larger", b"7" * 32_000_001)')).toMatchObject({
      status: "error",
      message: expect.stringContaining("was not saved"),
    });
  }, 120_000);

  test("may be an image that a tool has sent", async () => {
    const saved = await inTypeScript(`
      import { get_tiny_image } from "mcp_tools/everything";
      const image = (await get_tiny_image()).find((item: any) => item.type === "image");
      const { uri, mediaType } = await artifacts.save("tiny.png", image);
      [mediaType, [...(await artifacts.read_bytes(uri, { limit: 4 }))]]`);
    expect(saved).toEqual(["image/png", [0x89, 0x50, 0x4e, 0x47]]);
  });

  test.each(["../a", "/etc/passwd", "a/../../b", ".hidden", "con", "a\\b"])("is not saved as %j", async (name) => {
    const refused = { status: "error", message: expect.stringContaining("is not a name for an artifact") };
    expect(await inTypeScript(`await artifacts.save(${JSON.stringify(name)}, "x")`)).toMatchObject(refused);
  });

  test("of one run is removed for the next when there is no room, the oldest first", async () => {
    const [first, second, third] = [
      await execute("python", 'artifacts.save("a", b"x" * 25_000_000)'),
      await execute("python", 'artifacts.save("a", b"x" * 25_000_000)'),
      await execute("python", 'artifacts.save("a", b"x" * 25_000_000)'),
    ];
    expect([first, second, third].map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    const runs = readdirSync(join(home, "artifacts", "local"));
    expect([first, second, third].map(({ run }) => runs.includes(run))).toEqual([false, true, true]);
  });

  test("by a run that saves nothing and prints little is nothing", async () => {
    const run = await execute("typescript", "1");
    expect(run.artifacts).toBeUndefined();
    expect(readdirSync(join(home, "artifacts", "local"))).not.toContain(run.run);
  });
});

describe("a later guest", () => {
  let uri: string;
  beforeAll(async () => {
    const rows = "[...Array(1000).keys()].map((n) => ({ n, even: n % 2 === 0 }))";
    const run = await execute(
      "typescript",
      `await artifacts.save("data.json", { meta: { "a.b": [1] }, rows: ${rows} });
       await artifacts.save("log.txt", [...Array(1000).keys()].map((n) => (n % 100 === 0 ? "error " : "fine ") + n).join("\\r\\n"));`,
    );
    uri = `artifact://${run.run}`;
  });

  test("lists what is there", async () => {
    const names = ["code.ts", "data.json", "log.txt", "output.txt"];
    const run = uri.slice("artifact://".length);
    expect(await inTypeScript(`(await artifacts.list({ run: "${run}" })).map((a) => a.name)`)).toEqual(names);
    expect(await inPython(`[a["name"] for a in artifacts.list() if a["run"] == "${run}"]`)).toEqual(names);
  });

  test("reads rows of a large JSON, and parts of it by path", async () => {
    expect(
      await inPython(`u = "${uri}/data.json"
[artifacts.json(u, path="rows", offset=998), artifacts.json(u, path=["meta", "a.b", 0]), len(artifacts.json(u)["rows"]),
 artifacts.json(u, path="rows", limit=1)]`),
    ).toEqual([
      [
        { n: 998, even: true },
        { n: 999, even: false },
      ],
      1,
      1000,
      [{ n: 0, even: true }],
    ]);
    const failing = (options: string) => inTypeScript(`await artifacts.json("${uri}/data.json", ${options})`);
    expect(await failing('{ path: "row" }')).toMatchObject({
      message: expect.stringContaining('no "row" at the top, which is an object; its keys: meta, rows'),
    });
    expect(await failing('{ path: "meta", offset: 1 }')).toMatchObject({
      message: expect.stringContaining("does not lead to a list"),
    });
    expect(await failing('{ path: "constructor" }')).toMatchObject({
      message: expect.stringContaining('no "constructor"'),
    });
    expect(await inTypeScript(`await artifacts.json("${uri}/log.txt")`)).toMatchObject({
      message: expect.stringContaining("is not JSON"),
    });
  });

  test("pages through lines, or those that contain a text, which is not a pattern", async () => {
    const lines = (options: string) => inTypeScript(`await artifacts.lines("${uri}/log.txt", ${options})`);
    expect(await lines("{ from: 999 }")).toEqual({
      lines: [
        { number: 999, text: "fine 998" },
        { number: 1000, text: "fine 999" },
      ],
      next: null,
    });
    expect(await lines('{ matching: "error", limit: 2 }')).toEqual({
      lines: [
        { number: 1, text: "error 0" },
        { number: 101, text: "error 100" },
      ],
      next: 201,
    });
    expect(await lines('{ matching: "error", from: 901 }')).toMatchObject({ lines: [{ number: 901 }], next: null });
    expect(await lines('{ matching: ".*" }')).toEqual({ lines: [], next: null });
    expect(await inPython(`artifacts.lines("${uri}/log.txt", from_=1000)["lines"]`)).toEqual([
      { number: 1000, text: "fine 999" },
    ]);
  });

  test("is told when there is none", async () => {
    expect(await inPython('artifacts.read("artifact://r0/x")')).toMatchObject({
      message: expect.stringContaining("There is no artifact artifact://r0/x"),
    });
  });
});

describe("charts and tables of Python, by stand-ins of the same shape (tables.test.ts has the real packages)", () => {
  test("a figure, pyplot itself, an image and tables are saved as what the name's ending says", async () => {
    expect(
      await inPython(`
def of(package, kind, **members):
    return type(kind, (), {"__module__": package, **members})()
figure = of("matplotlib.figure", "Figure", savefig=lambda self, file, format: file.write(b"fig " + format.encode()))
image = of("PIL.Image", "Image", save=lambda self, file, format: file.write(b"img " + format.encode()))
rows = of("pandas.core.indexes.range", "RangeIndex", name=None, start=0, step=1)
frame = of("pandas.core.frame", "DataFrame", index=rows, to_csv=lambda self, index: f"csv {index}")
grouped = of("pandas.core.frame", "DataFrame", index=[1], to_csv=lambda self, index: f"csv {index}")
given = [("a.svg", figure), ("b.jpg", image), ("b.png", image), ("c.csv", frame), ("d.csv", grouped)]
[artifacts.read(artifacts.save(name, data)["uri"]) for name, data in given]`),
    ).toEqual(["fig svg", "img JPEG", "img PNG", "csv False", "csv True"]);
  });

  test("a table is not saved as what it cannot be", async () => {
    expect(
      await inPython(`
frame = type("DataFrame", (), {"__module__": "pandas.core.frame"})()
artifacts.save("a.png", frame)`),
    ).toMatchObject({ message: "A DataFrame is saved as .csv or .json, not as .png" });
  });

  test("matplotlib, when it is imported, is told to draw without a screen and to save what is shown", async () => {
    expect(
      await inPython(`
import os
before = "MPLBACKEND" in os.environ
try:
    import matplotlib  # type: ignore
except ImportError:
    pass
[before, os.environ["MPLBACKEND"]]`),
    ).toEqual([false, "module://coordinator_guest.figures"]);
  });

  test("plt.show() saves each open figure and closes it", async () => {
    const code = `
import sys, types, importlib
def module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members, __path__=[])
    sys.modules[name] = made
class Figure:
    def savefig(self, file, format): file.write(b"png")
managers = [types.SimpleNamespace(canvas=types.SimpleNamespace(figure=Figure())) for _ in range(2)]
class Gcf:
    get_all_fig_managers = staticmethod(lambda: list(managers))
    destroy_all = staticmethod(managers.clear)
for name, members in {"matplotlib": {}, "matplotlib._pylab_helpers": {"Gcf": Gcf}, "matplotlib.backends": {},
                      "matplotlib.backend_bases": {"FigureManagerBase": object},
                      "matplotlib.backends.backend_agg": {"FigureCanvasAgg": object}}.items():
    module(name, **members)
backend = importlib.import_module("coordinator_guest.figures")
backend.show()
backend.show()
len(managers)`;
    const run = await execute("python", code);
    expect(run).toMatchObject({ status: "ok", result: 0 });
    expect(run.artifacts).toEqual([`artifact://${run.run}/figure-1.png`, `artifact://${run.run}/figure-2.png`]);
  });
});

test.each(documented("artifacts.md"))("docs/artifacts.md: the %s block %#", async (language, code) => {
  const { status, error } = await coordinator.execute({ language, code });
  expect([status, error?.message]).toEqual(["ok", undefined]);
});

describe("the check, before anything runs", () => {
  const refused = (pattern: RegExp) => ({ status: "check_failed", message: expect.stringMatching(pattern) });

  test.each([
    ['await artifacts.save("a")', /Expected 2 arguments, but got 1/],
    ["await artifacts.save(1, 2)", /'number' is not assignable/],
    ['await artifacts.read_bytes({ uri: "a" })', /not assignable/],
    ['(await artifacts.read_bytes("a")).lenght', /lenght/],
    ['await artifacts.lines("a", { matchin: "x" })', /matchin/],
  ])("refuses %s in TypeScript", async (code, message) => {
    expect(await inTypeScript(code)).toMatchObject(refused(message));
  });

  test.each([
    ['artifacts.save("a")', /Argument missing for parameter "data"/],
    ["artifacts.save(1, 2)", /1 is not str/],
    ['artifacts.lines("a", matchin="x")', /no parameter "matchin"/],
    ['artifacts.safe("a", "b")', /"coordinator.artifacts" has no "safe"/],
    ['artifacts.read_bytes("a").foo', /"bytes" has no attribute "foo"/],
  ])("refuses %s in Python", async (code, message) => {
    expect(await inPython(code)).toMatchObject(refused(message));
  });
});

describe("a bare name", () => {
  test.each([
    ["typescript", (name: string) => `await artifacts.read("${name}")`],
    ["python", (name: string) => `artifacts.read("${name}")`],
  ] as const)("means the newest of this run, then of its session, in %s", async (language, reading) => {
    const session = "bare names";
    const save = language === "python" ? "artifacts.save" : "await artifacts.save";
    const head =
      language === "python" ? "from coordinator import artifacts" : 'import { artifacts } from "coordinator";';
    const within = (code: string) => coordinator.execute({ language, session, code: `${head}\n${code}` });
    expect((await within(`${save}("notes.md", "one")\n${reading("notes.md")}`)).result).toBe("one");
    await within(`${save}("notes.md", "two")`);
    expect((await within(reading("notes.md"))).result).toBe("two");
    expect((await within(`${save}("notes.md", "three")\n${reading("notes.md")}`)).result).toBe("three");
    const absent = await within(reading("none.md"));
    expect(absent.error?.message).toBe(
      'There is no artifact "none.md" in this run or the earlier ones of its session. There are: notes.md. For one of another run pass its whole address; artifacts.list() has them.',
    );
    expect((await execute(language, reading("notes.md"))).error?.message).toMatch(
      /^There is no artifact "notes.md" in this run\. The newest of that name is artifact:\/\/\w+\/notes\.md, of another run: pass the whole address\./,
    );
  });

  test("is taken by every reader", async () => {
    expect(
      await inTypeScript(`
await artifacts.save("a.json", { rows: [1, 2] });
[await artifacts.json("a.json", { path: "rows" }), (await artifacts.lines("a.json")).lines.length, (await artifacts.read_bytes("a.json")).length, await artifacts.read("a.json", { limit: 3 })]`),
    ).toEqual([[1, 2], 1, 14, '{"r']);
  });
});

describe("what is not text", () => {
  test.each([
    ["typescript", 'await artifacts.save("a.png", new Uint8Array([137, 80, 255]));', "await artifacts.read("],
    ["python", 'artifacts.save("a.png", bytes([137, 80, 255]))', "artifacts.read("],
  ] as const)("is not read as text, and the error names the right function, in %s", async (language, saving, read) => {
    const error = { message: "a.png is not text. Read it with artifacts.read_bytes(uri)." };
    expect(await resultOf(language, `${saving}\n${read}"a.png")`)).toMatchObject(error);
    const part = language === "python" ? "limit=2" : "{ limit: 2 }";
    expect(await resultOf(language, `${saving}\n${read}"a.png", ${part})`)).toMatchObject({
      message: expect.stringMatching(/a\.png is not text\. Read it with artifacts\.read_bytes\(uri\)\.$/),
    });
  });

  test("is named with the function that opens it", async () => {
    const run = await execute(
      "typescript",
      'await artifacts.save("a.png", new Uint8Array([1])); await artifacts.save("b.md", "b"); await artifacts.save("c.json", []); await artifacts.save("d.md", "d"); undefined',
    );
    const at = `artifact://${run.run}`;
    expect(showRun(run)).toBe(`[saved: ${at}/a.png; artifacts.read_bytes(uri) from "coordinator" opens it]
[saved: ${at}/b.md, ${at}/d.md; artifacts.read(uri) from "coordinator" opens them]
[saved: ${at}/c.json; artifacts.json(uri) from "coordinator" opens it]`);
  });
});

test("lines are found by a text or, between slashes, by a regular expression", async () => {
  expect(
    await inTypeScript(`
await artifacts.save("log.txt", "Error 1\\nfine a.b\\r\\nerror 2\\n/x/");
const numbers = async (matching: string) => (await artifacts.lines("log.txt", { matching })).lines.map(({ number }) => number);
[await numbers("a.b"), await numbers("/a.b$/"), await numbers("/^error \\\\d$/i"), await numbers("/x"), await numbers("/(/").catch((e) => e.message)]`),
  ).toEqual([
    [2],
    [2],
    [1, 3],
    [4],
    expect.stringMatching(/^Cannot match lines with \/\(\/: Invalid regular expression/),
  ]);
});
