import { type Architecture, systemCallNumber } from "./system-calls.ts";

/**
 * What a sandboxed process may ask of the kernel, as programs of its filter machine (classic BPF over seccomp_data).
 * A call that a program refuses fails with an error; one of another architecture ends the process.
 */

const auditArchitecture: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** From here on the numbers of x64 are those of its 32-bit twin, x32. */
const x32Bit = 0x40000000;

const action = { allow: 0x7fff0000, killProcess: 0x80000000, refuse: 0x00050000 };
const errno = { EPERM: 1, ENOMEM: 12, ENOTTY: 25, ENOSYS: 38 } as const;
const offset = { number: 0, architecture: 4, argument: (index: number) => 16 + 8 * index };
const machine = { load: 0x20, jumpIfEqual: 0x15, jumpIfSet: 0x45, jumpIfAtLeast: 0x35, jump: 0x05, end: 0x06 };

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];
/** What happens to one call: instructions that always end. */
type Ruling = readonly Instruction[];

const end = (value: number): Instruction => [machine.end, 0, 0, value];
const allow: Ruling = [end(action.allow)];
const refuse = (error: keyof typeof errno): Ruling => [end(action.refuse | errno[error])];
/** Success, with nothing done. */
const pretend: Ruling = [end(action.refuse)];
const load = (index: number): Instruction => [machine.load, 0, 0, offset.argument(index)];

/** Allowed when the argument is one of these; only its lower half is looked at, as the kernel does for these calls. */
function allowValues(index: number, values: readonly number[], otherwise: Ruling): Ruling {
  const tests = values.map(
    (value, place): Instruction => [machine.jumpIfEqual, values.length - 1 - place + otherwise.length, 0, value],
  );
  return [load(index), ...tests, ...otherwise, ...allow];
}

/** A thread is fine, a process is not; neither is a namespace, which no thread can have. */
const cloneThread = 0x10000;
const threadsOnly: Ruling = [load(0), [machine.jumpIfSet, 0, 1, cloneThread], ...allow, ...refuse("EPERM")];

/** Processes are fine too, namespaces are not (CLONE_NEWTIME to CLONE_NEWNET). */
const cloneNamespaces = 0x7e020080;
const noNamespaces: Ruling = [load(0), [machine.jumpIfSet, 0, 1, cloneNamespaces], ...refuse("EPERM"), ...allow];

/** Memory that the limit on data does not count: shared without a file, or growing like a stack. */
const [mapShared, mapAnonymous, mapGrowsDown] = [0x01, 0x20, 0x100];
const countedMemory: Ruling = [
  load(3),
  [machine.jumpIfSet, 3, 0, mapGrowsDown],
  [machine.jumpIfSet, 0, 1, mapShared],
  [machine.jumpIfSet, 1, 0, mapAnonymous],
  ...allow,
  ...refuse("ENOMEM"),
];

const unixFamily = [1];
const unixSockets = allowValues(0, unixFamily, refuse("EPERM"));
/** Unix sockets and both kinds of IP, in a network namespace where nothing but itself can be reached. */
const ownFamilies = [1, 2, 10];
const ownSockets = allowValues(0, ownFamilies, refuse("EPERM"));
/** Names of threads and of memory. */
const harmlessControls = allowValues(0, [15, 16, 0x53564d41], refuse("EPERM"));
/** What Python and C ask of a file: is it a terminal, close it on exec, do not wait, how much is there. */
const harmlessRequests = allowValues(1, [0x5401, 0x5413, 0x5450, 0x5451, 0x5421, 0x541b], refuse("ENOTTY"));

/** Descriptors, flags, locks and pipe sizes; no leases and no notices, which are about what others do with a file. */
const descriptorCommands = [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032];
const ownDescriptors = allowValues(1, descriptorCommands, refuse("EPERM"));

/** Ways out of a sandbox, into other processes, and into rarely used parts of the kernel. */
const refusedEverywhere = words(`
  fork vfork socket connect bind listen accept accept4 ptrace process_vm_readv process_vm_writev process_madvise
  process_mrelease kcmp pidfd_open pidfd_getfd pidfd_send_signal mount umount2 pivot_root chroot move_mount open_tree
  fsopen fsconfig fsmount fspick mount_setattr unshare setns bpf perf_event_open io_uring_setup io_uring_enter
  io_uring_register add_key request_key keyctl userfaultfd kexec_load kexec_file_load init_module finit_module
  delete_module open_by_handle_at name_to_handle_at personality quotactl quotactl_fd acct swapon swapoff reboot
  settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname iopl ioperm syslog lookup_dcookie
  nfsservctl vhangup fanotify_init fanotify_mark shmget shmat shmctl shmdt msgget msgsnd msgrcv msgctl semget semop
  semctl semtimedop mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr migrate_pages move_pages
  modify_ldt uselib ustat sysfs _sysctl io_setup io_submit io_destroy io_getevents io_cancel io_pgetevents
`);

