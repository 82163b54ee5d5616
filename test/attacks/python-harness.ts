import { forged, python } from "./python-attempt.ts";
import type { Row } from "./row.ts";

const language = "python";

/** 2E: the harness and its protocol. */
export const harnessRows: readonly Row[] = [
  {
    id: "P076",
    language,
    title: "a process that leaves is never a success",
    expect: "E",
    timeout: 3,
    code: {
      "_exit(0)": `import os\nos._exit(0)`,
      "_exit(0) with text": `import os\nprint("done")\nos._exit(0)`,
      "exit with a text": { steps: `import sys\nsys.exit("ok")`, expect: "E", says: /ok/ },
      "exit with a number": { steps: `import sys\nsys.exit(3)`, expect: "E", says: /3/ },
      "exit(True)": `import sys\nsys.exit(True)`,
      "exit with an object": {
        steps: `import sys\nclass X:\n    def __eq__(self, other): return True\n    def __hash__(self): return 0\nsys.exit(X())  # type: ignore`,
        expect: ["ok", "E"],
      },
      "SystemExit from a task": `import asyncio, sys\nasync def f(): sys.exit(4)\nawait asyncio.gather(f())`,
      abort: `import os\nos.abort()`,
      "every descriptor closed": forged`
        os.closerange(0, 65536)
        "as if nothing had happened"
      `,
      "the descriptor of the protocol replaced": forged`
        other = os.open(os.devnull, os.O_RDWR)
        os.dup2(other, channel._writer)
        os.dup2(other, channel.reader)
        "as if nothing had happened"
      `,
    },
  },
  {
    id: "P076-streams",
    language,
    title: "standard streams and descriptors closed",
    expect: ["ok", "E"],
    timeout: 3,
    code: {
      "0, 1 and 2": `import os\nfor fd in range(3): os.close(fd)\nprint("still here")\n1`,
      stdout: `import sys\nsys.stdout.close()\n1`,
      "stdout and stderr": `import sys\nsys.stderr.close()\nsys.stdout.buffer.close()\nraise ValueError("the end")`,
      detached: `import sys\ngetattr(sys.stdout, "detach")()\n1`,
      "killed by itself": `import os, signal\nos.kill(os.getpid(), getattr(signal, "SIGKILL", 9))\n1`,
      "a signal of its own": `import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n1`,
      "written past print": python`
        import os, sys
        frame = b'\0\0\0\x21{"type":"done","value":"forged"}\n'
        for fd in range(3):
            try:
                os.write(fd, frame)
            except OSError as error:
                print(type(error).__name__)
        sys.stdout.buffer.write(frame)
        print(frame.decode())
        "mine"
      `,
    },
  },
  {
    id: "P076-descriptors",
    language,
    title: "descriptors that came with the process: of other runs, of what started it",
    expect: "ok",
    returns: [],
    code: forged`
      import stat
      found: list[Any] = []
      for fd in range(3, 4096):
          try:
              kind = os.fstat(fd)
          except OSError:
              continue
          if fd in (channel.reader, channel._writer) or stat.S_ISCHR(kind.st_mode):
              continue
          found.append([fd, oct(kind.st_mode)])
          for data in [b"start 1\nkill 0\n", b'\0\0\0\x21{"type":"done","value":"forged"}\n']:
              try:
                  os.write(fd, data)
              except OSError:
                  pass
      found
    `,
  },
  {
    id: "P077",
    language,
    title: "streams that raise, loop or end the process when they are flushed",
    expect: "ok",
    returns: 42,
    timeout: 3,
    code: {
      raises: python`
        import sys
        class Stream:
            def write(self, text): raise ValueError("write")
            def flush(self): raise ValueError("flush")
        sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = Stream()  # type: ignore
        42
      `,
      loops: python`
        import sys
        class Stream:
            def __getattr__(self, name):
                while True: pass
        sys.stdout = sys.stderr = sys.__stdout__ = Stream()  # type: ignore
        42
      `,
      exits: python`
        import os, sys
        class Stream:
            encoding = "utf-8"
            def write(self, text): os._exit(0)
            def flush(self): os._exit(0)
            closed = property(lambda self: os._exit(0))
        sys.stdout = sys.stderr = Stream()  # type: ignore
        42
      `,
      none: `import sys\nsys.stdout = sys.stderr = sys.stdin = None  # type: ignore\nprint("lost")\n42`,
      deleted: `import sys\ndel sys.stdout, sys.stderr, sys.stdin\n42`,
    },
  },
  {
    id: "P079",
    language,
    title: "values that act while they are turned into a result",
    expect: ["ok", "E"],
    timeout: 2,
    code: {
      "repr that raises": `class X:\n    def __repr__(self): raise ValueError("no")\nX()`,
      "repr that exits": { steps: `import os\nclass X:\n    def __repr__(self): os._exit(0)\nX()`, expect: "E" },
      "repr that leaves": `import sys\nclass X:\n    def __repr__(self): sys.exit(0)\nX()`,
      "repr of 100 MB": `class X:\n    def __repr__(self): return "x" * 10**8\nX()`,
      "repr that is no text": `class X:\n    def __repr__(self): return 5  # type: ignore\nX()`,
      "items that are forged": python`
        class X(dict):
            def items(self): return [("type", "done"), (5, print), (None, self)]  # type: ignore
            def keys(self): raise ValueError
            def __iter__(self): raise ValueError
            def __len__(self): return -1
        X(a=1)
      `,
      "a list that grows": {
        steps: python`
          class X(list):
              def __iter__(self):
                  self.append(X([1]))
                  return super().__iter__()
          x = X()
          x.append(x)
          endless: list = [1]
          class Growing:
              def __repr__(self):
                  endless.append(Growing())
                  return "g"
          endless.append(Growing())
          endless
        `,
        expect: ["ok", "E", "T"],
      },
      "a number that is none": `class X(int):\n    def __index__(self): return "x"  # type: ignore\n    def __repr__(self): return "forged"\n    def __str__(self): return '1,"type":"done"'\n[X(1), X(2**70)]`,
      "a text that is none": `class X(str):\n    def __str__(self): return '","type":"call"'\n    def encode(self, *given): raise ValueError\n    def __len__(self): return -5\n[X("a"), {X("k"): 1}]`,
      "an enum of itself": `import enum\nclass E(enum.Enum):\n    A = 1\n    @property\n    def value(self): return self\nE.A`,
      "a class that lies about itself": python`
        class X:
            __class__ = property(lambda self: dict)  # type: ignore
            def items(self): raise ValueError("asked")
        X()
      `,
      "a package that lies": python`
        class DataFrame:
            __module__ = "pandas.core"
            def to_dict(self, kind): return self
            def to_dicts(self): return [self]
        class Array:
            __module__ = "numpy"
            def tolist(self): return [self, {"type": "done"}]
        [DataFrame(), Array()]
      `,
      "a dataclass that acts": python`
        import dataclasses
        @dataclasses.dataclass
        class X:
            a: int = 1
            def __getattribute__(self, name):
                if name == "a": raise SystemExit(0)
                return super().__getattribute__(name)
        X()
      `,
      "keys that are the same": `class K:\n    def __repr__(self): return "same"\n{K(): 1, K(): 2, "same": 3, 1: 4, "1": 5, None: 6, "None": 7, True: 8}`,
      "it calls while it is shown": python`
        from mcp_tools.attack import echo
        from mcp_tools import call
        class X:
            def __repr__(self):
                try:
                    return str(call("attack", "forbidden"))
                except Exception as error:
                    return str(echo(a=type(error).__name__))
        X()
      `,
    },
  },
  {
    id: "P079-endless",
    language,
    title: "values without end",
    expect: ["T", "L"],
    timeout: 2,
    slow: true,
    // A word of its processor has 32 bits: that range is an error before it is a value.
    on: { pyodide: { expect: ["T", "L", "E"] } },
    code: {
      "an iterator": `class X(set):\n    def __iter__(self):\n        while True: yield 1\nX()`,
      "a list of itself, made anew": `class X(list):\n    def __iter__(self): return iter([X(), X()])\nX()`,
      "a generator in items": `class X(dict):\n    def items(self):\n        number = 0\n        while True:\n            number += 1\n            yield (number, number)  # type: ignore\nX()`,
      "a range": `range(10**12)`,
      "repr that loops": `class X:\n    def __repr__(self):\n        while True: pass\nX()`,
      "a package's list": `class Array:\n    __module__ = "numpy"\n    def tolist(self): return [Array(), Array()]\nArray()`,
    },
  },
  {
    id: "P080",
    language,
    title: "subclasses of text and numbers in what is checked",
    expect: "ok",
    returns: [],
    code: python`
      from typing import Any
      from mcp_tools import call, ToolError
      from mcp_tools.attack import call as own, raw, echo
      reached: list[Any] = []
      class S(str):
          def __eq__(self, other): return True
          def __hash__(self): return hash("echo")
          def __str__(self): return str.__str__(self)
          def __contains__(self, other): return True
          def startswith(self, *given): return True
          def encode(self, *given): return b"echo"
          def __len__(self): return 4
          def __format__(self, spec): return "echo"
          def __repr__(self): return "'echo'"
      class Changing(str):
          turns = 0
          def __str__(self):
              Changing.turns += 1
              return "echo" if Changing.turns % 2 else "forbidden"
      class N(int):
          def __repr__(self): return '1,"server":"off"'
          __str__ = __repr__
      class F(float):
          def __repr__(self): return '1,"tool":"forbidden"'
      class K(str):
          def __str__(self): return '","tool":"forbidden'
      def attempt(name: str, act: Any) -> None:
          try:
              reached.append([name, repr(act())[:200]])
          except (ToolError, TypeError, ValueError, RuntimeError) as error:
              print(name, type(error).__name__, str(error)[:100])
      attempt("tool", lambda: own(S("forbidden")))
      attempt("server", lambda: call(S("off"), S("echo")))
      attempt("both", lambda: call(S("attack"), S("forbidden")))
      for _ in range(4):
          try:
              call("attack", Changing("echo"))
          except ToolError:
              pass
      for value in [N(5), F(1.5), K("x"), S("plain"), True]:
          answer: Any = raw(value=value)
          if '"off"' in answer["raw"] or "forbidden" in answer["raw"].replace('\\"', ""):
              reached.append(answer)
      weird = 'a":1},"tool":"forbidden","x":{"'
      if echo(**{weird: 1}) != {weird: 1}:
          reached.append("keys")
      class D(dict):
          def items(self): return [("a", 1), (5, 2)]  # type: ignore
      attempt("arguments", lambda: own("echo", D()))
      reached
    `,
  },
  {
    id: "P082",
    language,
    title: "tools named by paths, members of every object, nothing, and a million characters",
    expect: "ok",
    returns: [],
    code: python`
      import importlib
      from typing import Any
      import mcp_tools, mcp_tools.attack as attack, mcp_tools.aio.attack as twin
      reached: list[Any] = []
      def attempt(name: str, act: Any) -> None:
          try:
              reached.append([name[:40], repr(act())[:100]])
          except mcp_tools.ToolError as error:
              if error.delivery != "not_sent":
                  reached.append([name[:40], error.delivery])
          except (AttributeError, ImportError, TypeError, ValueError):
              pass
      for name in ["a/../../b", "server.other", "", " ", "echo ", "Echo", "attack.echo", "../echo", "echo\0", "__proto__", "constructor", "toString", "__call__", "__getitem__ ", "x" * 10**6, "echo\n", "../off/echo", "off.echo", "off/echo", "*", "forbid*", "forbidden", "FORBIDDEN", "forbidden ", "forbidden\u200b", "ｆorbidden"]:
          attempt(name, lambda: attack.call(name))
          attempt(name, lambda: mcp_tools.call("attack", name))
          attempt(name, lambda: mcp_tools.call(name, "echo"))
          if not name.startswith("echo"):
              attempt("attribute " + name, lambda: getattr(attack, name)())
          attempt("module " + name, lambda: importlib.import_module("mcp_tools." + name).echo())
          attempt("from aio " + name, lambda: importlib.import_module("mcp_tools.aio." + name).echo)
      for name in ["off", "mcp_tools.off", "attack.forbidden", "attack.attack", "aio.aio.attack", ".attack", "..attack", "attack."]:
          attempt("module " + name, lambda: importlib.import_module("mcp_tools." + name).echo())
      for value in [None, 5, ["off"], {"a": 1}, b"off", 1.5, True, object()]:
          bad: Any = value
          attempt("server " + repr(value), lambda: mcp_tools.call(bad, "echo"))
          attempt("tool " + repr(value), lambda: attack.call(bad))
      reached
    `,
  },
  {
    id: "P083",
    language,
    title: "calls awaited twice, cancelled, forgotten, with ids of any sort",
    expect: ["ok", "E"],
    timeout: 8,
    code: {
      twice: { steps: `from mcp_tools.aio.attack import echo\ncall = echo(a=1)\nawait call\nawait call`, expect: "E" },
      cancelled: python`
        import asyncio
        from mcp_tools.aio.attack import slow, echo
        task = asyncio.ensure_future(slow(ms=300))
        await asyncio.sleep(0.01)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            pass
        await echo(a=1)
      `,
      "no time to wait": python`
        import asyncio
        from mcp_tools.aio.attack import slow, echo
        for seconds in (0, 0.001, -1):
            try:
                await asyncio.wait_for(slow(ms=100), seconds)
            except asyncio.TimeoutError:
                print("late")
        await echo(a=2)
      `,
      forgotten: python`
        import asyncio
        from mcp_tools.aio.attack import echo, fail, slow
        echo(a=1)  # type: ignore
        tasks = [asyncio.ensure_future(slow(ms=20)) for _ in range(50)]
        asyncio.ensure_future(fail())
        1
      `,
      "an answer that nobody reads": forged`
        for number in range(30):
            forge({"type": "call", "id": 2000 + number, "server": "attack", "tool": "big", "args": {"bytes": 8_000_000}})
        time.sleep(2)
        1
      `,
      "ids that are reused, guessed or no numbers": forged`
        for number in ["1", "1", "1", "-1", "9007199254740991"]:
            forge('{"type":"call","id":' + number + ',"server":"attack","tool":"echo","args":{}}')
        from mcp_tools.attack import echo
        echo(a=1)
      `,
      ...Object.fromEntries(
        ["1e300", "null", '"1"', "[1]", "1.5", "{}"].map((id) => [
          `id ${id}`,
          {
            steps: forged`
              forge('{"type":"call","id":${id},"server":"attack","tool":"echo","args":{}}')
              time.sleep(1)
            `,
            expect: "E" as const,
          },
        ]),
      ),
    },
  },
  {
    id: "P083-many",
    language,
    title: "a hundred thousand calls at once",
    expect: "L",
    timeout: 10,
    slow: true,
    code: {
      "a hundred thousand": {
        steps: `import asyncio\nfrom mcp_tools.aio.attack import echo\nawait asyncio.gather(*[echo(a=n) for n in range(10**5)])`,
        expect: "L",
        says: /tool calls/i,
      },
      "a hundred thousand denials": {
        steps: `import asyncio\nfrom mcp_tools.aio.attack import call\nawait asyncio.gather(*[call(str("forbidden")) for n in range(10**5)], return_exceptions=True)`,
        expect: "L",
      },
    },
  },
  {
    id: "P083-threads",
    language,
    title: "calls from many threads at once",
    expect: "ok",
    timeout: 8,
    on: { pyodide: { skip: "it has no threads" } },
    code: python`
      import threading
      from typing import Any
      from mcp_tools.attack import echo
      wrong: list[Any] = []
      def work(number: int) -> None:
          for turn in range(10):
              answer: Any = echo(number=number, turn=turn)
              if answer != {"number": number, "turn": turn}:
                  wrong.append(answer)
      threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
      [thread.start() for thread in threads]
      [thread.join() for thread in threads]
      wrong
    `,
    returns: [],
  },
  {
    id: "P085",
    language,
    title: "calls after the result",
    expect: ["ok", "E"],
    timeout: 3,
    code: {
      "frames behind a forged end": {
        steps: forged`
          forge({"type": "done", "value": "forged"})
          for number in range(20):
              forge({"type": "call", "id": 3000 + number, "server": "attack", "tool": "late", "args": {}})
          time.sleep(1)
        `,
        returns: "forged",
      },
      "end and call in one piece": {
        steps: forged`
          def frame(message: Any) -> bytes:
              body = json.dumps(message).encode()
              return len(body).to_bytes(4, "big") + body
          send(frame({"type": "done", "value": "forged"}) + frame({"type": "call", "id": 1, "server": "attack", "tool": "late", "args": {}}) + frame({"type": "operation", "id": 2, "name": "list_servers", "args": {}}) + frame({"type": "print", "stream": "stdout", "text": "late"}) + frame({"type": "done", "value": "twice"}))
          time.sleep(1)
        `,
        returns: "forged",
      },
      "after a failure": {
        steps: forged`
          forge({"type": "failed", "error": {"name": "Forged", "message": "forged"}})
          forge({"type": "call", "id": 1, "server": "attack", "tool": "late", "args": {}})
          time.sleep(1)
        `,
        expect: "E",
      },
      "a daemon thread": forged`
        import threading
        def wait() -> None:
            while host._is_open:
                time.sleep(0.001)
            time.sleep(0.02)
            host._is_open = True
            host.call("attack", "late", "{}")
        try:
            threading.Thread(target=wait, daemon=True).start()
        except RuntimeError:
            pass
        1
      `,
      "at exit": forged`
        import atexit
        def leave() -> None:
            host._is_open = True
            host.call("attack", "late", "{}")
        atexit.register(leave)
        1
      `,
      "a session goes on in silence": [
        {
          session: "p085",
          code: forged`
            import threading
            def speak() -> None:
                while host._is_open:
                    time.sleep(0.001)
                forge({"type": "done", "value": "for the next run"})
                forge({"type": "call", "id": 1, "server": "attack", "tool": "late", "args": {}})
            try:
                threading.Thread(target=speak, daemon=True).start()
            except RuntimeError:
                pass
            1
          `,
        },
        { code: `import time\ntime.sleep(0.3)\n1` },
        { session: "p085", code: "40 + 2" },
      ],
    },
  },
  {
    id: "P086",
    language,
    title: "what a later run sees of an earlier one",
    expect: "ok",
    code: {
      "another session": {
        steps: [
          {
            session: "p086-a",
            code: python`
              import builtins, json, os, sys
              kept = "mine"
              setattr(builtins, "pwned", 1)
              setattr(json, "pwned", 1)
              os.environ["LEFT"] = "1"
              os.chdir("/")
              open(%NEXT%, "w").write("left")
              sys.modules["left"] = json
              1
            `,
          },
          {
            session: "p086-b",
            code: python`
              import builtins, json, os, sys
              [globals().get("kept"), getattr(builtins, "pwned", None), getattr(json, "pwned", None), os.environ.get("LEFT"), os.path.exists(%NEXT%), "left" in sys.modules]
            `,
          },
        ],
        returns: [null, null, null, null, false, false],
      },
      "no session": {
        steps: [
          {
            session: "p086-c",
            code: `import builtins, sys\nkept = "mine"\nsetattr(builtins, "pwned", 1)\nopen(%NEXT%, "w").write("left")\n1`,
          },
          {
            code: `import builtins, os\n[globals().get("kept"), getattr(builtins, "pwned", None), os.path.exists(%NEXT%)]`,
          },
        ],
        returns: [null, null, false],
      },
      "the same session": {
        steps: [
          { session: "p086-d", code: `kept = "mine"\nimport json\nsetattr(json, "left", 1)\n1` },
          { session: "p086-d", code: `import json\n[kept, getattr(json, "left", None)]` },
        ],
        returns: ["mine", 1],
      },
      "tools patched in the same session": {
        steps: [
          {
            session: "p086-e",
            code: python`
              import mcp_tools.attack as attack
              setattr(attack, "echo", lambda **named: "patched")
              setattr(attack, "forbidden", lambda **named: attack.call(str("forbidden")))
              1
            `,
          },
          { session: "p086-e", code: `from mcp_tools.attack import echo\necho(a=1)` },
        ],
        returns: { a: 1 },
      },
      "fewer servers in the same session": {
        steps: [
          { session: "p086-f", servers: ["attack"], code: `from mcp_tools.attack import call\nkept = call\n1` },
          {
            session: "p086-f",
            servers: [],
            code: python`
              try:
                  answer = kept("echo", {"a": 1})
              except Exception as error:
                  answer = type(error).__name__
              answer
            `,
          },
        ],
        returns: "ToolError",
      },
      "names that sessions must not have": {
        steps: [
          { session: "../../etc", code: "kept = 1" },
          { session: "__proto__", code: "globals().get('kept', 'nothing')" },
        ],
        expect: ["ok", "R"],
      },
    },
  },
  {
    id: "P088",
    language,
    title: "sources with encodings, marks and control characters",
    expect: ["R", "E", "ok"],
    timeout: 3,
    code: {
      "utf-7 cookie": `# -*- coding: utf-7 -*-\n+AG8AcABlAG4-("/etc/passwd")`,
      "raw_unicode_escape cookie": `# coding: raw_unicode_escape\n#\\u000aprint("smuggled")\n1`,
      "unicode_escape cookie": `# coding: unicode_escape\n"\\x22; import os; os._exit(0) #"`,
      "rot13 cookie": `# coding: rot13\ncevag(1)`,
      "unknown cookie": `# coding: no-such\n1`,
      "a byte order mark": { steps: "\ufeff1 + 1", expect: "ok", returns: 2 },
      "two byte order marks": "\ufeff\ufeff1 + 1",
      "form feeds": "x = 1\n\fx + 1",
      "a NUL": "x = 1\0\nimport os",
      "a NUL at the end": "1 + 1\0",
      "carriage returns only": { steps: "x = 1\ry = 2\rx + y", expect: ["ok", "R"], returns: 3 },
      "carriage returns that hide": `x = 1 # harmless\rx = 2\nx`,
      "tabs and spaces": "if 1:\n\tx = 1\n        y = 2",
      "a backslash at the end": "1 + 1\\",
      "an open string": '"""never closed',
      "a future import late": "x = 1\nfrom __future__ import annotations",
      "a future import first": {
        steps: "from __future__ import annotations\ndef f(x: int) -> int: return x\nf(3)",
        expect: "ok",
        returns: 3,
      },
      "line separators": "x = '\u2028'\nx",
      "characters that turn text around": { steps: "x = 'a\u202eb'\nlen(x)", expect: "ok", returns: 3 },
      "half of a surrogate pair": "x = '\ud800'\nlen(x)",
      nothing: "",
      "comments only": "# nothing",
      "a megabyte of spaces": `${" ".repeat(1_000_000)}\n1`,
      "end of file marks": "1\u001a\nimport os",
    },
  },
  {
    id: "P089",
    language,
    title: "sources that would close the text that they are put into",
    expect: ["R", "E"],
    code: {
      "triple quotes": {
        steps: `""")\nimport os\nos._exit(0)\n("""`,
        expect: "ok",
        returns: ")\nimport os\nos._exit(0)\n(",
      },
      "single triple quotes": {
        steps: `''')\nimport os\nos._exit(0)\n('''`,
        expect: "ok",
        returns: ")\nimport os\nos._exit(0)\n(",
      },
      "a closing bracket": ")\nimport os\nos._exit(0)\n(1",
      "a block that ends": "pass\nexcept: pass\nfinally: pass",
      dedented: "    1\n1",
      return: "return 1",
      yield: "yield 1",
      "an else": "1\nelse:\n    2",
      "a fence inside": "x = 1\n```\nimport os\n```",
    },
  },
  {
    id: "P089-text",
    language,
    title: "quotes, braces and escapes in a source stay as they are",
    expect: "ok",
    returns: ["\"\"\"'''\\n{x}$y%(z)s%s\\", 3],
    code: String.raw`text = "\"\"\"'''\\n{x}$y%(z)s%s\\"
[text, """
'''""".count("'")]`,
  },
];
