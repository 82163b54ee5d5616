"""The fork server inside the sandbox: makes a fresh, further isolated process for each guest.

Once built, this folder and guest/python are one package; what comes from there runs only in the process of a guest, but
for the rehearsal.

Its own code never sees anything of a guest. Commands come by stdin ("start 3", "pause 3", "resume 3", "kill 3": the
slot's number), news of ends go out by stdout ("ended 3 <status> <CPU milliseconds> <most kilobytes>"); slot n is the file descriptor 3 + n.
"""

from __future__ import annotations

import binascii
import gc
import importlib
import json
import os
import resource
import select
import signal
import site
import sys

from . import kernel, limits, serve
from .channel import Channel
from .control_groups import start_joining

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_COMMANDS, _NEWS, _FIRST_SLOT = 0, 1, 3
_GUEST_CHANNEL = 3
_SIGNALS = {"pause": signal.SIGSTOP, "resume": signal.SIGCONT, "kill": signal.SIGKILL}
_OTHER_DESCRIPTORS = 32
_INODES_PER_MB = 256
# What guests use most, and our own modules that not all of them need.
_PRELOADED = """
coordinator_guest.rehearsal coordinator_guest.event_loop coordinator_guest.network
asyncio base64 bisect calendar collections concurrent.futures contextlib copy csv dataclasses datetime decimal difflib
enum fractions functools hashlib heapq html io itertools json logging math operator os pathlib pprint queue random re
shutil statistics string struct tempfile textwrap threading time traceback types typing unicodedata urllib.parse uuid
zoneinfo
""".split()


class ForkServer:
    """Slots, each for one guest, and the processes that took them."""

    def __init__(self, settings: dict[str, Any], rest: bytes) -> None:
        self._limits: dict[str, int] = settings["limits"]
        self._filter = binascii.a2b_base64(settings["filter"])
        self._counts_processes: bool = settings["countsProcesses"]
        self._name: str = settings["name"]
        self._cgroups: list[str] = settings["cgroups"]
        self._most_descriptors = _FIRST_SLOT + settings["slots"] + _OTHER_DESCRIPTORS
        self._guests: dict[int, int] = {}
        self._joins: int | None = None
        self._in_use: dict[str, int] = {}
        _close_strangers(_FIRST_SLOT + settings["slots"])
        self._wake_reader, self._wake_writer = os.pipe()
        self._rest = rest

    def serve(self) -> None:
        """Obeys commands until their end."""
        for descriptor in (self._wake_reader, self._wake_writer):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(self._wake_writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _signal, _frame: None)
        if self._cgroups:
            self._joins = start_joining(self._cgroups)
        # Who is waiting already is served before the preparation for those to come.
        self._in_use = limits.memory_in_use()
        self._obey_lines(b"")
        for name in _PRELOADED:
            importlib.import_module(name)
        sys.modules[f"{__package__}.rehearsal"].rehearse()
        self._in_use = limits.memory_in_use()
        gc.collect()
        gc.freeze()
        poll = select.poll()
        poll.register(_COMMANDS, select.POLLIN)
        poll.register(self._wake_reader, select.POLLIN)
        while True:
            ready = [descriptor for descriptor, _event in poll.poll()]
            if self._wake_reader in ready:
                os.read(self._wake_reader, 4096)
                self._report_ends()
            if _COMMANDS in ready:
                received = os.read(_COMMANDS, 4096)
                if not received:
                    return
                self._obey_lines(received)

    def _obey_lines(self, received: bytes) -> None:
        *lines, self._rest = (self._rest + received).split(b"\n")
        for line in lines:
            self._obey(line.decode())

    def _obey(self, line: str) -> None:
        command, number = line.split()
        slot = int(number)
        if command == "start":
            self._start(slot)
        else:
            for pid, of in self._guests.items():
                if of == slot:
                    os.kill(pid, _SIGNALS[command])

    def _start(self, slot: int) -> None:
        pid = kernel.fork_into_namespaces()
        if pid == 0:
            self._become_guest(slot)
        os.close(_FIRST_SLOT + slot)
        self._guests[pid] = slot
        if self._joins is not None:
            os.write(self._joins, f"{pid} {self._name}-{slot}\n".encode())

    def _become_guest(self, slot: int) -> NoReturn:
        try:
            self._isolate(slot)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(1)
        gc.enable()
        serve.serve(Channel(_GUEST_CHANNEL, _GUEST_CHANNEL))

    def _isolate(self, slot: int) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # A signal to one's own process group crosses pid namespaces: the guest has a group of its own.
        os.setsid()
        kernel.map_to_same_ids()
        kernel.forbid_user_namespaces()
        self._mount_scratch()
        # In this order: the channel's number may be free, and is not to be taken by anything else.
        os.dup2(_FIRST_SLOT + slot, _GUEST_CHANNEL)
        nothing = os.open("/dev/null", os.O_RDWR)
        limits.limit_process(self._limits, self._in_use, self._counts_processes)
        kernel.drop_capabilities()
        kernel.load_filter(self._filter)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        os.closerange(_GUEST_CHANNEL + 1, self._most_descriptors)

    def _mount_scratch(self) -> None:
        scratch = self._limits["scratchMb"]
        options = f"size={scratch}m,nr_inodes={scratch * _INODES_PER_MB},mode=0700"
        plain = kernel.NO_SETUID | kernel.NO_DEVICES | kernel.NO_PROGRAMS
        kernel.mount_memory("/tmp", plain, options)
        for place in ["/proc", *(["/cgroup"] if self._cgroups else [])]:
            kernel.mount_memory(place, plain | kernel.READ_ONLY, "size=4k,nr_inodes=2,mode=0555")
        os.chdir("/tmp")

    def _report_ends(self) -> None:
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            slot = self._guests.pop(pid, None)
            if slot is not None:
                self._tell(slot, status, round((usage.ru_utime + usage.ru_stime) * 1000), usage.ru_maxrss)

    def _tell(self, slot: int, status: int, milliseconds: int, kilobytes: int) -> None:
        os.write(_NEWS, f"ended {slot} {status} {milliseconds} {kilobytes}\n".encode())


def _close_strangers(first: int) -> None:
    """Closes what the host's own parents left open for its children by mistake."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) >= first:
            try:
                os.close(int(name))
            except OSError:
                pass  # the one of the listing itself


def _read_settings() -> tuple[dict[str, Any], bytes]:
    """The first line of the commands, and what has come after it."""
    received = b""
    while b"\n" not in received:
        piece = os.read(_COMMANDS, 65536)
        if not piece:
            os._exit(0)
        received += piece
    line, _, rest = received.partition(b"\n")
    return json.loads(line), rest


def main() -> NoReturn:
    """Prepares what all guests share, then serves."""
    settings, rest = _read_settings()
    # What Python does at its start, but for the programs that packages may put there (.pth): each start would pay.
    sys.path.extend(settings["packages"])
    site.setquit()
    site.setcopyright()
    site.sethelper()
    os.environ.clear()
    sys.argv = [""]
    sys.dont_write_bytecode = True
    kernel.use_one_arena()
    limits.limit_threads(settings["limits"]["processes"])
    gc.disable()
    ForkServer(settings, rest).serve()
    os._exit(0)
