import { attempts, forged, python, trying } from "./python-attempt.ts";
import type { Row } from "./row.ts";

const language = "python";

/** Follows a frame to the outermost one and goes for everything that those frames hold, in the guest's machinery too. */
const climb = python`
  reached: set[str] = set()
  def climb(frame: Any) -> str:
      while frame:
          reached.add(frame.f_globals.get("__name__", "?") + "." + frame.f_code.co_name)
          for space in (frame.f_locals, frame.f_globals):
              for name, value in list(space.items()):
                  plunder(name, value)
          plunder("builtins", frame.f_builtins["__import__"]("os"))
          frame = frame.f_back
      return " ".join(sorted(reached))
  plundered: set[int] = set()
  def plunder(name: str, value: Any) -> None:
      if id(value) in plundered:
          return
      plundered.add(id(value))
      if is_system(value):
          attempt("os " + name, lambda: strike(value))
      if type(value).__name__ in ("Host", "_Plain", "_Async"):
          attempt("forbidden " + name, lambda: value.call("attack", "forbidden", "{}"))
          attempt("off " + name, lambda: value.call("off", "echo", "{}"))
      if type(value).__name__ in ("socket", "Channel", "Session", "Host"):
          attempt("state " + name, lambda: getattr(value, "__dict__", value))
      if isinstance(value, int) and 2 < value < 1024 and ("fd" in name or "slot" in name or "socket" in name):
          attempt("descriptor " + name, lambda: os.fstat(value))
      if isinstance(value, (str, bytes, dict, list, tuple)):
          show(value)
`;

