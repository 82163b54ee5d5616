import { expect, test } from "vitest";
import { testLimits } from "../limits.fixture.ts";
import { readReport, shortfalls } from "./probe.ts";

const limits = testLimits;
const wanted = { language: "python", limits, ours: ["/guest"] } as const;

/** What a container of podman says, shortened to what counts; with cgroups of version 1. */
const good = `
==> /proc/self/status <==
Name:	cat
Uid:	65534	65534	65534	65534
CapInh:	0000000000000000
CapPrm:	0000000000000000
CapEff:	0000000000000000
CapBnd:	0000000000000000
CapAmb:	0000000000000000
NoNewPrivs:	1
Seccomp:	2

==> /proc/self/limits <==
Limit                     Soft Limit           Hard Limit           Units
Max cpu time              20                   21                   seconds
Max open files            128                  128                  files

==> /proc/self/mountinfo <==
71 47 0:39 / / ro,relatime - overlay overlay rw,lowerdir=/x
72 71 0:42 / /tmp rw,nosuid,nodev,noexec,relatime - tmpfs tmpfs rw,size=8192k
73 71 0:43 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
78 71 254:0 /run/x/hostname /etc/hostname ro,nosuid - ext4 /dev/vda rw
79 71 254:0 /work /guest ro,relatime - ext4 /dev/vda rw
82 75 0:47 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime - tmpfs tmpfs rw,mode=755

==> netlink <==
refused

==> /proc/net/dev <==
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier
    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0

==> /sys/fs/cgroup/memory/memory.limit_in_bytes <==
159383552

==> /sys/fs/cgroup/pids/pids.max <==
32
`;
const shortfallsOf = (text: string) => shortfalls(readReport(text), wanted);

test("a container that keeps every promise lacks nothing, under both versions of cgroups", () => {
  expect(shortfallsOf(good)).toEqual([]);
  const version2 = good
    .replace("/memory/memory.limit_in_bytes", "/memory.max")
    .replace("/pids/pids.max", "/pids.max")
    .concat("\n==> /sys/fs/cgroup/memory.swap.max <==\n0\n");
  expect(shortfallsOf(version2)).toEqual([]);
  expect(shortfallsOf(version2.replace("<==\n0\n", "<==\nmax\n"))).toEqual(["no swap"]);
});

test.each([
  ["Uid:	65534", "Uid:	0", "user id 65534"],
  ["CapBnd:	0000000000000000", "CapBnd:	00000000a80425fb", "no capabilities"],
  ["CapEff:	0000000000000000\n", "", "no capabilities"],
  ["NoNewPrivs:	1", "NoNewPrivs:	0", "no new privileges"],
  ["Seccomp:	2", "Seccomp:	0", "the system call filter"],
  ["<==\nrefused", "<==\nopen", "the system call filter"],
  ["/ / ro,relatime", "/ / rw,relatime", "a read-only root"],
  ["size=8192k", "size=65536k", "a scratch folder of limited size"],
  ["/hostname /etc/hostname", "/secrets /run/secrets", "nothing of the host's files (it has /run/secrets)"],
  ["    lo:", "  eth0:       0       0\n    lo:", "no network"],
  ["159383552", "9223372036854771712", "a memory limit"],
  ["pids.max <==\n32", "pids.max <==\nmax", "a limit on processes"],
  ["Max open files            128", "Max open files            1048576", "a limit on open files"],
  ["Max cpu time              20", "Max cpu time              unlimited", "a limit on CPU time"],
])("%j become %j: the container lacks it", (kept, broken, shortfall) => {
  expect(good).toContain(kept);
  expect(shortfallsOf(good.replace(kept, broken))).toEqual([shortfall]);
});

test("a container that says nothing is believed nothing", () => {
  expect(shortfalls(new Map(), wanted)).toHaveLength(11);
});
