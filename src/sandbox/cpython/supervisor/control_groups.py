"""Puts guests under their control groups, beside the limits that they set themselves."""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def start_joining(folders: list[str]) -> int:
    """Starts a process for it, since the kernel may take ten milliseconds; lines "<pid> <group>" go to the result."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(writer)
        _serve(reader, folders)
    os.close(reader)
    return writer


def _serve(reader: int, folders: list[str]) -> NoReturn:
    try:
        # Nothing else of the fork server is needed here, nor may it be kept open.
        os.dup2(reader, 0)
        os.closerange(1, 1 << 10)
        signal.set_wakeup_fd(-1)
        rest = b""
        while received := os.read(0, 4096):
            *lines, rest = (rest + received).split(b"\n")
            for line in lines:
                pid, group = line.decode().split()
                _join(int(pid), [f"{folder}/{group}/cgroup.procs" for folder in folders])
    finally:
        os._exit(0)


def _join(pid: int, files: list[str]) -> None:
    """Moves a guest; one that cannot be moved does not run."""
    try:
        for file in files:
            with open(file, "w", encoding="ascii") as members:
                members.write(str(pid))
    except OSError:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended already
