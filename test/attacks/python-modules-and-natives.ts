import { attempts, forged, python, trying } from "./python-attempt.ts";
import type { Row } from "./row.ts";

const language = "python";

/** A C library to call into, where there is one. */
const native = python`
  import ctypes
  libc: Any = ctypes.CDLL(None, use_errno=True)
  def kernel(name: str, *given: Any) -> str:
      ctypes.set_errno(0)
      got = libc[name](*given)
      number = ctypes.get_errno()
      return f"{got} {os.strerror(number) if number else ''}"
`;

/** 2C: modules, files, sockets, processes and native code. */
export const moduleRows: readonly Row[] = [
  {
    id: "P040",
    language,
    title: "modules reached through modules",
    expect: "ok",
    code: trying`
      import importlib
      for path in ["random._os", "queue.threading._os", "warnings.sys", "re.enum.sys", "json.decoder.scanner", "typing.sys", "collections._sys", "statistics.random", "tempfile._os", "shutil.os", "pathlib.os", "glob.os", "inspect.os", "linecache.os", "asyncio.base_events.os", "dataclasses.sys", "contextlib.os", "logging.os", "argparse._os", "zipfile.os", "subprocess.os", "uuid.os", "os.path.os", "string._re.enum.sys"]:
          def follow() -> Any:
              first, *rest = path.split(".")
              at: Any = importlib.import_module(first)
              for name in rest:
                  at = getattr(at, name) if hasattr(at, name) else importlib.import_module(at.__name__ + "." + name)
              found = at if hasattr(at, "environ") else getattr(at, "modules", {}).get("os") or getattr(at, "sys", sys).modules["os"]
              return strike(found)
          attempt(path, follow)
    `,
  },
  {
    id: "P041",
    language,
    title: "every way to import, from files and finders of one's own too",
    expect: "ok",
    code: trying`
      import importlib, importlib.util, importlib.machinery, pkgutil, runpy, zipfile, zipimport, tempfile
      folder = tempfile.mkdtemp()
      source = os.path.join(folder, "mine.py")
      open(source, "w").write("import os\nfound = dict(os.environ)\n")
      attempt("sys.modules", lambda: strike(sys.modules["os"]))
      attempt("import_module", lambda: strike(importlib.import_module("posix")))
      attempt("__import__", lambda: strike(__import__("os", fromlist=["environ"])))
      attempt("pkgutil", lambda: strike(pkgutil.resolve_name("os")))
      attempt("get_data", lambda: [pkgutil.get_data("json", "../../../.." + path) for path in %FILES%])
      attempt("run_path", lambda: runpy.run_path(source)["found"])
      attempt("run_path of a secret", lambda: [runpy.run_path(path) for path in %FILES%[:1]])
      attempt("run_module", lambda: runpy.run_module("this"))
      def from_file(path: str) -> Any:
          spec: Any = importlib.util.spec_from_file_location("mine", path)
          module: Any = importlib.util.module_from_spec(spec)
          spec.loader.exec_module(module)
          return module.found
      attempt("spec_from_file_location", lambda: from_file(source))
      for path in %FILES%:
          attempt("source of a secret", lambda: importlib.machinery.SourceFileLoader("x", path).get_source("x"))
          attempt("data of a secret", lambda: importlib.machinery.SourcelessFileLoader("x", path).get_data(path))
      packed = os.path.join(folder, "packed.zip")
      with zipfile.ZipFile(packed, "w") as archive:
          archive.writestr("packed_module.py", "import os\nfound = os")
      attempt("zipimport", lambda: strike(loose(zipimport.zipimporter(packed)).load_module("packed_module").found))
      class Finder:
          def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
              return importlib.util.spec_from_file_location(name, source) if name in ("mcp_tools.off", "coordinator_guest.more", "evil") else None
      sys.meta_path.insert(0, loose(Finder()))
      sys.path.insert(0, folder)
      sys.path_hooks.clear()
      attempt("finder", lambda: importlib.import_module("evil").found)
      attempt("library of my own", lambda: importlib.import_module("mcp_tools.off"))
      attempt("forbidden", lambda: importlib.import_module("mcp_tools").call("attack", "forbidden"))
      attempt("reload", lambda: [importlib.reload(module) for name, module in list(sys.modules.items()) if name == "coordinator_guest.host"])
      attempt("guest main", lambda: importlib.import_module("coordinator_guest.main").main.__globals__["__file__"])
    `,
  },
  {
    id: "P043",
    language,
    title: "modules that open files, pagers and browsers when used",
    expect: ["ok", "E"],
    timeout: 5,
    code: {
      "one after the other": trying`
        import importlib, io, contextlib
        def quiet(act: Any) -> Any:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                act()
            return printed.getvalue()[:50]
        for name in ["this", "antigravity", "turtle", "idlelib", "idlelib.idle", "ensurepip", "venv", "pip", "tkinter", "webbrowser", "pydoc", "lib2to3.main", "test.support", "readline", "curses"]:
            attempt(name, lambda: quiet(lambda: importlib.import_module(name)))
        os.environ["PAGER"] = "cat " + " ".join(%FILES%)
        os.environ["BROWSER"] = "sh -c 'cat " + %FILES%[0] + " > " + %WRITES%[0] + "' %s"
        attempt("help", lambda: quiet(lambda: help(os.open)))
        attempt("help()", lambda: quiet(lambda: help()))
        attempt("license", lambda: quiet(lambda: getattr(builtins, "license")()))
        attempt("credits", lambda: quiet(lambda: getattr(builtins, "credits")()))
        def names_files(kind: Any) -> Any:
            printer = kind("x", "y", [os.path.basename(path) for path in %FILES%], [os.path.dirname(path) for path in %FILES%])
            return repr(printer) + quiet(printer)
        attempt("a printer of files", lambda: names_files(type(getattr(builtins, "license"))))
        attempt("pipepager", lambda: importlib.import_module("pydoc").pipepager("x", "cat " + " ".join(%FILES%)))
        attempt("tempfilepager", lambda: importlib.import_module("pydoc").tempfilepager("x", "cat"))
        attempt("webbrowser", lambda: importlib.import_module("webbrowser").open("http://127.0.0.1:%TCP4%/"))
        attempt("linecache", lambda: [importlib.import_module("linecache").getlines(path) for path in %FILES%])
        attempt("fileinput", lambda: list(importlib.import_module("fileinput").input(%FILES%)))
        attempt("mailcap", lambda: importlib.import_module("mailcap").getcaps())
        attempt("netrc", lambda: importlib.import_module("netrc").netrc(%FILES%[0]))
        attempt("pwd", lambda: importlib.import_module("pwd").getpwall())
        attempt("site", lambda: [importlib.import_module("site").getusersitepackages(), importlib.import_module("site").addsitedir(os.path.dirname(%FILES%[0]))])
      `,
    },
  },
  {
    id: "P044",
    language,
    title: "sockets of every sort",
    expect: "ok",
    returns: [],
    timeout: 10,
    // A system call that there is not ends the process.
    on: { pyodide: { expect: "E", returns: undefined } },
    code: python`
      import asyncio, importlib, os, socket
      from typing import Any
      reached: list[str] = []
      def loose(value: Any) -> Any:
          return value
      def attempt(name: str, act: Any) -> None:
          try:
              got = act()
              if got is not None:
                  reached.append(name + " " + repr(got)[:100])
          except BaseException as error:
              print(name, type(error).__name__, str(error)[:80])
      # A network of its own may have a loopback: what is sent there is for the canaries to see.
      def quietly(got: Any) -> None:
          return None
      module: Any = importlib.import_module
      sockets: Any = socket
      def dial(family: Any, where: Any, kind: Any = None) -> Any:
          one = sockets.socket(family, kind or sockets.SOCK_STREAM)
          one.settimeout(0.3)
          one.connect(where)
          one.send(b"GET / HTTP/1.0\r\n\r\n")
          return one.recv(10)
      for host in ["127.0.0.1", "localhost", "0", "0.0.0.0", "127.1", "2130706433", "0x7f.1", "10.0.2.2", "169.254.169.254", "192.168.0.1"]:
          attempt(host, lambda: dial(sockets.AF_INET, (host, %TCP4%)))
      for host in ["::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "fe80::1%lo"]:
          attempt(host, lambda: dial(sockets.AF_INET6, (host, %TCP6%)))
      attempt("udp", lambda: quietly(sockets.socket(sockets.AF_INET, sockets.SOCK_DGRAM).sendto(b"out", ("127.0.0.1", %UDP%))))
      attempt("unix", lambda: dial(sockets.AF_UNIX, %UDS%))
      attempt("watch", lambda: dial(sockets.AF_UNIX, %WATCH%))
      attempt("abstract", lambda: dial(sockets.AF_UNIX, "\0" + %ABSTRACT%))
      attempt("datagram", lambda: sockets.socket(sockets.AF_UNIX, sockets.SOCK_DGRAM).sendto(b"out", %UDS%))
      attempt("raw", lambda: sockets.socket(sockets.AF_INET, sockets.SOCK_RAW, 1))
      attempt("packet", lambda: sockets.socket(17, sockets.SOCK_RAW, 3))
      attempt("vsock", lambda: sockets.socket(40, sockets.SOCK_STREAM).connect((2, 1024)))
      attempt("netlink", lambda: quietly(sockets.socket(16, sockets.SOCK_RAW, 0).send(b"x" * 16)))
      attempt("alg", lambda: sockets.socket(38, 5, 0).bind(("hash", "sha256")))
      for name in ["example.com", "secret.example.com", "_dns.resolver.arpa"]:
          attempt("dns " + name, lambda: sockets.getaddrinfo(name, 80))
          attempt("dns4 " + name, lambda: sockets.gethostbyname(name))
      attempt("http.client", lambda: module("http.client").HTTPConnection("127.0.0.1", %TCP4%, timeout=0.3).request("GET", "/"))
      attempt("urllib", lambda: module("urllib.request").urlopen("http://127.0.0.1:%TCP4%/", timeout=0.3))
      attempt("urllib file", lambda: module("urllib.request").urlopen("file://" + %FILES%[0]).read())
      attempt("ftplib", lambda: module("ftplib").FTP().connect("127.0.0.1", %TCP4%, timeout=0.3))
      attempt("smtplib", lambda: module("smtplib").SMTP("127.0.0.1", %TCP4%, timeout=0.3))
      attempt("xmlrpc", lambda: module("xmlrpc.client").ServerProxy("http://127.0.0.1:%TCP4%/").x())
      attempt("syslog", lambda: module("logging.handlers").SysLogHandler(("127.0.0.1", %UDP%)).socket.sendto(b"x", ("127.0.0.1", %UDP%)) and None)
      attempt("multiprocessing", lambda: module("multiprocessing.connection").Client(%UDS%))
      attempt("dev/tcp", lambda: open("/dev/tcp/127.0.0.1/" + str(%TCP4%)))
      attempt("listen", lambda: quietly(sockets.create_server(("127.0.0.1", 0))))
      async def connect(where: Any) -> Any:
          return await asyncio.wait_for(asyncio.open_connection(*where), 0.3)
      for where in [("127.0.0.1", %TCP4%), ("::1", %TCP6%)]:
          try:
              reached.append(repr(await connect(where)))
          except BaseException as error:
              print("asyncio", type(error).__name__)
      reached
    `,
  },
  {
    id: "P044-uncaught",
    language,
    title: "a socket ends the run with a clear error",
    expect: "E",
    timeout: 3,
    code: {
      socket: `import socket\nsocket.create_connection(("127.0.0.1", %TCP4%), 1)`,
      urllib: `import urllib.request\nurllib.request.urlopen("http://127.0.0.1:" + str(%TCP4%))`,
      asyncio: `import asyncio\nawait asyncio.open_connection("127.0.0.1", %TCP4%)`,
      unix: `import socket\nsocket.socket(socket.AF_UNIX).connect(%UDS%)`,
    },
  },
  {
    id: "P046",
    language,
    title: "variables of the gateway, from every place that may hold them",
    expect: "ok",
    code: trying`
      import importlib, platform, sysconfig
      attempt("environ", lambda: dict(os.environ))
      attempt("environb", lambda: dict(loose(os).environb))
      attempt("getenv", lambda: [os.getenv(%ENV%), os.getenv("UPSTREAM_CANARY"), os.getenv("NODE_OPTIONS"), os.getenv("PATH")])
      attempt("posix", lambda: importlib.import_module("posix").environ)
      attempt("flags", lambda: [sys.flags, sys.argv, getattr(sys, "orig_argv", None), sys._xoptions, sys.warnoptions])
      attempt("sysconfig", lambda: sysconfig.get_config_vars())
      attempt("platform", lambda: [platform.uname(), platform.node()])
      for process in ["self", "1", "2", "3", str(os.getpid()), str(os.getppid()), "%PID%", "thread-self", "self/task/1"]:
          for file in ["environ", "cmdline", "auxv", "maps", "stat", "cgroup", "mountinfo", "root" + %FILES%[0], "cwd/secret.txt", "fd/0", "fd/3"]:
              attempt(f"{process} {file}", lambda: open(f"/proc/{process}/{file}", "rb").read(200000))
      attempt("expandvars", lambda: os.path.expandvars("$" + %ENV% + " $HOME ~ $USER"))
      attempt("shell", lambda: os.popen("env; set; cat /proc/*/environ").read())
      out.sort(key=lambda line: "FileNotFoundError" in line)
    `,
  },
  {
    id: "P046-memory",
    language,
    title: "variables of the gateway in the memory that the process began with",
    expect: "ok",
    on: { pyodide: { skip: "its memory is WebAssembly's: no C library, no stack of a process" } },
    code: `${attempts}\n${native}\n${python`
      import struct, tempfile
      start = ctypes.c_void_p.in_dll(libc, "environ").value or 0
      attempt("environ", lambda: hex(start))
      # write() answers EFAULT where a read of our own would crash.
      probe = tempfile.TemporaryFile()
      def read(address: int, size: int) -> bytes:
          probe.seek(0)
          libc.lseek(probe.fileno(), 0, 0)
          got = libc.write(probe.fileno(), ctypes.c_void_p(address), ctypes.c_size_t(size))
          return os.pread(probe.fileno(), max(got, 0), 0)
      def scan(address: int, pages: int) -> str:
          seen = 0
          for page in range(pages):
              block = read((address & ~4095) + page * 4096, 4096)
              seen += len(block)
              show(block)
              if b"PATH=" in block or b"HOME=" in block:
                  out.append(show(block[block.find(b"=") - 20:][:80]))
          return f"{seen} bytes"
      local = ctypes.c_int(1)
      name = ctypes.c_void_p.in_dll(libc, "program_invocation_name").value or 0
      attempt("environ", lambda: scan(start - 64 * 4096, 192))
      attempt("the start of the stack", lambda: scan(name - 64 * 4096, 192))
      attempt("the heap", lambda: scan(ctypes.addressof(local) - 2048 * 4096, 4096))
      attempt("self mem", lambda: open("/proc/self/mem", "rb"))
      attempt("the parent", lambda: kernel("process_vm_readv", os.getppid(), None, 0, None, 0, 0))
      out
    `}`,
  },
  {
    id: "P047",
    language,
    title: "files that the next interpreter would load",
    expect: "ok",
    returns: "nothing",
    code: {
      "fresh runs": [
        {
          code: trying`
            import site, sysconfig, glob, marshal, importlib.util
            payload = "import builtins\nbuiltins.pwned = 1\nprint('left behind')\n"
            folders = {*sys.path, *site.getsitepackages(), site.getusersitepackages(), *sysconfig.get_paths().values(), os.getcwd(), os.path.expanduser("~"), "/", "/tmp", "/etc", "/usr/local/lib", "/var/tmp", "/dev/shm", "/run", os.path.dirname(sys.executable or "/x")}
            for package in [sys.modules.get("coordinator_guest"), sys.modules.get("encodings"), sys.modules.get("json")]:
                folders.update(getattr(package, "__path__", []))
            def put(path: str, data: bytes) -> None:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)
            written = 0
            for folder in folders:
                for name in ["sitecustomize.py", "usercustomize.py", "evil.pth", "json.py", "json/__init__.py", "os.py", "random.py", "main.py", "__init__.py", "pip.conf", ".pythonrc", "python3._pth", "pyvenv.cfg", "__pycache__/json." + str(sys.implementation.cache_tag) + ".pyc"]:
                    data = importlib.util.MAGIC_NUMBER + b"\0" * 12 + marshal.dumps(compile(payload, "x", "exec")) if name.endswith(".pyc") else ("import builtins; builtins.pwned = 1" if name.endswith(".pth") else payload).encode()
                    try:
                        put(os.path.join(folder, name), data)
                        written += 1
                    except OSError:
                        pass
            for cached in glob.glob(os.path.dirname(os.__file__ or "/x") + "/__pycache__/json*"):
                attempt(cached, lambda: put(cached, b"x"))
            os.environ["PYTHONSTARTUP"] = "/tmp/sitecustomize.py"
            os.environ["PYTHONPATH"] = "/tmp"
            open(%NEXT%, "w").write("left")
            out.append(written)
          `,
        },
        {
          code: python`
            import builtins, json, os, random, sys
            "something" if hasattr(builtins, "pwned") or os.path.exists(%NEXT%) or os.path.exists("/tmp/sitecustomize.py") or "PYTHONPATH" in os.environ else "nothing"
          `,
        },
      ],
    },
  },
  {
    id: "P049",
    language,
    title: "pickles and what looks like them, loaded and returned",
    expect: ["ok", "E"],
    code: {
      loaded: trying`
        import pickle, marshal, shelve, copyreg, importlib
        class Evil:
            def __reduce__(self) -> Any:
                return (eval, ("strike()",))
        attempt("pickle", lambda: pickle.loads(pickle.dumps(Evil())))
        attempt("protocol 0", lambda: pickle.loads(b"cos\nsystem\n(S'cat " + " ".join(%FILES%).encode() + b"'\ntR."))
        attempt("popen", lambda: pickle.loads(b"cos\npopen\n(S'env'\ntR.").read())
        attempt("marshal", lambda: exec(marshal.loads(marshal.dumps(compile("strike()", "x", "exec")))))
        attempt("shelve", lambda: shelve.open("/tmp/shelf")["x"])
        attempt("copyreg", lambda: loose(copyreg)._reconstructor(Evil, object, None))
        attempt("reduction", lambda: importlib.import_module("multiprocessing.reduction").ForkingPickler.loads(pickle.dumps(Evil())))
        attempt("reduction of descriptors", lambda: importlib.import_module("multiprocessing.reduction").DupFd(1))
      `,
      returned: {
        steps: python`
          class Evil:
              def __reduce__(self):
                  import os
                  return (os.system, ("touch " + %WRITES%[0],))
              __reduce_ex__ = lambda self, protocol: self.__reduce__()
          {"evil": Evil(), "list": [Evil()]}
        `,
        expect: "ok",
      },
      "as an argument": {
        steps: python`
          from mcp_tools.attack import echo
          class Evil:
              def __reduce__(self):
                  return (print, ("reduced",))
          echo(a=Evil())
        `,
        expect: "E",
        says: /JSON/,
      },
      "bytes of a pickle": {
        steps: python`
          import base64, pickle
          class Evil:
              def __reduce__(self):
                  return (print, ("reduced",))
          pickle.dumps(Evil())
        `,
        expect: "ok",
      },
      raised: {
        steps: python`
          class Evil(Exception):
              def __reduce__(self):
                  return (print, ("reduced",))
          raise Evil("mine")
        `,
        expect: "E",
      },
    },
  },
  {
    id: "P050",
    language,
    title: "other processes, in every way that Python has",
    expect: "ok",
    returns: [],
    timeout: 8,
    on: {
      container: { skip: "it may start processes: they are counted, and end with it (P050-end)" },
    },
    code: python`
      import importlib, os, signal, sys
      from typing import Any
      started: list[str] = []
      def loose(value: Any) -> Any:
          return value
      def attempt(name: str, act: Any) -> None:
          try:
              got = act()
              if got not in (-1, 32512, 65280):
                  started.append(name + " " + repr(got)[:100])
          except BaseException as error:
              print(name, type(error).__name__, str(error)[:80])
      system: Any = os
      sleep = [sys.executable or "/bin/sleep", "-c", "import time; time.sleep(30)", %PROC%]
      def child() -> Any:
          pid = system.fork()
          if pid == 0:
              while True:
                  signal.pause()
          return pid
      module: Any = importlib.import_module
      attempt("fork", child)
      attempt("forkpty", lambda: system.forkpty()[0] or signal.pause())
      attempt("system", lambda: system.system("sleep 30 &"))
      attempt("popen", lambda: system.popen("echo out").read() or -1)
      attempt("posix_spawn", lambda: system.posix_spawn(sleep[0], sleep, {}))
      attempt("posix_spawnp", lambda: system.posix_spawnp("sh", ["sh", "-c", "sleep 30"], {}))
      attempt("spawnv", lambda: -1 if system.spawnv(system.P_NOWAIT, sleep[0], sleep) == 127 else "spawned")
      attempt("subprocess", lambda: module("subprocess").Popen(sleep).pid)
      attempt("shell", lambda: module("subprocess").check_output("cat " + %FILES%[0], shell=True))
      attempt("pty", lambda: module("pty").spawn(["sh", "-c", "id"]))
      attempt("asyncio", lambda: module("asyncio").run(module("asyncio").create_subprocess_exec(*sleep)))
      def processes() -> Any:
          with module("concurrent.futures").ProcessPoolExecutor(1) as pool:
              return pool.submit(os.getpid).result(2)
      attempt("executor", processes)
      for method in ["fork", "spawn", "forkserver"]:
          attempt("multiprocessing " + method, lambda: module("multiprocessing").get_context(method).Process(target=print).start() or "started")
      attempt("_posixsubprocess", lambda: module("_posixsubprocess").fork_exec(*[[sleep[0].encode()], [sleep[0].encode()], True, (), None, None, -1, -1, -1, -1, -1, -1, -1, -1, True, False, 0, None, None, None, -1, None][:21]))
      for pid in [%PID%, os.getppid()]:
          for number in [0, signal.SIGTERM, getattr(signal, "SIGKILL", 9), getattr(signal, "SIGUSR1", 10)]:
              if pid > 1:
                  attempt(f"kill {number}", lambda: system.kill(pid, number) or "sent")
      attempt("killpg", lambda: system.killpg(%PID%, 9) or "sent")
      attempt("pidfd", lambda: system.pidfd_open(%PID%))
      attempt("priority", lambda: system.setpriority(0, %PID%, 19) or "set")
      started
    `,
  },
  {
    id: "P050-uncaught",
    language,
    title: "another process ends the run with a clear error",
    expect: "E",
    on: { container: { skip: "it may start processes: they are counted, and end with it (P050-end)" } },
    code: {
      fork: `import os\nos.fork()`,
      subprocess: `import subprocess\nsubprocess.run(["/bin/sh", "-c", "id"], check=True)`,
      exec: `import os, sys\nos.execv(sys.executable or "/bin/sh", ["x", "-c", "print(1)"])`,
    },
  },
  {
    id: "P050-end",
    language,
    title: "processes that are left, and leave their group, their parent and their session",
    expect: ["ok", "E"],
    timeout: 5,
    code: {
      "left behind": python`
        import os, subprocess, sys
        sleep = [sys.executable or "/bin/sleep", "-c", "import time; time.sleep(30)", %PROC%]
        for options in [{}, {"start_new_session": True}, {"close_fds": False}]:
            try:
                print(subprocess.Popen(sleep, **options).pid)
            except BaseException as error:
                print(type(error).__name__)
        1
      `,
      "forked twice": python`
        import os, signal
        try:
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    for number in range(1, 32):
                        try:
                            signal.signal(number, signal.SIG_IGN)
                        except (OSError, ValueError):
                            pass
                    while True:
                        signal.pause()
                os._exit(0)
        except (OSError, AttributeError) as error:
            print(type(error).__name__)
        1
      `,
      "signals to its own group": python`
        import os, signal
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            try:
                signal.signal(number, signal.SIG_IGN)
                os.kill(0, number)
                os.killpg(os.getpgid(0), number)
            except (OSError, ValueError, AttributeError) as error:
                print(type(error).__name__)
        try:
            os.kill(0, signal.SIGKILL)
        except (OSError, AttributeError) as error:
            print(type(error).__name__)
        1
      `,
      "the child answers in place of its parent": forged`
        try:
            if os.fork() == 0:
                forge({"type": "done", "value": "from the child"})
                forge({"type": "call", "id": 77, "server": "attack", "tool": "forbidden", "args": {}})
                while True:
                    time.sleep(1)
        except (OSError, AttributeError) as error:
            print(type(error).__name__)
        1
      `,
    },
  },
  {
    id: "P052",
    language,
    title: "system calls that leave a sandbox, by the C library",
    expect: "ok",
    timeout: 5,
    on: { pyodide: { expect: ["ok", "E"] } },
    code: {
      "one after the other": `${attempts}\n${native}\n${python`
      import platform
      attempt("system", lambda: kernel("system", ("cat " + " ".join(%FILES%)).encode()))
      attempt("getenv", lambda: kernel("getenv", %ENV%.encode()))
      attempt("unshare", lambda: [kernel("unshare", flag) for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x7E020000)])
      attempt("mount", lambda: kernel("mount", b"proc", b"/tmp", b"proc", 0, None))
      attempt("bind", lambda: kernel("mount", b"/", b"/tmp", None, 4096, None))
      attempt("umount", lambda: [kernel("umount2", path, 2) for path in (b"/tmp", b"/proc", b"/usr", b"/")])
      attempt("chroot", lambda: kernel("chroot", b"/tmp"))
      attempt("setuid", lambda: [kernel(name, 0) for name in ("setuid", "setgid", "setfsuid")])
      attempt("ptrace", lambda: [kernel("ptrace", 16, pid, None, None) for pid in (1, 2, os.getppid(), %PID%)])
      attempt("setns", lambda: kernel("setns", 3, 0))
      attempt("kill", lambda: [kernel("kill", pid, 9) for pid in (%PID%, 2, 3) if pid != os.getpid()])
      attempt("prctl", lambda: [kernel("prctl", 38, 0, 0, 0, 0), kernel("prctl", 4, 1, 0, 0, 0), kernel("prctl", 22, 0, 0, 0, 0)])
      attempt("capabilities", lambda: [kernel("prctl", 23, capability, 0, 0, 0) for capability in range(41)])
      attempt("memfd", lambda: kernel("fexecve", os.memfd_create("x") if hasattr(os, "memfd_create") else 3, None, None))
      attempt("socket", lambda: [kernel("socket", family, 1, 0) for family in (1, 2, 10, 16, 17, 40)])
      attempt("tty", lambda: [kernel("ioctl", fd, 0x5412, b"x") for fd in range(3)])
      attempt("personality", lambda: kernel("personality", 0x0400000))
      attempt("fork", lambda: [kernel(name) for name in ("vfork", "fork") if name == "none"])
      attempt("execve", lambda: kernel("execve", b"/tmp/nothing", None, None))
      attempt("mknod", lambda: kernel("mknod", b"/tmp/disk", 0o60666, 8 << 8))
      attempt("read disk", lambda: open("/tmp/disk", "rb").read(100))
      attempt("handle", lambda: kernel("open_by_handle_at", -100, b"\0" * 128, 0))
      machine = platform.machine()
      numbers = {"x86_64": {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "keyctl": 250, "add_key": 248, "io_uring_setup": 425, "clone3": 435, "pidfd_open": 434, "pidfd_getfd": 438, "open_tree": 428, "move_mount": 429, "fsopen": 430, "finit_module": 313, "kexec_load": 246, "process_vm_readv": 310, "process_vm_writev": 311, "name_to_handle_at": 303, "pivot_root": 155, "swapon": 167, "reboot": 169, "sethostname": 170, "iopl": 172, "quotactl": 179, "acct": 163, "settimeofday": 164, "syslog": 103, "execveat": 322, "mount_setattr": 442, "landlock": 444, "memfd_secret": 447, "vmsplice": 278},
          "aarch64": {"bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "keyctl": 219, "add_key": 217, "io_uring_setup": 425, "clone3": 435, "pidfd_open": 434, "pidfd_getfd": 438, "open_tree": 428, "move_mount": 429, "fsopen": 430, "finit_module": 273, "process_vm_readv": 270, "name_to_handle_at": 264, "pivot_root": 41, "sethostname": 161, "execveat": 281}}
      for name, number in numbers.get(machine, {}).items():
          attempt(name, lambda: kernel("syscall", number, %PID%, None, None, None, None, None))
      out
    `}`,
      "by the numbers of another architecture": {
        steps: `${attempts}\n${native}\n${python`
          attempt("x32", lambda: kernel("syscall", 0x40000000 + 41, 2, 1, 0))
          out
        `}`,
        expect: ["ok", "E"],
      },
    },
  },
  {
    id: "P052-crash",
    language,
    title: "native code that crashes the process, or rewrites its objects",
    expect: "E",
    on: { pyodide: { expect: ["E", "ok"] } },
    code: {
      "write to address 0": `import ctypes\nctypes.memmove(0, b"x" * 100, 100)`,
      "read from address 0": `import ctypes\nctypes.c_int.from_address(8).value`,
      "jump to 0": `import ctypes\nctypes.CFUNCTYPE(None)(0)()`,
      abort: `import ctypes\nctypes.CDLL(None).abort()`,
      exit: `import ctypes\nctypes.CDLL(None)._exit(0)`,
      "a reference too few": `import ctypes\nfor _ in range(100000): ctypes.pythonapi.Py_DecRef(ctypes.py_object(()))\nx = [() for _ in range(1000)]\nraise ValueError(x[0])`,
      "a signal": { steps: `import faulthandler\ngetattr(faulthandler, "_sigsegv")()\n1`, expect: ["E", "ok"] },
    },
  },
  {
    id: "P052-rewrite",
    language,
    title: "objects of the process rewritten in memory",
    expect: "N",
    timeout: 3,
    code: {
      "a number": python`
        import ctypes
        from mcp_tools import call, ToolError
        number = 200
        ctypes.memmove(id(number) + 24, (7).to_bytes(4, "little"), 4)
        try:
            call("attack", "forbidden")
        except ToolError as error:
            print(error.delivery)
        [100 + 100, 200]
      `,
      "a name": forged`
        import ctypes
        name = "".join(["forbid", "len"])
        ctypes.memmove(id(name) + loose(name).__sizeof__() - 1 - len(name), b"forbidden", 9)
        [refused("attack", name), refused("attack", "forbidden")]
      `,
      "executable memory": python`
        import ctypes, mmap
        area = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        # mov eax, 41 (socket); mov edi, 2; mov esi, 1; xor edx, edx; syscall; ret
        area.write(b"\xb8\x29\0\0\0\xbf\x02\0\0\0\xbe\x01\0\0\0\x31\xd2\x0f\x05\xc3")
        ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(area)))()
      `,
    },
  },
  {
    id: "P053",
    language,
    title: "settings of the interpreter that make it unsafe",
    expect: ["ok", "E", "T"],
    timeout: 2,
    code: {
      "an audit hook that listens": `${attempts}\n${python`
        heard: list[Any] = []
        sys.addaudithook(lambda event, given: heard.append((event, str(given)[:200])) if len(heard) < 5000 else None)
        from mcp_tools.attack import echo
        echo(a=1)
        print("x")
        [show(one) for one in heard][:5]
      `}`,
      "an audit hook that raises": python`
        import sys
        def hook(event, given):
            raise RuntimeError("no " + event)
        sys.addaudithook(hook)
        from mcp_tools.attack import echo
        echo(a=1)
      `,
      "an audit hook that exits": python`
        import os, sys
        sys.addaudithook(lambda event, given: os._exit(0) if event == "compile" else None)
        compile("1", "x", "eval")
      `,
      "no end to recursion": {
        steps: `import sys\nsys.setrecursionlimit(10**9)\ndef fall(n): return fall(n + 1)\nfall(0)`,
        expect: ["E", "T"],
      },
      "numbers of any length": {
        steps: `import sys\nsys.set_int_max_str_digits(0)\nstr(7 ** (10**7))[:10]`,
        expect: ["T", "E"],
      },
      "the switch interval": `import sys\nsys.setswitchinterval(1e9)\nfrom mcp_tools.attack import echo\necho(a=1)`,
      "a stack of no size": `import threading\nthreading.stack_size(32768)\nthread = threading.Thread(target=lambda: [[]] * 1000)\nthread.start()\nthread.join()`,
    },
  },
  {
    id: "P055",
    language,
    title: "the event loop stopped, replaced, its tasks cancelled",
    expect: ["ok", "E"],
    timeout: 3,
    code: {
      "all tasks cancelled": python`
        import asyncio
        from mcp_tools.aio.attack import slow
        task = asyncio.ensure_future(slow(ms=50))
        await asyncio.sleep(0)
        for every in asyncio.all_tasks():
            every.cancel()
        await task
      `,
      "the loop stopped": `import asyncio\nasyncio.get_running_loop().stop()\nawait asyncio.sleep(0.1)\n1`,
      "the loop closed": `import asyncio\ntry:\n    asyncio.get_running_loop().close()\nexcept RuntimeError as error:\n    print(error)\nawait asyncio.sleep(0)\n1`,
      "its methods replaced": python`
        import asyncio
        from typing import Any
        from mcp_tools.aio.attack import call
        loop: Any = asyncio.get_running_loop()
        loop.run_until_complete = lambda *given: print("run")
        loop.create_future = lambda: asyncio.Future()
        loop.call_exception_handler = lambda context: print("handler", context)
        try:
            print(await call(str("forbidden")))
        except BaseException as error:
            print(type(error).__name__)
        1
      `,
      "a policy of one's own": python`
        import asyncio, warnings
        from typing import Any
        warnings.simplefilter("ignore")
        class Policy(asyncio.DefaultEventLoopPolicy):
            def new_event_loop(self) -> Any:
                raise RuntimeError("no loop")
            def get_event_loop(self) -> Any:
                raise RuntimeError("no loop")
        asyncio.set_event_loop_policy(Policy())
        from mcp_tools.attack import echo
        echo(a=1)
      `,
      "an error in a callback": `import asyncio\nasyncio.get_running_loop().call_soon(lambda: 1 / 0)\nawait asyncio.sleep(0.01)\n1`,
      "an exit in a callback": `import asyncio, sys\nasyncio.get_running_loop().call_soon(lambda: sys.exit(3))\nawait asyncio.sleep(0.01)\n1`,
      "a task factory": python`
        import asyncio
        from mcp_tools.aio.attack import echo
        asyncio.get_running_loop().set_task_factory(lambda loop, coroutine, **options: 5)  # type: ignore
        await asyncio.gather(echo(a=1), echo(a=2))
      `,
      "a loop in a loop": `import asyncio\nasync def f(): return 1\nasyncio.run(f())\nawait asyncio.sleep(0)\nasyncio.run(f())`,
    },
  },
  {
    id: "P056",
    language,
    title: "the collector and the tracers, searched for the host's objects and secrets",
    expect: "ok",
    timeout: 5,
    on: { pyodide: { timeout: 20 } },
    code: trying`
      import gc, importlib, tempfile, weakref
      import mcp_tools, mcp_tools.attack as attack
      gc.unfreeze()
      objects = loose(gc.get_objects())
      attempt("objects", lambda: len(objects))
      for one in objects:
          kind = type(one).__name__
          if kind in ("Host", "Channel", "Session", "GuestModules", "socket", "SharedMemory", "Connection", "mmap", "JsProxy"):
              attempt(kind, lambda: getattr(one, "__dict__", one))
          if kind == "Host":
              attempt("forbidden", lambda: one.call("attack", "forbidden", "{}"))
              attempt("off", lambda: one.call("off", "echo", "{}"))
      def texts() -> Any:
          for one in objects:
              for value in one if type(one) in (list, tuple, set) else list(one.values()) if type(one) is dict else ():
                  if type(value) in (str, bytes):
                      yield value if isinstance(value, str) else value.decode("latin-1")
      attempt("texts", lambda: show("\n".join(text for text in texts() if "canary-" in text and "findall" not in text and "a-z" not in text)))
      attempt("referrers", lambda: [type(one) for one in gc.get_referrers(attack.echo, mcp_tools.call)])
      attempt("weak references", lambda: weakref.getweakrefs(attack))
      tracemalloc: Any = importlib.import_module("tracemalloc")
      tracemalloc.start(20)
      attack.echo(a=1)
      attempt("tracemalloc", lambda: [str(one) for one in tracemalloc.take_snapshot().statistics("traceback")][:200])
      def dumped() -> str:
          with tempfile.TemporaryFile() as file:
              importlib.import_module("faulthandler").dump_traceback(file, all_threads=True)
              file.seek(0)
              return file.read().decode()
      attempt("faulthandler", dumped)
      attempt("debug", lambda: [gc.set_debug(gc.DEBUG_SAVEALL), gc.collect(), gc.garbage])
    `,
  },
  {
    id: "P058",
    language,
    title: "reading from the keyboard that is not there",
    expect: ["E", "ok"],
    timeout: 2,
    code: {
      input: { steps: `input("? ")`, expect: "E", says: /EOF/ },
      breakpoint: `breakpoint()\n1`,
      pdb: `import pdb\npdb.set_trace()\n1`,
      getpass: { steps: `import getpass\ngetpass.getpass()`, expect: "E" },
      stdin: { steps: `import sys\nsys.stdin.read() + repr(sys.stdin.buffer.read())`, expect: "ok", returns: "b''" },
      descriptor: `import os\nos.read(0, 100)`,
      help: `help()\n1`,
      code: `import code\ncode.interact()\n1`,
      terminal: { steps: `open("/dev/tty").read()`, expect: "E" },
    },
  },
  {
    id: "P058-steal",
    language,
    title: "the bytes of the protocol read in place of the machinery",
    expect: ["T", "E"],
    timeout: 1,
    slow: true,
    code: {
      "an answer": forged`
        host_call = {"type": "call", "id": 5000, "server": "attack", "tool": "echo", "args": {"a": "x" * 100}}
        forge(host_call)
        stolen = os.read(channel.reader, 10)
        print(stolen)
        from mcp_tools.attack import echo
        echo(a=1)
      `,
      "what never comes": forged`
        while True:
            print(len(os.read(channel.reader, 65536)))
      `,
    },
  },
  {
    id: "P059",
    language,
    title: "links, special names and races in the scratch folder",
    expect: "ok",
    code: trying`
      import threading
      system: Any = os
      os.makedirs("/tmp/links", exist_ok=True)
      for index, target in enumerate(%FILES%):
          for name, make in [("symlink", system.symlink), ("hard", getattr(system, "link", system.symlink))]:
              path = f"/tmp/links/{name}{index}"
              attempt(name, lambda: make(target, path))
              attempt(name + " read", lambda: open(path).read())
              attempt(name + " write", lambda: open(path, "a").write("x"))
      for index, target in enumerate(["/proc/self/root", "/proc/1/root", "../../../../../..", "/proc/self/cwd/..", "/"]):
          attempt("folder", lambda: os.symlink(target, f"/tmp/links/folder{index}"))
          for secret in %FILES%:
              attempt("through " + target, lambda: open(f"/tmp/links/folder{index}{secret}").read())
      for path in ["/tmp/a\0b", "/tmp/" + "n" * 4096, "/tmp/" + "d/" * 3000, "/tmp/CON", "/tmp/..", "", "/tmp/\udcff", "/tmp/a/../../../.." + %FILES%[0], "//" + %FILES%[0], "/./" + %FILES%[0], "/tmp/.." + %FILES%[0]]:
          attempt(ascii(path[:30]), lambda: open(path).read())
          attempt(ascii(path[:30]), lambda: open(path, "w").write("x"))
      for write in %WRITES%:
          attempt("rename", lambda: [open("/tmp/mine", "w").close(), os.rename("/tmp/mine", write)])
          attempt("link out", lambda: system.link("/tmp/links/symlink0", write))
      attempt("dir_fd", lambda: open(os.open("../" * 20 + %FILES%[0].lstrip("/"), os.O_RDONLY, dir_fd=os.open("/tmp", os.O_RDONLY))).read())
      attempt("fchdir", lambda: [os.fchdir(os.open("/", os.O_RDONLY)), os.listdir("."), open(%FILES%[0].lstrip("/")).read()])
      stop: list[int] = []
      def swap() -> None:
          while not stop:
              for target in ("/tmp/mine", %FILES%[0]):
                  try:
                      os.symlink(target, "/tmp/swap.new")
                      os.replace("/tmp/swap.new", "/tmp/swap")
                  except OSError:
                      pass
      def race() -> Any:
          thread = threading.Thread(target=swap)
          thread.start()
          got: set[str] = set()
          for _ in range(200):
              try:
                  got.add(open("/tmp/swap").read()[:100])
              except OSError as error:
                  got.add(type(error).__name__)
          stop.append(1)
          thread.join()
          return got
      attempt("race", race)
      attempt("mounts", lambda: sorted(os.listdir("/")))
      attempt("utime", lambda: [system.utime(path) for path in %FILES%])
      attempt("chmod", lambda: [system.chmod(path, 0o777) for path in %FILES%])
      attempt("remove", lambda: [system.remove(path) for path in %FILES%])
    `,
  },
  {
    id: "P061",
    language,
    title: "files with names that can be guessed, pipes and devices left for the next run or for the host",
    expect: "ok",
    returns: [],
    code: {
      "fresh runs": [
        {
          code: trying`
            import socket, tempfile
            system: Any = os
            for folder in ["/tmp", "/var/tmp", "/dev/shm", "/run", os.getcwd(), tempfile.gettempdir(), "/dev", "/dev/mqueue", "/run/lock"]:
                attempt(folder, lambda: open(os.path.join(folder, "left.txt"), "w").write("left"))
                attempt("pipe " + folder, lambda: system.mkfifo(os.path.join(folder, "left.pipe")))
                attempt("device " + folder, lambda: system.mknod(os.path.join(folder, "left.dev"), 0o20666, system.makedev(1, 3)))
                attempt("socket " + folder, lambda: socket.socket(socket.AF_UNIX).bind(os.path.join(folder, "left.sock")))
                attempt("set user id " + folder, lambda: system.chmod(os.path.join(folder, "left.txt"), 0o6777))
            attempt("next", lambda: open(%NEXT%, "w").write("left"))
            attempt("shared memory", lambda: __import__("multiprocessing.shared_memory").shared_memory.SharedMemory("left", True, 10))
          `,
        },
        {
          code: python`
            import glob, os
            [path for pattern in ["/tmp/*", "/var/tmp/*", "/dev/shm/*", "/run/left*", "/dev/left*", "/run/lock/left*", os.getcwd() + "/left*", %NEXT%] for path in glob.glob(pattern)]
          `,
        },
      ],
    },
  },
  {
    id: "P061-keys",
    language,
    title: "keys, semaphores and shared memory of the kernel left for the next run",
    expect: "ok",
    returns: [],
    on: { pyodide: { skip: "there is no kernel below it" } },
    code: {
      "fresh runs": [
        {
          code: `${attempts}\n${native}\n${python`
            import platform
            add = {"x86_64": 248, "aarch64": 217}.get(platform.machine(), 0)
            for ring in (-4, -5, -3, -2, -1):
                attempt("key", lambda: kernel("syscall", add, b"user", b"left", b"left", 4, ring))
            attempt("shared memory", lambda: kernel("shmget", 0x1EF7, 4096, 0o1666))
            attempt("semaphore", lambda: kernel("semget", 0x1EF7, 1, 0o1666))
            attempt("queue", lambda: kernel("msgget", 0x1EF7, 0o1666))
            attempt("named", lambda: [kernel("mq_open", b"/left", 0o102, 0o666, None), kernel("sem_open", b"/left", 0o100, 0o666, 1), kernel("shm_open", b"/left", 0o102, 0o666)])
            out
          `}`,
        },
        {
          code: `${attempts}\n${native}\n${python`
            import platform
            control = {"x86_64": 250, "aarch64": 219}.get(platform.machine(), 0)
            left: list[Any] = []
            for ring in (-4, -5, -3, -2, -1):
                if libc.syscall(control, 10, ring, b"user", b"left", 0) > 0:
                    left.append(["key", ring])
            for name in ("shmget", "semget", "msgget"):
                if libc[name](0x1EF7, *((4096, 0) if name == "shmget" else (1, 0) if name == "semget" else (0,))) >= 0:
                    left.append(name)
            left
          `}`,
        },
      ],
    },
  },
  {
    id: "P062",
    language,
    title: "settings of the process: folder, mask, limits, time zone, locale",
    expect: "ok",
    returns: "as before",
    code: {
      "fresh runs": [
        {
          code: trying`
            import importlib, time, locale, signal
            system: Any = os
            attempt("chdir", lambda: os.chdir("/"))
            attempt("umask", lambda: os.umask(0o777))
            os.environ["TZ"] = "Asia/Tokyo"
            attempt("tzset", lambda: loose(time).tzset())
            attempt("locale", lambda: locale.setlocale(locale.LC_ALL, "C"))
            attempt("nice", lambda: system.nice(19))
            attempt("hostname", lambda: importlib.import_module("socket").sethostname("pwned"))
            resource: Any = attempt("resource", lambda: importlib.import_module("resource"))
            for name in ["RLIMIT_NOFILE", "RLIMIT_CORE", "RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_FSIZE", "RLIMIT_STACK"]:
                attempt("raise " + name, lambda: resource.setrlimit(getattr(resource, name), (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
                attempt("double " + name, lambda: resource.setrlimit(getattr(resource, name), (2**40, 2**40)))
            attempt("prlimit", lambda: resource.prlimit(%PID%, resource.RLIMIT_NOFILE, (8, 8)))
            attempt("priority", lambda: system.setpriority(system.PRIO_PROCESS, 0, -20))
            attempt("affinity", lambda: system.sched_setaffinity(0, {0}))
            attempt("alarm", lambda: loose(signal).alarm(1))
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            attempt("stop reading", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)))
          `,
        },
        {
          code: python`
            import os, signal, time
            now = [os.getcwd() != "/" or os.getcwd(), os.umask(0o022), time.tzname[0], "TZ" in os.environ, signal.getsignal(signal.SIGINT) is not signal.SIG_IGN]
            try:
                with open("/tmp/usual", "w") as file:
                    file.write("x")
            except OSError as error:
                now.append(type(error).__name__)
            "as before" if now[1] != 0o777 and now[2] != "JST" and not now[3] and now[4] is True and len(now) == 5 else repr(now)
          `,
        },
      ],
    },
  },
];