/** The same for Python alone: it needs no other program, and memory only where it is counted. */
const refusedToPython = words(`
  execve execveat memfd_create memfd_secret seccomp capset setuid setgid setreuid setregid setresuid setresgid
  setgroups setfsuid setfsgid setpgid setsid sched_setscheduler sched_setattr sched_setparam mbind set_mempolicy
  set_mempolicy_home_node mlockall ioprio_set remap_file_pages
  inotify_init inotify_init1 inotify_add_watch inotify_rm_watch
`);

/** All that CPython, its standard library and packages like numpy use. */
const allowedToPython = words(`
  read write futex munmap mprotect brk madvise newfstatat fstat openat close lseek rt_sigaction rt_sigprocmask
  poll ppoll epoll_wait epoll_pwait epoll_pwait2 epoll_ctl epoll_create epoll_create1 select pselect6 clock_gettime
  clock_nanosleep nanosleep getrandom sched_yield sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg
  open creat stat lstat statx access faccessat faccessat2 openat2 readv writev preadv pwritev preadv2 pwritev2 pread64
  pwrite64 pipe pipe2 dup dup2 dup3 flock fsync fdatasync sync_file_range truncate ftruncate
  fallocate fadvise64 readahead sendfile copy_file_range splice tee vmsplice getdents getdents64 getcwd chdir fchdir
  rename renameat renameat2 mkdir mkdirat rmdir link linkat unlink unlinkat symlink symlinkat readlink readlinkat
  chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat umask utime utimes futimesat utimensat mknod mknodat
  statfs fstatfs setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr
  lremovexattr fremovexattr close_range
  shutdown getsockname getpeername setsockopt getsockopt eventfd eventfd2 signalfd signalfd4 timerfd_create
  timerfd_settime timerfd_gettime mremap msync mincore mlock mlock2 munlock munlockall membarrier get_mempolicy
  rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack kill tkill tgkill pause alarm
  getitimer setitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete clock_getres
  gettimeofday time times getpid gettid getppid getpgrp getpgid getsid getuid getgid geteuid getegid getresuid
  getresgid getgroups capget uname sysinfo getrusage getrlimit setrlimit prlimit64 getpriority setpriority
  sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval
  sched_getattr sched_setaffinity sched_getaffinity getcpu arch_prctl set_tid_address set_robust_list
  get_robust_list rseq futex_waitv restart_syscall exit exit_group wait4 waitid
`);

/** For a Python that has started: what is not listed does not exist. */
export function pythonFilter(architecture: Architecture): Uint8Array {
  return compile(
    architecture,
    [
      ["mmap", countedMemory],
      ["clone", threadsOnly],
      ["socketpair", unixSockets],
      ["prctl", harmlessControls],
      ["ioctl", harmlessRequests],
      ["fcntl", ownDescriptors],
      // A guest need not wait for the host's disks, nor make others wait.
      ["sync", pretend],
      ["syncfs", pretend],
      ...allowedToPython.map((name) => [name, allow] as const),
      ...[...refusedEverywhere, ...refusedToPython].map((name) => [name, refuse("EPERM")] as const),
    ],
    // clone3 among them: glibc then takes clone, whose arguments a filter can see.
    refuse("ENOSYS"),
  );
}

/** For a Deno that is about to start: all but ways out. */
export function denoFilter(architecture: Architecture): Uint8Array {
  return compile(
    architecture,
    [
      ["clone", threadsOnly],
      ["clone3", refuse("ENOSYS")],
      ["socketpair", unixSockets],
      ...refusedEverywhere.map((name) => [name, refuse("EPERM")] as const),
    ],
    allow,
  );
}

/** What an installer needs beside that: to start programs, and to talk to what listens in its own sandbox. */
const allowedToInstallers = new Set(words("fork vfork socket connect bind listen accept accept4 pidfd_open"));

/** For an installer that is about to start, and for what it starts. */
export function installerFilter(architecture: Architecture): Uint8Array {
  const refused = refusedEverywhere.filter((name) => !allowedToInstallers.has(name));
  return compile(
    architecture,
    [
      ["clone", noNamespaces],
      ["clone3", refuse("ENOSYS")],
      ["socket", ownSockets],
      ["socketpair", unixSockets],
      ...refused.map((name) => [name, refuse("EPERM")] as const),
    ],
    allow,
  );
}

