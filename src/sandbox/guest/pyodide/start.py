"""Run once, before the memory snapshot is taken: what every guest finds in Python's memory."""

import asyncio
import gc
import importlib
import linecache
import os
import select
import sys
import time
import zipimport

_USUAL = """
abc argparse array ast asyncio base64 binascii bisect bz2 calendar cmath code codecs collections collections.abc
colorsys concurrent.futures configparser contextlib contextvars copy csv dataclasses datetime decimal difflib
email.message email.utils encodings.ascii encodings.idna encodings.latin_1 encodings.utf_16 enum errno fnmatch
fractions functools getpass glob graphlib gzip hashlib heapq hmac html html.parser http.client importlib.resources
inspect io ipaddress itertools json keyword linecache locale logging lzma math mimetypes numbers operator os pathlib
pdb pickle platform pprint pydoc queue random re reprlib secrets select shlex shutil signal socket sqlite3 statistics
string struct subprocess sys tarfile tempfile textwrap threading time timeit tokenize tomllib traceback types typing
unicodedata unittest.mock urllib.error urllib.parse urllib.request uuid warnings weakref xml.dom.minidom
xml.etree.ElementTree zipfile zlib zoneinfo
""".split()
# What needs more than this machine has, foreign functions, processes, a browser: better missing than broken.
_MISSING = ["_ctypes", "_posixsubprocess", "_remote_debugging"]
_BROWSER = ("_pyodide/", "pyodide/")


def sleep(seconds: float, /) -> None:
    """Suspend execution for the given number of seconds; without this, it would spin."""
    milliseconds = float(seconds) * 1000
    if not milliseconds >= 0:
        raise ValueError("sleep length must be non-negative")
    until = time.monotonic() + milliseconds / 1000
    while milliseconds > 0:
        select.poll().poll(min(milliseconds, 1_000_000_000))
        milliseconds = (until - time.monotonic()) * 1000


def load_guest(folder: str) -> None:
    """Imports the guest package, which no path leads to afterwards: also what it would import when it is needed."""
    sys.path.insert(0, folder)
    importlib.import_module("main").load_package()
    for module in ("channel", "serve", "event_loop", "network", "testing", "pytest_runner", "literal", "tables"):
        importlib.import_module(f"coordinator_guest.{module}")
    del sys.modules["main"], sys.path[0]


def forget_browser() -> None:
    """Drops the browser's packages from what Python knows of its library."""
    for library in zipimport._zip_directory_cache.values():  # type: ignore[attr-defined]
        for name in [name for name in library if name.startswith(_BROWSER)]:
            del library[name]


class _Over(BaseException):
    """The rehearsal's host is gone."""


def _leave(_code: int) -> None:
    raise _Over


def rehearse() -> None:
    """Runs the programs of a host that only rehearses, then removes what they left, so that Python is ready for the first guest."""
    from coordinator_guest.channel import Channel
    from coordinator_guest.serve import serve

    modules, finders, exits = dict(sys.modules), list(sys.meta_path), os._exit
    streams = {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")}
    os._exit = _leave  # type: ignore[assignment]
    try:
        serve(Channel(3, 3, can_poll=False))
    except _Over:
        pass
    os._exit = exits
    sys.modules.clear()
    sys.modules.update(modules)
    sys.meta_path[:] = finders
    for name, stream in streams.items():
        setattr(sys, name, stream)
    asyncio.events._set_event_loop_policy(None)  # type: ignore[attr-defined]
    linecache.clearcache()


for name in _MISSING:
    sys.modules[name] = None  # type: ignore[assignment]
for name in _USUAL:
    importlib.import_module(name)
load_guest("/guest")
forget_browser()
time.sleep = sleep
rehearse()
sys.argv = [""]
sys.path_importer_cache.pop("/guest", None)
os.environ.clear()
gc.collect()
gc.freeze()
