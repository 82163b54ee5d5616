"""Calls of the Linux kernel that Python has no functions for."""

from __future__ import annotations

import ctypes
import os
import signal
import struct

# user, pid, mount, net, ipc, uts
_NEW_NAMESPACES = 0x10000000 | 0x20000000 | 0x00020000 | 0x40000000 | 0x08000000 | 0x04000000
_SET_THREAD_ID, _CLEAR_THREAD_ID, _GET_THREAD_ID_ADDRESS = 0x01000000, 0x00200000, 40
_MACHINE = os.uname().machine
_CLONE = {"x86_64": 56, "aarch64": 220}
READ_ONLY, NO_SETUID, NO_DEVICES, NO_PROGRAMS = 1, 2, 4, 8
_SET_NO_NEW_PRIVILEGES, _SET_SECCOMP, _SECCOMP_FILTER = 38, 22, 2
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITIES_VERSION = 0x20080522
_ARENAS_MOST = -8

_libc = ctypes.CDLL(None, use_errno=True)
_libc_in_python = ctypes.PyDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def fork_into_namespaces() -> int:
    """os.fork, but the child is the first process in namespaces of its own; saves a second fork.

    Only for a process of one thread: the C library's own handlers do not run.
    """
    flags = _NEW_NAMESPACES | _SET_THREAD_ID | _CLEAR_THREAD_ID | signal.SIGCHLD
    address = ctypes.c_void_p()
    if _libc.prctl(_GET_THREAD_ID_ADDRESS, ctypes.byref(address), 0, 0, 0) != 0:
        flags &= ~(_SET_THREAD_ID | _CLEAR_THREAD_ID)
    own = (ctypes.c_long(0), address)
    arguments = own if _MACHINE == "aarch64" else tuple(reversed(own))
    number, none = ctypes.c_long(_CLONE[_MACHINE]), ctypes.c_long(0)
    ctypes.pythonapi.PyOS_BeforeFork()
    pid: int = _libc_in_python.syscall(number, ctypes.c_long(flags), none, none, *arguments)
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
        _checked(min(pid, 0), "clone")
    return pid


def map_to_same_ids() -> None:
    """Keeps the user and group that the parent namespace knows, and no other."""
    uid, gid = os.getuid(), os.getgid()
    for file, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        _write(f"/proc/self/{file}", text)


def forbid_user_namespaces() -> None:
    """No further namespace from here on."""
    _write("/proc/sys/user/max_user_namespaces", "0")


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def mount_memory(place: str, flags: int, options: str) -> None:
    """Mounts an empty file system in memory."""
    _checked(_libc.mount(b"tmpfs", place.encode(), b"tmpfs", ctypes.c_ulong(flags), options.encode()), f"mount {place}")


def drop_capabilities() -> None:
    """Gives up every capability: for good, since the filter lets no program be started that could have some."""
    header = ctypes.create_string_buffer(struct.pack("Ii", _CAPABILITIES_VERSION, 0))
    nothing = ctypes.create_string_buffer(24)
    _checked(_libc.syscall(_CAPSET[_MACHINE], header, nothing), "capset")


def load_filter(program: bytes) -> None:
    """Loads a seccomp program; from then on it holds for this process and its threads."""
    code = ctypes.create_string_buffer(program, len(program))
    descriptor = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    _checked(_libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
    _checked(_libc.prctl(_SET_SECCOMP, _SECCOMP_FILTER, ctypes.create_string_buffer(descriptor), 0, 0), "seccomp")


def use_one_arena() -> None:
    """Keeps malloc from setting address space aside for each thread."""
    mallopt = getattr(_libc, "mallopt", None)
    if mallopt:
        mallopt(_ARENAS_MOST, 1)
