import { attempts, forged, python, trying } from "./python-attempt.ts";
import type { Row } from "./row.ts";

const language = "python";

/** Follows a class to the functions, modules and files that it gives access to. */
const pursue = python`
  struck: set[int] = set()
  def pursue(kind: Any) -> None:
      for member in list(vars(kind).values()):
          function = getattr(member, "__func__", getattr(member, "fget", member))
          for name, found in list(getattr(function, "__globals__", {}).items()):
              if is_system(found) and id(found) not in struck:
                  struck.add(id(found))
                  attempt(f"{kind.__module__}.{kind.__name__} {name}", lambda: strike(found))
  def everything(kind: Any) -> Any:
      seen: set[Any] = set()
      queue = [kind]
      while queue:
          at = queue.pop()
          if at not in seen:
              seen.add(at)
              queue.extend(type.__subclasses__(at))
      return seen
`;

/** 2A: the object graph. */
export const objectGraphRows: readonly Row[] = [
  {
    id: "P001",
    language,
    title: "from an empty tuple to every class, and what the useful ones give",
    expect: "ok",
    code: `${attempts}\n${pursue}\n${python`
      import subprocess
      classes = everything(loose(()).__class__.__base__)
      for kind in classes:
          pursue(kind)
      named = {kind.__name__: kind for kind in classes if isinstance(kind.__name__, str)}
      attempt("Popen", lambda: named["Popen"]([sys.executable, "-c", "import time; time.sleep(30)", %PROC%]).pid)
      attempt("catch_warnings", lambda: named["catch_warnings"]()._module.__builtins__["open"](%FILES%[0]).read())
      attempt("BuiltinImporter", lambda: strike(named["BuiltinImporter"].load_module("posix")))
      attempt("FileLoader", lambda: [named["FileLoader"]("x", path).get_data(path) for path in %FILES%])
      attempt("FileIO", lambda: named["FileIO"](%FILES%[0]).read())
      attempt("_wrap_close", lambda: named["_wrap_close"].__init__.__globals__["system"]("cat " + " ".join(%FILES%)))
      [f"{len(classes) > 100} {len(struck) > 0}", *out]
    `}`,
  },
  {
    id: "P002",
    language,
    title: "the same by method resolution orders, exceptions and copying",
    expect: "ok",
    code: `${attempts}\n${pursue}\n${python`
      for start in [loose(""), loose([]), loose({}), loose(1), loose(1.5), loose(b""), loose(None), loose(print), loose(lambda: 1), loose(Exception()), loose(range(1)), loose(ImportError("x"))]:
          base = start.__class__.__mro__[-1]
          attempt(type(start).__name__, lambda: base is type.mro(type(start))[-1] and len(base.__subclasses__()))
          for kind in base.__subclasses__():
              pursue(kind)
      attempt("reduce", lambda: strike(sys.modules[loose(object()).__reduce_ex__(2)[0].__globals__["__name__"]].sys.modules["os"]))
      attempt("copyreg", lambda: loose(object()).__reduce_ex__(0)[0].__globals__["__builtins__"]["open"](%FILES%[0]).read())
      attempt("class of a class", lambda: strike(loose(type(type)).__subclasses__(type)[0].__init__.__globals__["sys"].modules["os"]))
      out
    `}`,
  },
  {
    id: "P004",
    language,
    title: "what hangs on the tools that the guest is given: self, closure, globals, partial",
    expect: "ok",
    code: trying`
      import functools, gc, mcp_tools, mcp_tools.attack as attack, mcp_tools.aio.attack as twin, coordinator
      for name, tool in [("call", mcp_tools.call), ("echo", attack.echo), ("twin", twin.echo), ("list", attack.list_tools), ("search", mcp_tools.search), ("partial", functools.partial(attack.echo).func), ("error", mcp_tools.ToolError.__init__)]:
          it = loose(tool)
          for path in ["__self__", "__func__", "__module__", "__defaults__", "__kwdefaults__", "__dict__", "__wrapped__", "__annotations__"]:
              attempt(name + path, lambda: getattr(it, path))
          attempt(name + " globals", lambda: [strike(value) for value in it.__globals__.values() if is_system(value)])
          for cell in it.__closure__ or ():
              holder = cell.cell_contents
              owner = getattr(holder, "_host", None) or getattr(getattr(holder, "__self__", None), "_host", None)
              if owner is None:
                  continue
              attempt(name + " host", lambda: vars(owner))
              attempt(name + " channel", lambda: vars(owner._channel))
              attempt(name + " forbidden", lambda: owner.call("attack", "forbidden", "{}"))
              attempt(name + " off", lambda: owner.call("off", "echo", "{}"))
              attempt(name + " operation", lambda: owner.operation("call_tool", '{"server_name":"off","tool_name":"echo","arguments":{}}'))
              attempt(name + " execute", lambda: owner.operation("execute_code", '{"code":"1"}'))
      attempt("referrers", lambda: [type(one).__name__ for one in gc.get_referrers(attack.echo)])
    `,
  },
  {
    id: "P005",
    language,
    title: "names built at run time",
    expect: "ok",
    code: trying`
      import codecs
      spell = ["_" * 2 + "class" + "_" * 2, bytes([95, 95, 99, 108, 97, 115, 115, 95, 95]).decode(), "".join(reversed("__ssalc__")), codecs.decode("__pynff__", "rot13"), "".join(chr(ord(c)) for c in "__class__")]
      for name in spell:
          base = getattr(getattr((), name), "__ba" + "se__")
          attempt(name, lambda: next(strike(kind.__init__.__globals__["sys"].modules["o" + "s"]) for kind in base.__subclasses__() if hasattr(kind.__init__, "__globals__") and "sys" in kind.__init__.__globals__))
      attempt("import", lambda: strike(vars(builtins)["__imp" + "ort__"]("so"[::-1])))
      attempt("eval", lambda: strike(eval("".join(["__imp", "ort__('o", "s')"]))))
      attempt("open", lambda: [vars(builtins)["".join(map(chr, [111, 112, 101, 110]))](path).read() for path in %FILES%])
    `,
  },
  {
    id: "P007",
    language,
    title: "attributes read past a class's own way of reading them",
    expect: "ok",
    code: trying`
      import mcp_tools, mcp_tools.attack as attack
      class Child(loose(type(attack))):
          def look(self, name: str) -> Any:
              return super().__getattribute__(name)
      for subject in [mcp_tools, attack, attack.echo, mcp_tools.ToolError, os]:
          for read in [object.__getattribute__, lambda value, name: type.__getattribute__(type(value), name), lambda value, name: Child.look(value, name)]:
              for name in ["__dict__", "__class__", "__spec__", "__loader__", "__globals__", "__closure__", "forbidden", "_host"]:
                  attempt(name, lambda: read(subject, name))
      loader = object.__getattribute__(attack, "__spec__").loader
      attempt("loader", lambda: vars(loader))
      attempt("offer", lambda: loader.offer([{"server": "off", "module": "off", "tools": [["echo", "echo"]]}, {"server": "attack", "module": "attack", "tools": [["forbidden", "forbidden"]]}], ["call_tool", "execute_code"]))
      import importlib
      attempt("module of my own", lambda: importlib.import_module("mcp_tools.off").echo(a=1))
      attempt("tool of my own", lambda: importlib.import_module("mcp_tools.attack").forbidden())
      attempt("operation of my own", lambda: importlib.import_module("coordinator").call_tool(server_name="off", tool_name="echo", arguments={}))
    `,
  },
  {
    id: "P008",
    language,
    title: "hooks of classes as calls",
    expect: "ok",
    code: trying`
      import types
      class Meta(type):
          @classmethod
          def __prepare__(meta, name: Any, bases: Any, **rest: Any) -> Any:
              attempt("prepare", strike)
              return {}
          def __call__(cls, *given: Any) -> Any:
              attempt("metaclass call", strike)
              return super().__call__(*given)
          def __instancecheck__(cls, value: Any) -> bool:
              attempt("instancecheck", strike)
              return True
          def __subclasscheck__(cls, value: Any) -> bool:
              attempt("subclasscheck", strike)
              return True
          def mro(cls) -> Any:
              attempt("mro", strike)
              return super().mro()
      class Named:
          def __set_name__(self, owner: Any, name: str) -> None:
              attempt("set_name", strike)
      class Base(metaclass=Meta):
          named = Named()
          def __init_subclass__(cls) -> None:
              attempt("init_subclass", strike)
          def __class_getitem__(cls, item: Any) -> Any:
              return attempt("class_getitem", strike)
      class Child(Base):
          pass
      class Missing(dict):
          def __missing__(self, key: Any) -> Any:
              return attempt("missing", strike)
      loose(Base)[1], isinstance(1, Base), issubclass(int, Base), Child(), Missing()[1]
      types.new_class("Made", (Base,), {"metaclass": Meta}, lambda namespace: attempt("exec_body", strike))
      "%(x)s" % Missing()
      from mcp_tools.attack import echo
      class Sub(loose(type(sys.modules["mcp_tools.attack"]))):
          def __init_subclass__(cls) -> None:
              attempt("subclass of a library", strike)
      class Again(Sub):
          pass
      attempt("made module", lambda: loose(Again)("mcp_tools.off").echo)
    `,
  },
  {
    id: "P010",
    language,
    title: "descriptors bound to the guest's own machinery, properties put in place of its state",
    expect: "ok",
    returns: [true, true, true, true, 1],
    code: forged`
      kind = type(host)
      bound = kind.call.__get__(host, kind)
      answers: list[Any] = []
      def denied(act: Any) -> bool:
          try:
              act()
              return False
          except mcp_tools.ToolError as error:
              return error.delivery == "not_sent"
      answers.append(denied(lambda: bound("attack", "forbidden", "{}")))
      state = host._is_open
      kind._is_open = property(lambda self: True, lambda self, value: None)
      answers.append(denied(lambda: host.call("off", "echo", "{}")))
      del kind._is_open
      host._is_open = state
      class Slot:
          def __get__(self, owner: Any, kind: Any = None) -> Any:
              return owner.__dict__["_channel"] if owner else self
          def __set__(self, owner: Any, value: Any) -> None:
              owner.__dict__["_channel"] = value
      kind._channel = Slot()
      answers.append(denied(lambda: mcp_tools.call("attack", "forbidden")))
      class Other(kind):
          __slots__ = ("more",)
      other = loose(object).__new__(Other)
      other.__dict__.update(vars(host))
      answers.append(denied(lambda: other.call("attack", "forbidden", "{}")))
      answers.append(host.call("attack", "echo", '{"a":1}')["a"])
      answers
    `,
  },
  {
    id: "P011",
    language,
    title: "finalizers, weak references and callbacks of the collector that act after the run",
    expect: "ok",
    returns: "nothing",
    code: {
      "fresh runs": [
        {
          code: forged`
            import atexit, builtins, threading, weakref
            setattr(builtins, "pwned", 1)
            ended: list[int] = []
            def late(*given: Any) -> None:
                if ended:
                    host._is_open = True
                    forge({"type": "call", "id": 900 + len(ended), "server": "attack", "tool": "late", "args": {}})
            class Dying:
                def __del__(self) -> None:
                    late()
            one: Any = Dying()
            one.itself = one
            setattr(builtins, "dying", Dying())
            weakref.finalize(one, late)
            gc.callbacks.append(late)
            atexit.register(late)
            getattr(threading, "_register_atexit", atexit.register)(late)
            write = channel.write
            def ending(body: bytes) -> None:
                write(body)
                if body.startswith(b'{"type":"done"'):
                    ended.append(1)
                    globals().pop("one")
                    delattr(builtins, "dying")
                    gc.collect()
                    sys.exit()
            channel.write = ending
            open(%NEXT%, "w").write("left")
            1
          `,
        },
        {
          code: python`
            import builtins, gc, os
            gc.collect()
            "nothing" if not hasattr(builtins, "pwned") and not os.path.exists(%NEXT%) and not gc.callbacks else "something"
          `,
        },
      ],
    },
  },
  {
    id: "P013",
    language,
    title: "what operators, augmented assignments and with statements call",
    expect: "ok",
    code: trying`
      class Trap:
          def __getattr__(self, name: str) -> Any:
              return attempt(name, strike)
          def __iadd__(self, other: Any) -> Any:
              attempt("iadd", lambda: strike(other))
              return self
          def __imatmul__(self, other: Any) -> Any:
              attempt("imatmul", lambda: other(%FILES%[0]).read())
              return self
          def __enter__(self) -> Any:
              attempt("enter", strike)
              return os.__dict__["environ"]
          def __exit__(self, *given: Any) -> bool:
              attempt("exit", lambda: strike(given[2].tb_frame.f_builtins["__import__"]("os")))
              return True
          def __call__(self, *given: Any, **named: Any) -> Any:
              return attempt("call", lambda: [strike(value) for value in (*given, *named.values())])
          def __getitem__(self, key: Any) -> Any:
              return attempt("getitem", lambda: key(%FILES%[0]).read())
          def __index__(self) -> int:
              attempt("index", strike)
              return 0
          def __bool__(self) -> bool:
              attempt("bool", strike)
              return True
      trap = Trap()
      trap += __import__("os")
      trap @= open
      with trap as found:
          attempt("as", lambda: found[%ENV%])
          raise ValueError
      loose(trap)(os, system=__import__("posix"))
      loose(trap)[open]
      [0][loose(trap)]
      if trap and not trap:
          pass
      space = loose(os.__dict__)
      space["environ"] |= {}
      attempt("augmented", lambda: dict(space["environ"]))
    `,
  },
  {
    id: "P014",
    language,
    title: "attributes read and stored by patterns, loops, deletions and stars",
    expect: "ok",
    code: trying`
      match loose(()):
          case object(__class__=kind):
              attempt("match", lambda: [strike(loose(one).__init__.__globals__["sys"].modules["os"]) for one in kind.__base__.__subclasses__() if "sys" in getattr(one.__init__, "__globals__", {})][:1])
      match loose(os):
          case object(environ=found, open=opens, system=run):
              attempt("environ", lambda: dict(found))
              attempt("system", lambda: run("cat " + " ".join(%FILES%)))
      import mcp_tools.attack as attack
      match loose(attack.echo):
          case object(__closure__=cells, __globals__=spaces):
              attempt("closure", lambda: [vars(cell.cell_contents) for cell in cells if hasattr(cell.cell_contents, "__dict__")])
              attempt("globals", lambda: sorted(spaces))
      class Space:
          pass
      space: Any = Space()
      for space.system in [os]:
          attempt("for", lambda: strike(space.system))
      [space.first, *space.rest] = [os, builtins, sys]
      attempt("star", lambda: strike(space.first))
      attempt("walrus", lambda: strike(got) if (got := space.first) else None)
      with open(os.devnull) as space.file:
          attempt("with", lambda: space.file.buffer.raw.__class__(%FILES%[0]).read())
      attempt("del", lambda: loose(attack).__dict__.clear())
      exec("import sys as loop_os\ntry:\n  del mcp.__dict__['call']\nexcept Exception as e:\n  pass", {"mcp": attack})
      attempt("after", lambda: __import__("mcp_tools").call("attack", "forbidden"))
    `,
  },
  {
    id: "P016",
    language,
    title: "names that the guest's machinery uses, replaced",
    expect: ["ok", "E"],
    timeout: 2,
    code: {
      "print, json, os.write and re rewrite what is sent": forged`
        caught: list[str] = []
        write, dumps, loads, encode = os.write, json.dumps, json.loads, json.JSONEncoder.encode
        def spy(name: str, original: Any) -> Any:
            def called(*given: Any, **named: Any) -> Any:
                caught.append(name)
                return original(*given, **named)
            return called
        def rewriting(fd: int, data: Any) -> int:
            return write(fd, bytes(data).replace(b'"harmless1"', b'"forbidden"').replace(b'"abc"', b'"off"'))
        loose(json).dumps, loose(json).loads = spy("dumps", dumps), spy("loads", loads)
        loose(json.JSONEncoder).encode = spy("encode", encode)
        loose(os).write, loose(os).read = spy("write", rewriting), spy("read", os.read)
        loose(__builtins__).print = spy("print", print)
        from mcp_tools.attack import echo
        answer = echo(a=1)
        for server, tool in [("attack", "harmless1"), ("abc", "echo"), ("abc", "harmless1")]:
            try:
                caught.append("reached " + repr(mcp_tools.call(server, tool)))
            except mcp_tools.ToolError as error:
                caught.append(error.delivery)
        print(answer)
        sorted(set(caught))
      `,
      "a failure told as success": python`
        import json
        setattr(json, "dumps", lambda *given, **named: '{"type":"done","value":"forged"}')
        raise ValueError("a real failure")
      `,
      "len, isinstance and str": {
        expect: ["E", "T", "ok"],
        steps: python`
        import builtins
        from mcp_tools.attack import echo
        from mcp_tools import call, ToolError
        length, instance = builtins.len, builtins.isinstance
        setattr(builtins, "len", lambda value: length(value) + 1 if type(value) is bytes and value.startswith(b'{"id"') else length(value))
        setattr(builtins, "isinstance", lambda value, kind: True if kind is str else instance(value, kind))
        try:
            call(["attack"], "forbidden")  # type: ignore
        except BaseException as error:
            print(type(error).__name__)
        echo(a=1)
      `,
      },
      "the classes of the guest": forged`
        for module in [module for name, module in list(sys.modules.items()) if name.startswith("coordinator_guest")]:
            for name, member in list(vars(module).items()):
                if isinstance(member, type) and member.__module__.startswith("coordinator_guest"):
                    for key, value in list(vars(member).items()):
                        if callable(value) and key.startswith(("check", "_limit", "allows", "missing")):
                            setattr(member, key, lambda *given, **named: None)
        [refused("attack", "forbidden"), refused("off", "echo")]
      `,
    },
  },
  {
    id: "P017",
    language,
    title: "identifiers that only become forbidden names when normalized",
    expect: "ok",
    code: trying`
      secret = %FILES%[0]
      for source in ["ｅval('strike(__import__(\"os\"))')", "__ｉmport__('os').environ.copy()", "ｏｐｅｎ(secret).read()", "().__cla𝓈s__.__ba𝓈e__.__subcla𝓈ses__()", "𝒆xec('strike()')", "𝓰lobals()['os'].ｅnviron.copy()", "ｏｓ.ｌｉｓｔｄｉｒ('/')"]:
          attempt(ascii(source), lambda: eval(source))
      exec("import ｏｓ as ｏｓ２\nattempt('import', lambda: strike(ｏｓ２))")
      import mcp_tools, mcp_tools.attack as attack
      attempt("tool", lambda: eval("attack.ｆorbidden()"))
      attempt("name", lambda: mcp_tools.call("attack", "ｆorbidden"))
      attempt("server", lambda: mcp_tools.call("ｏff", "echo"))
    `,
  },
  {
    id: "P019",
    language,
    title: "classes, functions and code made by hand",
    expect: "ok",
    code: trying`
      import types
      made = type("X", (object,), {"__init__": lambda self: [attempt("type", strike), None][1], "__slots__": ()})
      made()
      space = {"__builtins__": {}, "found": os}
      attempt("globals of its own", lambda: types.FunctionType(compile("found.environ.copy()", "x", "eval"), space)())
      attempt("another's globals", lambda: types.FunctionType((lambda: sys.modules["os"].environ.copy()).__code__, vars(sys.modules["json"]))())  # type: ignore
      import mcp_tools.attack as attack
      def steal() -> Any:
          return [value for value in globals().values() if hasattr(value, "environ")] or sorted(globals())
      attempt("the guest's globals", lambda: types.FunctionType(steal.__code__, loose(attack.echo).__globals__)())
      def closure() -> Any:
          cell = None
          return lambda: cell
      attempt("another's cells", lambda: [types.FunctionType(closure().__code__, {}, "x", None, (cell,))() for cell in loose(attack.echo).__closure__])
      code = (lambda: 1).__code__
      attempt("swapped code", lambda: setattr(attack.echo, "__code__", code))
      attempt("module type", lambda: strike(types.ModuleType("os")))
      attempt("forbidden", lambda: attack.call(str("forbidden")))
    `,
  },
  {
    id: "P019-bytecode",
    language,
    title: "bytecode that reads past its constants and its stack",
    expect: "N",
    timeout: 3,
    code: Object.fromEntries(
      ["LOAD_CONST", "LOAD_FAST", "POP_TOP"].map((operation) => [
        operation,
        python`
          import dis, types
          extended = dis.opmap["EXTENDED_ARG"]
          def plain() -> object:
              return 1
          body = bytes([dis.opmap.get("RESUME", dis.opmap["NOP"]), 0])
          for argument in (0x7F, 0xFFFF, 0x7FFFFF):
              body += bytes([extended, argument >> 16 & 255, extended, argument >> 8 & 255, dis.opmap["${operation}"], argument & 255, 0, 0, 0, 0, 0, 0, 0, 0])
          body += bytes([dis.opmap["RETURN_VALUE"], 0]) * 4
          crafted = plain.__code__.replace(co_code=body)
          found = types.FunctionType(crafted, {})()
          repr(type(found))[:100]
        `,
      ]),
    ),
  },
  {
    id: "P020",
    language,
    title: "a tool's result is plain data all the way down",
    expect: "ok",
    returns: [],
    code: python`
      from typing import Any
      from mcp_tools.attack import echo, odd, raw, frames, list_tools
      from mcp_tools import list_servers, search, call
      live: list[Any] = []
      def walk(value: Any) -> None:
          if type(value) not in (dict, list, str, int, float, bool, type(None)):
              live.append(repr(type(value)))
          for child in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []:
              walk(child)
      for result in [echo(a=[{"b": [1, 1.5, None, True, "x"]}], __class__="x", __reduce__=["os.system", ["id"]]), raw(a=1), frames(), list_tools(), list_servers(), search("echo"),
          odd(json='{"py/object":"os.system","__class__":"Popen","$type":"x","__reduce__":["id"],"!!python/object/apply:os.system":["id"]}'), call("attack", "needs-quotes")]:
          walk(result)
      live
    `,
  },
];
