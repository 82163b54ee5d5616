import { python } from "./python-attempt.ts";
import type { Row } from "./row.ts";

/** 2C, continued: the parts of the kernel that a guest has no use for and that local exploits begin with. */
export const kernelRows: readonly Row[] = [
  {
    id: "P052-kernel",
    language: "python",
    title:
      "namespaces, mounts, other processes' memory, key rings, programs and sockets of the kernel: every call fails",
    expect: "ok",
    returns: [],
    timeout: 5,
    on: { pyodide: { skip: "WebAssembly has no system calls" } },
    code: {
      "new namespaces": gotten(python`
        for flag in [0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x7E020080]:
            attempt(f"unshare {flag:#x}", "unshare", flag)
            if flag != 0x80:
                attempt(f"clone {flag:#x}", "syscall", clone, flag | 17, 0, 0, 0, 0)
        attempt("setns", "setns", 0, 0)
        attempt("clone3", "syscall", 435, ctypes.create_string_buffer(88), 88)
      `),
      mounts: gotten(python`
        attempt("tmpfs", "mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None)
        attempt("bind", "mount", b"/", b"/tmp", None, 4096, None)
        attempt("umount", "umount2", b"/tmp", 2)
        attempt("chroot", "chroot", b"/tmp")
        for number in [428, 429, 430, 431, 432, 433, 442, 457, 458]:
            attempt(f"mount call {number}", "syscall", number, -100, b"/tmp", 1, 0, 0)
      `),
      "processes and memory": gotten(python`
        attempt("ptrace", "ptrace", 0, 0, None, None)
        attempt("process_vm_readv", "process_vm_readv", os.getpid(), None, 0, None, 0, 0)
        attempt("personality", "personality", 0xFFFFFFFF)
        for name, number in {"pidfd_open": 434, "pidfd_getfd": 438, "pidfd_send_signal": 424, "memfd_secret": 447, "io_uring_setup": 425}.items():
            attempt(name, "syscall", number, os.getpid() if name == "pidfd_open" else 0, 0, 0, 0)
        for name, number in others.items():
            attempt(name, "syscall", number, 0, 0, 0, 0, 0)
      `),
      sockets: gotten(python`
        for family in [3, 4, 5, 9, 11, 15, 16, 17, 21, 29, 31, 38, 40, 44]:
            for kind in [1, 2, 3, 5]:
                attempt(f"socket {family} {kind}", "socket", family, kind, 0)
      `),
    },
  },
];

/** Code whose result is the names of those attempts that succeeded. */
function gotten(body: string): string {
  return `${python`
    import ctypes, os, platform
    from typing import Any
    got: list[str] = []
    def attempt(name: str, function: str, *given: Any) -> None:
        try:
            if ctypes.CDLL(None, use_errno=True)[function](*given) >= 0:
                got.append(name)
        except (AttributeError, OSError, ctypes.ArgumentError):
            pass
    arm = platform.machine() == "aarch64"
    clone = 220 if arm else 56
    others = {"keyctl": 219, "add_key": 217, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282} if arm else {"keyctl": 250, "add_key": 248, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323}
  `}\n${body}\ngot`;
}