/** 2B: formatting, exceptions and frames. */
export const formattingRows: readonly Row[] = [
  {
    id: "P022",
    language,
    title: "format strings that walk attributes",
    expect: "ok",
    code: trying`
      import string
      from mcp_tools.attack import echo
      class Walker(dict):
          def __missing__(self, key: str) -> Any:
              return os if key == "os" else echo
          def __getitem__(self, key: Any) -> Any:
              attempt("getitem " + str(key), strike)
              return super().__getitem__(key)
      class Named(string.Template):
          idpattern = r"[a-z_.]+"
      texts = ["{0.__globals__}", "{0.__closure__[0].cell_contents}", "{0.__class__.__base__.__subclasses__}", "{0.__globals__[__builtins__][open]}", "{0.__globals__[sys].modules[os].environ}"]
      for text in texts:
          attempt("format " + text, lambda: text.format(echo))
          attempt("vformat " + text, lambda: string.Formatter().vformat(text, (echo,), {}))
      attempt("format_map", lambda: "{os.environ} {echo.__globals__}".format_map(Walker()))
      attempt("percent", lambda: "%(os)s %(echo)s" % Walker())
      attempt("template", lambda: Named("$os $echo").substitute(Walker()))
      class Getting(string.Formatter):
          def get_field(self, field_name: Any, args: Any, kwargs: Any) -> Any:
              attempt("get_field", strike)
              return os.environ, "x"
          def convert_field(self, value: Any, conversion: Any) -> Any:
              return attempt("convert_field", lambda: dict(value))
      attempt("Formatter", lambda: Getting().format("{x!r}"))
    `,
  },
  {
    id: "P023",
    language,
    title: "f-strings and __format__ that walk attributes, template strings where there are some",
    expect: "ok",
    code: trying`
      from mcp_tools.attack import echo
      class Formatted:
          def __format__(self, spec: str) -> str:
              return show(attempt("format " + spec[:40], strike))
          def __repr__(self) -> str:
              return show(attempt("repr", lambda: open(%FILES%[0]).read()))
      x: Any = Formatted()
      attempt("nested", lambda: f"{x!r:{x.__class__.__base__}}")
      attempt("spec", lambda: f"{x:{os.environ}}")
      attempt("globals", lambda: f"{loose(echo).__globals__!r}")
      secret = %FILES%[0]
      attempt("lambda", lambda: f"{(lambda: open(secret).read())()}")
      attempt("eval", lambda: eval("f'{__import__(\"os\").environ!r}'"))
      attempt("t-string", lambda: eval("[part.value for part in t'{os.environ!r:x}{loose(echo).__closure__}' if hasattr(part, 'value')]"))
    `,
  },
  {
    id: "P025",
    language,
    title: "objects that exceptions carry with them",
    expect: "ok",
    code: `${attempts}\n${climb}\n${python`
      import importlib, mcp_tools, mcp_tools.attack as attack
      def raised(act: Any) -> Any:
          try:
              act()
          except BaseException as error:
              return error
      for act in [lambda: loose(attack).nothing, lambda: loose(mcp_tools).nothing, lambda: mcp_tools.call("off", "echo"), lambda: attack.call(str("forbidden")), lambda: attack.fail(), lambda: attack.echo(a={1}), lambda: attack.echo(a=float("nan")),
          lambda: loose(attack).echo(1), lambda: importlib.import_module("mcp_tools.nothing"), lambda: importlib.import_module("nothing"), lambda: eval("nothing"), lambda: eval("("), lambda: next(iter(())), lambda: {}["x"], lambda: attack.call(loose(5)), lambda: open("/nothing"), lambda: "\ud800".encode()]:
          error = raised(act)
          for name in ["obj", "name", "value", "path", "args", "filename", "object", "msg", "text", "name_from", "__cause__", "__context__", "__notes__", "__dict__", "server", "tool", "code"]:
              if hasattr(error, name):
                  attempt(type(error).__name__ + " " + name, lambda: getattr(error, name))
          if hasattr(error, "obj"):
              attempt("loader", lambda: [plunder("host", error.obj.__spec__.loader._host), strike(sys.modules["os"])])
          at = getattr(error, "__traceback__", None)
          while at:
              for name, value in list(at.tb_frame.f_locals.items()):
                  plunder(name, value)
              at = at.tb_next
      out
    `}`,
  },
  {
    id: "P026",
    language,
    title: "from a traceback to the frames of the machinery and of what forked it",
    expect: "ok",
    code: {
      "a traceback": `${attempts}\n${climb}\n${python`
        try:
            1 / 0  # type: ignore
        except ZeroDivisionError as error:
            climb(loose(error.__traceback__).tb_frame)
        [len(reached) > 1, sorted(reached), *out]
      `}`,
      "all frames of all threads": `${attempts}\n${climb}\n${python`
        import inspect, traceback
        climb(sys._getframe())
        for frame in sys._current_frames().values():
            climb(frame)
        attempt("stack", lambda: [frame.filename + " " + str(frame.code_context) for frame in inspect.stack(1)])
        attempt("extract", lambda: traceback.format_stack())
        attempt("exceptions", lambda: [climb(getattr(error, "__traceback__", None) and error.__traceback__.tb_frame) for error in getattr(sys, "_current_exceptions", dict)().values()])
        out
      `}`,
      "the machinery's variables changed": {
        steps: forged`
          try:
              import ctypes
          except ImportError:
              pass
          frame = loose(sys._getframe())
          changed: list[str] = []
          while frame:
              for name, value in list(frame.f_locals.items()):
                  if name in ("program", "libraries", "operations", "policy", "most_bytes", "outputBytes", "limits", "session"):
                      try:
                          if isinstance(value, dict):
                              value.update({"outputBytes": 10**12, "operations": ["execute_code", "call_tool"], "libraries": [{"server": "off", "module": "off", "tools": [["echo", "echo"]]}]})
                          else:
                              frame.f_locals[name] = 10**12
                              ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
                          changed.append(name)
                      except BaseException as error:
                          changed.append(name + " " + type(error).__name__)
              frame = frame.f_back
          print(changed, refused("off", "echo"), refused("attack", "forbidden"))
          "x" * 3_000_000
        `,
        expect: "ok",
      },
    },
  },
  {
    id: "P028",
    language,
    title: "from the frame of a running generator to those that run it",
    expect: "ok",
    code: `${attempts}\n${climb}\n${python`
      def walk() -> Any:
          frame = it.gi_frame.f_back
          yield attempt("builtins", lambda: strike(frame.f_builtins["__import__"]("os")))
          yield climb(frame)
      it = loose(walk())
      for step in it:
          show(step)
      holder: list[Any] = []
      generator = loose(climb(holder[0].gi_frame.f_back) for _ in [1])
      holder.append(generator)
      attempt("expression", lambda: list(generator))
      attempt("closed", lambda: it.gi_frame)
      [len(reached) > 1, sorted(reached), *out]
    `}`,
  },
  {
    id: "P029",
    language,
    title: "from coroutines and asynchronous generators to those that run them",
    expect: "ok",
    code: `${attempts}\n${climb}\n${python`
      import asyncio
      from mcp_tools.aio.attack import echo, slow
      async def child() -> Any:
          return await echo(a=1)
      async def feed() -> Any:
          yield 1
          climb(stream.ag_frame.f_back)
          yield await echo(a=2)
      stream = loose(feed())
      async for one in stream:
          show(one)
      task = loose(asyncio.ensure_future(slow(ms=30)))
      await asyncio.sleep(0)
      coroutine = task.get_coro()
      for name in ["cr_frame", "cr_await", "cr_origin", "cr_code"]:
          attempt(name, lambda: getattr(coroutine, name))
      at = coroutine
      while at is not None:
          attempt("await", lambda: climb(at.cr_frame))
          at = getattr(at, "cr_await", None) if hasattr(at, "cr_frame") else None
      attempt("stack", lambda: [climb(frame) for frame in task.get_stack()])
      attempt("loop", lambda: [plunder(name, value) for name, value in vars(asyncio.get_running_loop()).items()])
      attempt("tasks", lambda: [climb(frame) for every in asyncio.all_tasks() for frame in every.get_stack()])
      attempt("result", lambda: task.result())
      await task
      attempt("child", lambda: loose(child()).cr_frame.f_builtins["open"](%FILES%[0]).read())
      def old() -> Any:
          yield from iter([1])
      running = loose(old())
      next(running)
      attempt("gi_yieldfrom", lambda: running.gi_yieldfrom)
      [len(reached) > 1, sorted(reached), *out]
    `}`,
  },
  {
    id: "P031",
    language,
    title: "exception groups that split, derive and shrink as they like",
    expect: "E",
    timeout: 2,
    code: {
      derive: python`
        class Group(ExceptionGroup):
            def derive(self, excs):
                print(__import__("os").environ.get(%ENV%))
                return 5
            def split(self, condition):
                return (self, self)
            def subgroup(self, condition):
                return None
        try:
            raise Group("g", [ValueError(1), TypeError(2)])
        except* ValueError:
            pass
      `,
      "members that lie": python`
        class Group(ExceptionGroup):
            @property
            def exceptions(self):
                print("asked")
                return (self, self)
        raise Group("g", [ValueError(1)])
      `,
      "a group in a group": python`
        import typing
        error: typing.Any = [ValueError("innermost")][0]
        for _ in range(5000):
            error = BaseExceptionGroup("g", [error])
        raise error
      `,
      "a hundred thousand members": `raise ExceptionGroup("g" * 10**5, [ValueError("v" * 100)] * 10**5)`,
      "a group that holds its own copies": python`
        members: list = [ValueError(1)]
        for _ in range(6):
            members = [BaseExceptionGroup("g", members * 20)]
        group = members[0]
        raise group
      `,
      "what looks like a group": {
        steps: python`
          class Fake(Exception):
              exceptions = property(lambda self: tuple(Fake() for _ in range(1000)))
          raise Fake("fake")
        `,
        expect: ["E", "T"],
      },
    },
  },
  {
    id: "P032",
    language,
    title: "loops that swallow every exception",
    expect: "T",
    timeout: 1,
    slow: true,
    code: {
      "all of them": python`
        import time
        while True:
            try:
                while True:
                    time.sleep(0.01)
            except BaseException:
                continue
      `,
      signals: python`
        import signal
        for number in signal.valid_signals():
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            try:
                raise KeyboardInterrupt
            except BaseException:
                pass
      `,
      "memory and recursion": python`
        def fall():
            fall()
        while True:
            try:
                [fall(), bytearray(10**12)]
            except BaseException:
                try:
                    bytearray(10**12)
                except BaseException:
                    pass
      `,
      "in finally": python`
        exec("while True:\n  try:\n    raise SystemExit\n  finally:\n    continue")
      `,
    },
  },
  {
    id: "P034",
    language,
    title: "exceptions that cannot be shown",
    expect: "E",
    timeout: 2,
    code: {
      "str raises": `class X(Exception):\n    def __str__(self): raise ValueError("inner")\nraise X`,
      "str raises itself": `class X(Exception):\n    def __str__(self): raise self\nraise X`,
      "str exits": `class X(Exception):\n    def __str__(self): raise SystemExit(0)\nraise X`,
      "str is 100 MB": `class X(Exception):\n    def __str__(self): return "x" * 10**8\nraise X`,
      "str is no text": `class X(Exception):\n    def __str__(self): return 5  # type: ignore\nraise X`,
      "str is a subclass": python`
        class S(str):
            def __getitem__(self, key): raise ValueError("no slice")
            def __len__(self): return 10**12
        class X(Exception):
            def __str__(self): return S("mine")
        raise X
      `,
      "100 MB of message": `raise Exception("x" * 10**8)`,
      "name raises": python`
        class M(type):
            __name__ = property(lambda self: 1 / 0)  # type: ignore
        class X(Exception, metaclass=M): pass
        raise X("mine")
      `,
      "name raises the same": python`
        class M(type):
            @property
            def __name__(self): raise X("again")
        class X(Exception, metaclass=M): pass
        raise X("mine")
      `,
      "name is 10 MB": `raise type("N" * 10**7, (Exception,), {})("mine")`,
      "notes that are none": `error = Exception("x")\nsetattr(error, "__notes__", {"a": 1})\nraise error`,
      "a million notes": `error = Exception("x")\nsetattr(error, "__notes__", ["n" * 1000] * 10**5)\nraise error`,
      "attributes that raise": python`
        class X(Exception):
            def __getattribute__(self, name): raise ValueError(name)
        raise X("mine")
      `,
      "an error of ours that lies": python`
        from mcp_tools import ToolError
        class X(ToolError):
            server = property(lambda self: 1 / 0, lambda self, value: None)  # type: ignore
            delivery = property(lambda self: ["not_sent"], lambda self, value: None)  # type: ignore
        raise X("mine", "a", "b")
      `,
      "half of a surrogate pair": `raise Exception("\\ud800 \\x00 \\x1b[31m")`,
      "a chain of 20,000": python`
        error = ValueError("0")
        for index in range(20_000):
            following = ValueError(str(index))
            following.__cause__ = error
            error = following
        raise error
      `,
      "a cycle of causes": `a, b = ValueError("a"), ValueError("b")\na.__cause__, b.__cause__ = b, a\nraise a`,
    },
  },
  {
    id: "P034-loops",
    language,
    title: "exceptions that take for ever to show",
    expect: "T",
    timeout: 1,
    slow: true,
    code: {
      "str loops": `class X(Exception):\n    def __str__(self):\n        while True: pass\nraise X`,
      "notes loop": python`
        class Endless(list):
            def __getitem__(self, key):
                while True: pass
        error = Exception("x")
        setattr(error, "__notes__", Endless([1]))
        raise error
      `,
    },
  },
  {
    id: "P035",
    language,
    title: "hooks of the interpreter replaced",
    expect: ["ok", "E"],
    timeout: 3,
    code: {
      "all, then an error": {
        steps: `${attempts}\n${climb}\n${python`
          import threading
          def hook(*given: Any) -> Any:
              print("hooked", climb(sys._getframe(1)))
          for name in ["excepthook", "unraisablehook", "displayhook", "breakpointhook", "__excepthook__", "__displayhook__", "__unraisablehook__"]:
              setattr(sys, name, hook)
          threading.excepthook = hook
          class Dying:
              def __del__(self) -> None:
                  raise ValueError("unraisable")
          Dying()
          breakpoint()
          try:
              thread = threading.Thread(target=lambda: 1 / 0)
              thread.start()
              thread.join()
          except RuntimeError:
              pass
          raise ValueError("the end")
        `}`,
        expect: "E",
        says: /the end/,
      },
      "hooks that end the process": python`
        import os, sys
        from typing import Any
        def hook(*given: Any) -> Any:
            os._exit(0)
        for name in ["excepthook", "unraisablehook", "displayhook"]:
            setattr(sys, name, hook)
        1 + 1
      `,
      "a trace function": `${attempts}\n${climb}\n${python`
        import threading
        traced: list[int] = []
        def trace(frame: Any, event: str, argument: Any) -> Any:
            if "coordinator" in frame.f_globals.get("__name__", "") and len(traced) < 50:
                traced.append(1)
                climb(frame)
            return trace
        sys.settrace(trace)
        threading.settrace(trace)
        sys.setprofile(trace)
        from mcp_tools.attack import echo
        echo(a=1)
        sys.settrace(None)
        out[:50]
      `}`,
    },
  },
  {
    id: "P037",
    language,
    title: "texts of errors and tracebacks, searched for the host's paths, users and variables",
    expect: "ok",
    returns: [],
    code: python`
      import importlib, re, sys, traceback
      from typing import Any
      import mcp_tools, mcp_tools.attack as attack, coordinator
      def loose(value: Any) -> Any:
          return value
      anything: Any = coordinator
      texts: list[str] = []
      for act in [lambda: loose(attack).echo(5), lambda: attack.call(str("forbidden")), lambda: attack.call(str("nothing")), lambda: attack.call(str("forbiddn")), lambda: attack.fail(), lambda: mcp_tools.call("nowhere", "x"), lambda: mcp_tools.call("off", "echo"),
          lambda: mcp_tools.call("", ""), lambda: attack.echo(a={1}), lambda: importlib.import_module("nowhere"), lambda: importlib.import_module("mcp_tools.nothing"), lambda: anything.call_tool(), lambda: anything.list_tools(server_name=5),
          lambda: anything.artifacts.read(uri="x"), lambda: mcp_tools.search(loose(5)), lambda: anything.get_tool_schema(server_name="attack", tool_name="forbidden"), lambda: loose(attack).nothing, lambda: open("/nothing"), lambda: exec("(")]:
          try:
              texts.append("value " + repr(act())[:300])
          except BaseException as error:
              texts.append("".join(traceback.format_exception(type(error), error, error.__traceback__)) + repr(error) + repr(vars(error)))
      texts += [repr(sys.argv), repr(getattr(sys, "orig_argv", "")), sys.executable or "", repr(sys.path), repr(sys.flags), str(getattr(sys.modules["__main__"], "__file__", ""))]
      texts += [str(getattr(module, "__file__", "")) for module in list(sys.modules.values())]
      home = %FILES%[0].replace("/secret.txt", "")
      [text[-300:] for text in texts if home in text or re.search("dist/|node_modules|/work/|mcp-coordinator|canary-|chunk-|\\.js:", text)]
    `,
  },
  {
    id: "P038",
    language,
    title: "warnings made errors, and asserts",
    expect: ["ok", "E"],
    code: {
      "warnings are errors": python`
        import sys, warnings
        warnings.simplefilter("error")
        sys.warnoptions.append("error")
        warnings.showwarning = lambda *given, **named: sys.exit(0)  # type: ignore
        from mcp_tools.attack import echo
        from mcp_tools import call, ToolError
        echo(a="\\d")
        try:
            call("attack", "forbidden")
            print("reached")
        except ToolError as error:
            print(error.delivery)
        async def never(): pass
        forgotten = never()
        del forgotten
        warnings.warn("mine")
      `,
      asserts: python`
        import builtins, sys
        from mcp_tools import call, ToolError
        setattr(builtins, "__debug_", False)
        exec(compile("assert False", "x", "exec", optimize=2))
        setattr(builtins, "AssertionError", SystemExit)
        try:
            call("attack", "forbidden")
        except ToolError as error:
            print(error.delivery)
        assert False, "mine"
      `,
    },
  },
];
