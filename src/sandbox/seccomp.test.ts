import { expect, test } from "vitest";
import { containerProfile, denoFilter, pythonFilter } from "./seccomp.ts";
import { type Architecture, systemCallNumber } from "./system-calls.ts";

// The programs, run by a machine of our own; test/engines/ has the kernel run them.

const audit = { x64: 0xc000003e, arm64: 0xc00000b7 };
const [EPERM, ENOMEM, ENOTTY, ENOSYS] = [1, 12, 25, 38];

interface Call {
  readonly number: number;
  readonly architecture: number;
  readonly args: readonly number[];
}

function ruling(program: Uint8Array, call: Call): "allow" | "kill" | number {
  const view = new DataView(program.buffer);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [code, whenTrue, whenFalse, value] = [
      view.getUint16(at * 8, true),
      view.getUint8(at * 8 + 2),
      view.getUint8(at * 8 + 3),
      view.getUint32(at * 8 + 4, true),
    ];
    const jump = (holds: boolean) => {
      at += holds ? whenTrue : whenFalse;
    };
    if (code === 0x20) {
      accumulator = value === 0 ? call.number : value === 4 ? call.architecture : (call.args[(value - 16) / 8] ?? 0);
    } else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x05) at += value;
    else if (code === 0x06) {
      if (value === 0x7fff0000) return "allow";
      if (value === 0x80000000) return "kill";
      return value & 0xffff;
    } else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the program ran past its end");
}

const filters = { python: pythonFilter, deno: denoFilter };

function asked(filter: keyof typeof filters, architecture: Architecture, name: string, ...args: number[]) {
  const number = systemCallNumber(name, architecture);
  if (number === undefined) throw new Error(`${architecture} has no ${name}`);
  return ruling(filters[filter](architecture), { number, architecture: audit[architecture], args });
}

test.each<[keyof typeof filters, string, number[], "allow" | number]>([
  ["python", "read", [], "allow"],
  ["python", "openat", [], "allow"],
  ["python", "execve", [], EPERM],
  ["python", "socket", [2], EPERM],
  ["python", "socketpair", [1], "allow"],
  ["python", "socketpair", [2], EPERM],
  ["python", "connect", [], EPERM],
  ["python", "ptrace", [], EPERM],
  ["python", "unshare", [], EPERM],
  ["python", "bpf", [], EPERM],
  ["python", "io_uring_setup", [], EPERM],
  ["python", "memfd_create", [], EPERM],
  ["python", "clone3", [], ENOSYS],
  ["python", "clone", [0x3d0f00], "allow"],
  ["python", "clone", [17], EPERM],
  ["python", "clone", [0x10000000 | 17], EPERM],
  ["python", "mmap", [0, 4096, 3, 0x22], "allow"],
  ["python", "mmap", [0, 4096, 3, 0x01], "allow"],
  ["python", "mmap", [0, 4096, 3, 0x21], ENOMEM],
  ["python", "mmap", [0, 4096, 3, 0x23], ENOMEM],
  ["python", "mmap", [0, 4096, 3, 0x122], ENOMEM],
  ["python", "prctl", [15], "allow"],
  ["python", "prctl", [0x53564d41], "allow"],
  ["python", "prctl", [22], EPERM],
  ["python", "ioctl", [0, 0x5401], "allow"],
  ["python", "ioctl", [0, 0x541b], "allow"],
  ["python", "ioctl", [0, 0x5412], ENOTTY],
  ["python", "fcntl", [3, 1030], "allow"],
  ["python", "sync", [], 0],
  ["python", "fcntl", [3, 1024], EPERM],
  ["python", "inotify_add_watch", [], EPERM],
  ["deno", "execve", [], "allow"],
  ["deno", "memfd_create", [], "allow"],
  ["deno", "socket", [1], EPERM],
  ["deno", "socketpair", [1], "allow"],
  ["deno", "socketpair", [16], EPERM],
  ["deno", "clone", [17], EPERM],
  ["deno", "clone", [0x10000], "allow"],
  ["deno", "clone3", [], ENOSYS],
  ["deno", "ptrace", [], EPERM],
])("%s: %s %j", (filter, name, args, expected) => {
  expect(asked(filter, "x64", name, ...args)).toBe(expected);
  expect(asked(filter, "arm64", name, ...args)).toBe(expected);
});

test("a call of another architecture ends the process", () => {
  for (const filter of Object.values(filters)) {
    expect(ruling(filter("x64"), { number: 0, architecture: 0x40000003, args: [] })).toBe("kill");
    expect(ruling(filter("x64"), { number: 0x40000000, architecture: audit.x64, args: [] })).toBe("kill");
    expect(ruling(filter("arm64"), { number: 63, architecture: audit.x64, args: [] })).toBe("kill");
  }
});

test("a call that nobody has heard of does not exist for Python", () => {
  for (const architecture of ["x64", "arm64"] as const) {
    const call = { number: 4095, architecture: audit[architecture], args: [] };
    expect(ruling(pythonFilter(architecture), call)).toBe(ENOSYS);
    expect(pythonFilter(architecture).length / 8).toBeLessThan(4096);
  }
});

test("a container's profile names no call twice, allows what Python may do and refuses the ways out", () => {
  const profile = containerProfile() as {
    defaultErrnoRet: number;
    syscalls: { names: string[]; action: string; errnoRet?: number; args?: unknown[] }[];
  };
  const rules = new Map(
    profile.syscalls.flatMap((rule) => rule.names.map((name) => [name, { ...rule, names: [] }] as const)),
  );
  const plain = profile.syscalls.filter(({ args }) => !args).flatMap(({ names }) => names);
  expect(new Set(plain).size).toBe(plain.length);
  for (const name of plain) expect(() => systemCallNumber(name, "x64")).not.toThrow();
  expect(profile.defaultErrnoRet).toBe(ENOSYS);
  for (const name of ["read", "execve", "fork", "mmap"]) {
    expect(rules.get(name)).toEqual({ names: [], action: "SCMP_ACT_ALLOW" });
  }
  for (const name of ["unshare", "setns", "mount", "ptrace", "keyctl", "bpf", "io_uring_setup", "memfd_secret"]) {
    expect(rules.get(name)).toEqual({ names: [], action: "SCMP_ACT_ERRNO", errnoRet: EPERM });
  }
  expect(rules.get("clone3")).toBeUndefined();
  expect(rules.get("clone")?.args).toHaveLength(1);
});
