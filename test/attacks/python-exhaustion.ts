import { forged, python } from "./python-attempt.ts";
import type { Row } from "./row.ts";

const language = "python";

/** 2F: time, memory, recursion, files, output and calls without end. */
export const exhaustionRows: readonly Row[] = [
  {
    id: "P091",
    language,
    title: "loops, in Python and inside of C, that never come back to the interpreter",
    expect: ["T", "M"],
    timeout: 1,
    slow: true,
    // It has no OpenSSL, and so not the one function of the row that hashes for long.
    on: { pyodide: { expect: ["T", "M", "E"] } },
    code: {
      "while True": "while True: pass",
      count: "import itertools\nfor _ in itertools.count(): pass",
      sum: "sum(range(10**12))",
      max: "max(range(10**11))",
      list: "list(range(10**9))",
      in: "10**11 in iter(range(10**12))",
      power: "x = 7 ** 7 ** 9\nx % 10",
      "a text in a text":
        "('ab' * 10**6).count('a' * 5) and ('a' * 10**7 + 'b').find('a' * 10**5 + 'c' + 'a' * 10**5)\nwhile True: 'a' * 10**6 in 'b' * 10**7",
      all: "import itertools\nall(itertools.repeat(True))",
      deque: "import collections, itertools\ncollections.deque(itertools.repeat(1), maxlen=0)",
      hash: "import hashlib\nhashlib.pbkdf2_hmac('sha256', b'x', b'y', 10**9)",
      "a thread, and the main one waits":
        "import threading, itertools\ntry:\n    thread = threading.Thread(target=lambda: sum(itertools.count()))\n    thread.start()\n    thread.join()\nexcept RuntimeError:\n    while True: pass",
      "before the first line": "x = [0 for _ in iter(int, 1)]",
    },
  },
  {
    id: "P092",
    language,
    title: "single values larger than the memory",
    expect: "M",
    on: { pyodide: { expect: ["M", "E"] } },
    code: {
      text: "'x' * 10**12",
      list: "[0] * 10**12",
      ljust: "'x'.ljust(10**11)",
      "f-string": "f'{1:>1000000000}'",
      percent: "'%1000000000d' % 1",
      bytes: "bytes(10**11)",
      bytearray: "bytearray(10**10)",
      join: "b''.join([b'x' * 10**6] * 10**6)",
      tuple: "(None,) * 10**11",
      shift: "1 << 10**11",
      array: "import array\narray.array('q', [0]) * 10**10",
      "many of them": "kept = []\nwhile True: kept.append(bytearray(10**7))",
      mmap: "import mmap\nkept = []\nwhile True:\n    one = mmap.mmap(-1, 10**7)\n    one.write(b'x' * 10**7)\n    kept.append(one)",
    },
  },
  {
    id: "P094",
    language,
    title: "texts that grow by methods",
    expect: "M",
    timeout: 5,
    // Longer than any text can be there, by the size of a word.
    on: { pyodide: { expect: ["M", "E"] } },
    code: {
      replace: "('x' * 10**5).replace('', 'x' * 10**6)",
      expandtabs: "('\\t' * 10).expandtabs(10**9)",
      zfill: "'1'.zfill(10**10 if __import__('sys').maxsize > 2**32 else 2**30)",
      translate: "('x' * 10**6).translate({120: 'y' * 10**5})",
      join: "x = 'x' * 1000\nwhile True: x = x.join([x, x, x])",
      double: "x = 'x'\nwhile True: x += x",
      repr: "x = '\\x00' * 10**6\nwhile True: x = repr(x) + repr(x)",
      encode: "x = '\\U0001f600' * 10**6\nkept = []\nwhile True: kept.append(x.encode('utf-32'))",
      center: "'x'.center(2**30)",
      format: "('{0:100000000}' * 100).format(1)",
      "a zip bomb":
        "import zlib\ndata = zlib.compress(bytes(10**8), 9)\nkept = []\nwhile True: kept.append(zlib.decompress(data))",
    },
  },
  {
    id: "P095",
    language,
    title: "recursion without end",
    expect: "E",
    says: /recursion|stack overflow/i,
    timeout: 3,
    on: { pyodide: { timeout: 20 } },
    code: {
      direct: "def f(): return f()\nf()",
      mutual: "def f(): return g()\ndef g(): return f()\nf()",
      repr: "class X:\n    def __repr__(self): return repr(self)\nrepr(X())",
      eq: "class X:\n    def __eq__(self, other): return self == other\nX() == X()",
      hash: "class X:\n    def __hash__(self): return hash(self)\nhash(X())",
      getattr: "class X:\n    def __getattr__(self, name): return getattr(self, name + 'x')\nX().a",
      deepcopy: "import copy\nx = []\nfor _ in range(10**5): x = [x]\ncopy.deepcopy(x)",
      "json.dumps": "import json\nx = []\nfor _ in range(10**5): x = [x]\njson.dumps(x)",
      "a deep list shown": "x = []\nfor _ in range(10**5): x = [x]\nrepr(x)",
      "in a finalizer, then in a call": python`
        from mcp_tools.attack import echo
        def f(n):
            try:
                return f(n + 1)
            except RecursionError:
                echo(n=n)
                raise
        f(0)
      `,
      generator: "def f():\n    yield from f()\nlist(f())",
      "property of itself": "class X:\n    @property\n    def a(self): return self.a\nX().a",
      sort: "class X:\n    def __lt__(self, other): return sorted([self, other])\nsorted([X(), X()])  # type: ignore",
    },
  },
  {
    id: "P095-coroutines",
    language,
    title: "recursion of coroutines and callbacks",
    expect: ["E", "T"],
    timeout: 2,
    slow: true,
    code: {
      await: "async def f(): return await f()\nawait f()",
      tasks: "import asyncio\nasync def f(): await asyncio.ensure_future(f())\nawait f()",
      callbacks:
        "import asyncio\nloop = asyncio.get_running_loop()\ndef again(): loop.call_soon(again)\nagain()\nawait asyncio.Event().wait()",
      gathers: "import asyncio\nasync def f(): await asyncio.gather(f(), f())\nawait f()",
    },
  },
  {
    id: "P097",
    language,
    title: "patterns and comparisons that take for ever",
    expect: ["T", "M", "E"],
    timeout: 1,
    slow: true,
    code: {
      nested: { steps: "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", expect: "T" },
      alternatives: { steps: "import re\nre.match('(a|aa|a?)+$', 'a' * 60 + 'b')", expect: "T" },
      "look-behind": "import re\nre.search('(?<=a)(?:a*)*b', 'a' * 40)",
      "a pattern of 10 MB": "import re\nre.compile('a|' * 5_000_000 + 'b')",
      "a million counts":
        "import re\nre.compile('(?:a{0,1000}){0,1000}').match('a' * 10**6 + 'b')\nre.match('(?:a{0,100}){0,100}$', 'a' * 300 + 'b')",
      fnmatch: {
        steps:
          "import fnmatch\nfnmatch.fnmatchcase('a' * 40, '*a' * 40 + 'b')\nimport re\nre.match('(.*a){25}b', 'a' * 60)",
        expect: "T",
      },
      difflib: {
        steps:
          "import difflib\nwhile True: difflib.SequenceMatcher(None, 'ab' * 5000, 'ba' * 5000, autojunk=False).ratio()",
        expect: "T",
      },
      textwrap: { steps: "import textwrap\nwhile True: textwrap.wrap('x' * 10**7, 1)", expect: ["T", "M"] },
      shlex: { steps: "import shlex\nwhile True: shlex.split('\\\\ ' * 10**6)", expect: ["T", "M"] },
    },
  },
  {
    id: "P098",
    language,
    title: "texts and keys that are hard to read",
    expect: ["E", "T", "M"],
    timeout: 2,
    slow: true,
    code: {
      "open brackets": { steps: "import json\njson.loads('[' * 10**5)", expect: "E" },
      "a long number": { steps: "import json\njson.loads('9' * 10**6)", expect: "E" },
      "a long number as a float": "import json\njson.loads('1e' + '9' * 10**6)\nint('9' * 10**6)",
      "the same key a million times":
        "import json\njson.loads('{' + ','.join(['\"a\":1'] * 10**6) + '}')\nraise ValueError('read')",
      "keys of one hash": {
        steps:
          "modulus = __import__('sys').hash_info.modulus\n{n * modulus: n for n in range(1, 10**5)}\nraise ValueError('read')",
        expect: ["T", "E"],
      },
      "hidden in arguments": python`
        from mcp_tools.attack import odd
        odd(json="[" * 100000 + "]" * 100000)
      `,
      xml: `import xml.etree.ElementTree as tree\ntext = '<!DOCTYPE x [<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "' + f"&a{n - 1};" * 10 + '">' for n in range(1, 12)) + "]><x>&a11;</x>"\ntree.fromstring(text)`,
      csv: "import csv\nlist(csv.reader(['\"' + 'x' * 10**7]))\nraise ValueError('read')",
      "a literal": "import ast\nast.literal_eval('[' * 10**5)",
    },
  },
  {
    id: "P100",
    language,
    title: "chains of generators, closures and caches",
    expect: ["M", "E", "T"],
    timeout: 5,
    slow: true,
    // Newer Pythons nest generators without end.
    on: { pyodide: { expect: ["M", "E", "T", "ok"] } },
    code: {
      generators: "x = iter([1])\nfor _ in range(10**6): x = (y for y in x)\nlist(x)",
      closures: "import functools\nf = functools.reduce(lambda f, g: lambda x: g(f(x)), [lambda x: x] * 10**6)\nf(1)",
      chains: "import itertools\nx = iter([1])\nfor _ in range(10**6): x = itertools.chain(x, [1])\nlist(x)",
      maps: "x = iter([1])\nfor _ in range(10**6): x = map(lambda y: y, x)\nlist(x)",
      cache:
        "import functools\n@functools.lru_cache(None)\ndef f(n): return bytes(1000)\nfor n in range(10**7): f(n)\nraise ValueError",
      partials:
        "import functools\nf = print\nfor _ in range(10**6): f = functools.partial(lambda g, *a: g(*a), f)\nf()",
      exceptions:
        "error = None\nfor n in range(10**7):\n    try:\n        raise ValueError(n) from error\n    except ValueError as caught:\n        error = caught\nraise error  # type: ignore",
    },
  },
  {
    id: "P101",
    language,
    title: "waiting for ever",
    expect: "T",
    timeout: 1,
    slow: true,
    code: {
      sleep: "import time\nwhile True: time.sleep(10**6)",
      "sleep for ever": "import time\ntry:\n    time.sleep(10**9)\nexcept OverflowError:\n    time.sleep(10**5)",
      asyncio: "import asyncio\nawait asyncio.sleep(float('inf'))",
      future: "import asyncio\nawait asyncio.get_running_loop().create_future()",
      lock: "import asyncio\nlock = asyncio.Lock()\nawait lock.acquire()\nawait lock.acquire()",
      "a call beside it":
        "import asyncio\nfrom mcp_tools.aio.attack import echo\nawait asyncio.gather(echo(a=1), asyncio.sleep(10**6))",
    },
  },
  {
    id: "P101-threads",
    language,
    title: "locks and events that never open",
    expect: "T",
    timeout: 1,
    slow: true,
    on: { pyodide: { expect: ["T", "E"] } },
    code: {
      event: "import threading\nthreading.Event().wait()",
      lock: "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
      queue: "import queue\nqueue.Queue().get()",
      select: "import select, os\nr, w = os.pipe()\nselect.select([r], [], [])",
      pipe: "import os\nr, w = os.pipe()\nos.read(r, 1)",
      "a thread that does not end":
        "import threading, time\ndef work():\n    while True: time.sleep(1)\nthreading.Thread(target=work).start()\n1",
      "two locks": python`
        import threading
        a, b = threading.Lock(), threading.Lock()
        met = threading.Barrier(2)
        def one():
            with a:
                met.wait()
                with b: pass
        thread = threading.Thread(target=one)
        thread.start()
        with b:
            met.wait()
            with a: pass
      `,
    },
  },
  {
    id: "P103",
    language,
    title: "files, descriptors and entries without end",
    expect: "E",
    timeout: 8,
    code: {
      "one large file": {
        steps: "with open('/tmp/large', 'wb') as file:\n    while True: file.write(b'x' * 10**6)",
        expect: ["L", "E"],
      },
      "many small files": "n = 0\nwhile True:\n    n += 1\n    open(f'/tmp/{n}', 'w').close()",
      "many folders": "import os\npath = '/tmp'\nwhile True:\n    path += '/d'\n    os.mkdir(path)",
      "many open files": "kept = []\nwhile True: kept.append(open('/dev/null'))",
      "many pipes": "import os\nkept = []\nwhile True: kept.append(os.pipe())",
      "many links": "import os\nn = 0\nwhile True:\n    n += 1\n    os.symlink('x' * 200, f'/tmp/{n}')",
      "a file removed while open":
        "import os\nkept = []\nwhile True:\n    file = open('/tmp/one', 'wb')\n    os.remove('/tmp/one')\n    file.write(b'x' * 10**6)\n    file.flush()\n    kept.append(file)",
      "a dump of memory": "import os\nkept = bytearray(10**8)\nos.abort()",
    },
  },
  {
    id: "P103-sparse",
    language,
    title: "a file of a terabyte that holds nothing",
    expect: ["ok", "E"],
    timeout: 5,
    code: {
      truncate:
        "import os\nwith open('/tmp/sparse', 'wb') as file: file.truncate(10**12)\nos.stat('/tmp/sparse').st_blocks",
      seek: "with open('/tmp/sparse', 'wb') as file:\n    file.seek(10**12)\n    file.write(b'x')\n1",
      "read whole": {
        steps: "with open('/tmp/sparse', 'wb') as file: file.truncate(10**12)\nlen(open('/tmp/sparse', 'rb').read())",
        expect: "E",
      },
    },
  },
  {
    id: "P104",
    language,
    title: "output without end",
    expect: "T",
    timeout: 3,
    code: {
      "megabyte by megabyte": "while True: print('x' * 10**6)",
      "line by line": "import itertools\nfor n in itertools.count(): print(n)",
      "empty lines": "while True: print()",
      "one line of 20 MB": { steps: "print('x' * 20_000_000)", expect: "ok" },
      "both streams at once":
        "import sys\nwhile True:\n    sys.stderr.write('e' * 10**5)\n    sys.stdout.write('o' * 10**5)",
      "from C": python`
        import os, sys
        for _ in range(100):
            for fd in (1, 2):
                try:
                    os.write(fd, b"x" * 100_000)
                except OSError:
                    pass
        while True: print("x" * 1000)
      `,
      result: { steps: "'x' * 2_000_000", expect: "ok" },
      "result of many": { steps: "list(range(10**6))", expect: "ok" },
    },
  },
  {
    id: "P104-line",
    language,
    title: "one line of 200 MB",
    expect: ["ok", "M"],
    timeout: 20,
    slow: true,
    code: {
      print: "print('x' * 200_000_000)",
      write: "import sys\nsys.stdout.write('y' * 100_000_000)",
      frame: {
        steps: forged`
          forge(b'{"type":"print","stream":"stdout","text":"' + b"x" * 16_700_000 + b'"}')
          time.sleep(2)
        `,
        expect: "ok",
      },
    },
  },
  {
    id: "P106",
    language,
    title: "large results, all of them kept",
    expect: ["L", "T"],
    timeout: 10,
    slow: true,
    code: {
      "one after the other":
        "from mcp_tools.attack import big\nkept = []\nwhile True: kept.append(big(bytes=5_000_000))",
      "all at once":
        "import asyncio\nfrom mcp_tools.aio.attack import big\nawait asyncio.gather(*[big(bytes=5_000_000) for _ in range(900)])",
      "not kept": "from mcp_tools.attack import big\nwhile True: big(bytes=1_000)",
    },
  },
  {
    id: "P107",
    language,
    title: "sorting and comparing what takes its time",
    expect: "T",
    timeout: 1,
    slow: true,
    code: {
      "lt sleeps":
        "import time\nclass X:\n    def __lt__(self, other):\n        time.sleep(0.2)\n        return True\nsorted(X() for _ in range(100))",
      "equal hashes":
        "class X:\n    def __hash__(self): return 1\n    def __eq__(self, other): return False\n{X() for _ in range(10**5)}",
      "a key that loops": "max(range(10), key=lambda x: sum(iter(int, 1)))",
      "eq in a list":
        "class X:\n    def __eq__(self, other): return False\n[X() for _ in range(20000)] and [X()] * 10**4 == 1\nx = [X() for _ in range(10**4)]\nwhile True: X() in x",
    },
  },
  {
    id: "P109",
    language,
    title: "time spent inside of tool calls counts too",
    expect: "T",
    timeout: 1,
    slow: true,
    code: {
      "one long call": "from mcp_tools.attack import slow\nslow(ms=8000)",
      "many short calls": "from mcp_tools.attack import slow\nwhile True: slow(ms=50)",
      "many at once":
        "import asyncio\nfrom mcp_tools.aio.attack import slow\nwhile True: await asyncio.gather(*[slow(ms=50) for _ in range(10)])",
      "a call that nobody awaits":
        "import asyncio\nfrom mcp_tools.aio.attack import slow\ntask = asyncio.ensure_future(slow(ms=8000))\nawait asyncio.sleep(0)\n1",
    },
  },
  {
    id: "P110",
    language,
    title: "memory taken in small pieces",
    expect: "M",
    timeout: 10,
    slow: true,
    code: {
      lists: "kept = []\nwhile True: kept.append([None] * 8)",
      "bytes of 50 KB": "kept = []\nwhile True: kept.append(bytearray(50_000))",
      dicts: "kept = {}\nn = 0\nwhile True:\n    n += 1\n    kept[n] = str(n)",
      cycles: "import gc\ngc.disable()\nwhile True:\n    x: list = [bytes(100)]\n    x.append(x)",
      classes: "kept = []\nwhile True: kept.append(type('K', (), {}))",
      "names of modules":
        "import sys\nn = 0\nwhile True:\n    n += 1\n    sys.intern('x' * 500 + str(n)); globals()['v' + str(n)] = 'y' * 500 + str(n)",
    },
  },
  {
    id: "P110-evasion",
    language,
    title: "memory outside of Python's own: files in memory, shared pages, pipes, sockets, malloc",
    expect: ["M", "E"],
    timeout: 8,
    slow: true,
    code: Object.fromEntries(
      Object.entries({
        memfd: "fd = os.memfd_create('x')\nos.write(fd, b'x' * 10**7)\nkept.append(fd)",
        "shared pages": "one = mmap.mmap(-1, 10**7, flags=mmap.MAP_SHARED)\none.write(b'x' * 10**7)\nkept.append(one)",
        "one memfd that grows":
          "fd = kept[0] if kept else os.memfd_create('x')\nkept.append(fd)\nos.write(fd, b'x' * 10**7)",
        "a mapped file":
          "file = open('/tmp/mapped', 'a+b')\nfile.write(b'x' * 10**7)\nfile.flush()\nkept.append(mmap.mmap(file.fileno(), 0))",
        pipes:
          "r, w = os.pipe()\nos.set_blocking(w, False)\nfcntl.fcntl(w, 1031, 1 << 20)\nkept.append((r, w, os.write(w, b'x' * 10**6)))",
        sockets:
          "pair = socket.socketpair()\npair[0].setblocking(False)\nkept.append((pair, [pair[0].send(b'x' * 50_000) for _ in range(4)]))",
        malloc:
          "at = ctypes.CDLL(None).malloc\nat.restype = ctypes.c_void_p\nat = at(10**7)\nif not at: raise MemoryError\nctypes.memset(at, 1, 10**7)\nkept.append(at)",
        "the segments of System V":
          "at = ctypes.CDLL(None).shmat\nat.restype = ctypes.c_void_p\nat = at(ctypes.CDLL(None).shmget(0, 10**7, 0o1600), None, 0)\nif at in (None, 2**64 - 1): raise MemoryError\nctypes.memset(at, 1, 10**7)\nkept.append(at)",
      }).map(([name, take]) => [
        name,
        // Whoever gets far more than the limit ends well, which is not expected.
        `${python`
          import ctypes, fcntl, mmap, os, socket, sys, threading
          stop = threading.Event()
          kept: list = []
          used = 0
          while used < 800_000_000:
        `}\n${take
          .split("\n")
          .map((line) => `    ${line}`)
          .join("\n")}\n    used += ${name === "pipes" ? "10**6" : name === "sockets" ? "2 * 10**5" : "10**7"}\nused`,
      ]),
    ),
    on: { pyodide: { expect: ["M", "E", "R"] } },
  },
  {
    id: "P110-threads",
    language,
    title: "threads started past Python's own count of them",
    expect: "ok",
    timeout: 5,
    on: { pyodide: { skip: "it has no threads" } },
    code: python`
      import _thread, ctypes, time
      from typing import Any
      def loose(value: Any) -> Any:
          return value
      begin = loose(_thread.start_new_thread)
      for cell in getattr(begin, "__closure__", None) or ():
          if callable(cell.cell_contents):
              begin = cell.cell_contents
      lock = _thread.allocate_lock()
      lock.acquire()
      begun = 0
      try:
          for _ in range(2000):
              begin(lock.acquire, ())
              begun += 1
      except RuntimeError as error:
          print("python", error)
      libc = ctypes.CDLL(None)
      ids = (ctypes.c_ulong * 2000)()
      attributes = ctypes.create_string_buffer(64)
      libc.pthread_attr_init(attributes)
      libc.pthread_attr_setstacksize(attributes, ctypes.c_size_t(16384))
      native = 0
      for number in range(2000):
          if libc.pthread_create(ctypes.byref(ids, number * 8), attributes, libc.pause, None) != 0:
              break
          native += 1
      assert begun + native < 200, (begun, native)
      1
    `,
  },
  {
    id: "P112",
    language,
    title: "a process that stops itself, or blocks every signal",
    expect: ["T", "E"],
    timeout: 1,
    slow: true,
    on: { pyodide: { expect: ["T", "E", "ok"] } },
    code: {
      "stopped by itself": "import os, signal\nos.kill(os.getpid(), getattr(signal, 'SIGSTOP', 19))\nwhile True: pass",
      "stopped by the terminal's signal":
        "import os, signal\nsignal.raise_signal(getattr(signal, 'SIGTSTP', 20))\nwhile True: pass",
      "signals blocked": python`
        import signal
        getattr(signal, "pthread_sigmask", lambda *given: None)(getattr(signal, "SIG_BLOCK", 0), range(1, 65))
        while True: pass
      `,
      "stopped, with the protocol half written": forged`
        import signal
        send(b"\0\0\x10")
        os.kill(os.getpid(), getattr(signal, "SIGSTOP", 19))
        while True: pass
      `,
    },
  },
  {
    id: "P112-fork",
    language,
    title: "a child that holds the pipes open after its parent has left",
    expect: ["E", "ok"],
    timeout: 3,
    on: { pyodide: { skip: "it has no processes" } },
    code: {
      "parent leaves": python`
        import os, signal, time
        try:
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    while True: time.sleep(1)
                os._exit(0)
        except OSError as error:
            print(type(error).__name__)
        os._exit(0)
      `,
      "parent ends well": python`
        import os, signal, sys, time
        try:
            if os.fork() == 0:
                os.kill(os.getpid(), signal.SIGSTOP)
                while True: time.sleep(1)
        except OSError as error:
            print(type(error).__name__)
        1
      `,
      bomb: python`
        import os, time
        children = 0
        try:
            for _ in range(500):
                if os.fork() == 0:
                    while True: time.sleep(1)
                children += 1
        except OSError as error:
            print(type(error).__name__)
        assert children < 200, children
        1
      `,
    },
  },
];
