"""Limits of the system on one guest."""

from __future__ import annotations

import _thread
import resource
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MB = 1024 * 1024
# Programs and shared libraries take address space, but hardly memory.
_ADDRESS_SPACE_MB = 1024
_STACK_BYTES = _MB


def memory_in_use() -> dict[str, int]:
    """Bytes that the process has already: all of its address space, and its data."""
    with open("/proc/self/status", encoding="ascii") as lines:
        fields = dict(line.split(":", 1) for line in lines)
    return {name: int(fields[name].split()[0]) * 1024 for name in ("VmSize", "VmData")}


def limit_process(limits: dict[str, int], in_use: dict[str, int], counts_processes: bool) -> None:
    """Sets what the kernel enforces; neither the process nor anyone in its namespaces can raise it."""
    memory = limits["memoryMb"] * _MB
    scratch = limits["scratchMb"] * _MB
    values = {
        resource.RLIMIT_DATA: in_use["VmData"] + memory,
        resource.RLIMIT_AS: in_use["VmSize"] + memory + _ADDRESS_SPACE_MB * _MB,
        resource.RLIMIT_CPU: limits["cpuSeconds"],
        resource.RLIMIT_NOFILE: limits["openFiles"],
        resource.RLIMIT_FSIZE: scratch,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 256,
    }
    if counts_processes:
        values[resource.RLIMIT_NPROC] = limits["processes"]
    for kind, value in values.items():
        resource.setrlimit(kind, (value, value))


def limit_threads(most: int) -> None:
    """Refuses more threads than that with Python's own error, where the kernel does not count them."""
    threading.stack_size(_STACK_BYTES)
    for name in ("start_new_thread", "start_joinable_thread"):
        start = getattr(_thread, name, None)
        if start is None:
            continue
        counted = _counted(start, most)
        setattr(_thread, name, counted)
        setattr(threading, f"_{name}", counted)


def _counted(start: Any, most: int) -> Any:
    def start_thread(*arguments: Any, **named: Any) -> Any:
        if threading.active_count() >= most:
            raise RuntimeError("can't start new thread")
        return start(*arguments, **named)

    return start_thread