/** What a container needs beside Python's calls: its memory is counted by a cgroup, and it may start programs. */
const allowedToContainers = words(`
  execve execveat fork vfork connect bind listen accept accept4 setpgid setsid memfd_create mmap prctl ioctl
`);

/** One rule of a profile in the words of the OCI runtimes; several rules about one call are alternatives. */
interface ProfileRule {
  readonly names: readonly string[];
  readonly action: "SCMP_ACT_ALLOW" | "SCMP_ACT_ERRNO";
  readonly errnoRet?: number;
  readonly args?: readonly { index: number; value: number; valueTwo?: number; op: string }[];
}

/** The profile that podman and docker take for a container of either language: what it does not name does not exist. */
export function containerProfile(): object {
  const allowed = new Set([...allowedToPython, ...allowedToContainers]);
  const refused = [...refusedEverywhere, ...refusedToPython].filter((name) => !allowed.has(name) && name !== "socket");
  const permit = (names: readonly string[], arg?: NonNullable<ProfileRule["args"]>[number]): ProfileRule => ({
    names,
    action: "SCMP_ACT_ALLOW",
    ...(arg && { args: [arg] }),
  });
  const permitValues = (name: string, index: number, values: readonly number[]): ProfileRule[] =>
    values.map((value) => permit([name], { index, value, op: "SCMP_CMP_EQ" }));
  const syscalls: ProfileRule[] = [
    permit([...allowed]),
    permit(["clone"], { index: 0, value: cloneNamespaces, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }),
    ...permitValues("socket", 0, ownFamilies),
    ...permitValues("socketpair", 0, unixFamily),
    ...permitValues("fcntl", 1, descriptorCommands),
    { names: ["sync", "syncfs"], action: "SCMP_ACT_ERRNO", errnoRet: 0 },
    { names: refused, action: "SCMP_ACT_ERRNO", errnoRet: errno.EPERM },
  ];
  return { defaultAction: "SCMP_ACT_ERRNO", defaultErrnoRet: errno.ENOSYS, syscalls };
}

/** From here to the next one, system call numbers have the same ruling. */
interface Range {
  readonly from: number;
  readonly ruling: Ruling;
}

function compile(
  architecture: Architecture,
  rules: readonly (readonly [name: string, ruling: Ruling])[],
  otherwise: Ruling,
): Uint8Array {
  const kill = end(action.killProcess);
  return encode([
    [machine.load, 0, 0, offset.architecture],
    [machine.jumpIfEqual, 1, 0, auditArchitecture[architecture]],
    kill,
    [machine.load, 0, 0, offset.number],
    ...(architecture === "x64" ? [[machine.jumpIfAtLeast, 0, 1, x32Bit] as const, kill] : []),
    ...search(rangesOf(architecture, rules, otherwise)),
  ]);
}

function rangesOf(
  architecture: Architecture,
  rules: readonly (readonly [name: string, ruling: Ruling])[],
  otherwise: Ruling,
): Range[] {
  const rulings = new Map<number, Ruling>();
  for (const [name, ruling] of rules) {
    const number = systemCallNumber(name, architecture);
    if (number !== undefined) rulings.set(number, ruling);
  }
  const ranges: Range[] = [];
  for (let number = 0; number <= Math.max(...rulings.keys()) + 1; number++) {
    const ruling = rulings.get(number) ?? otherwise;
    if (!isSame(ranges.at(-1)?.ruling, ruling)) ranges.push({ from: number, ruling });
  }
  return ranges;
}

function isSame(one: Ruling | undefined, other: Ruling): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A binary search: the kernel walks through a program once for every number there is when it loads it. */
function search(ranges: readonly Range[]): Ruling {
  const middle = ranges.length >> 1;
  const { from, ruling } = ranges[middle] as Range;
  if (ranges.length === 1) return ruling;
  const below = search(ranges.slice(0, middle));
  const above = search(ranges.slice(middle));
  return [[machine.jumpIfAtLeast, 0, 1, from], [machine.jump, 0, 0, below.length], ...below, ...above];
}

/** An array of `struct sock_filter`, little-endian as both architectures are. */
function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, [code, whenTrue, whenFalse, value]] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, whenTrue);
    view.setUint8(index * 8 + 3, whenFalse);
    view.setUint32(index * 8 + 4, value >>> 0, true);
  }
  return bytes;
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
