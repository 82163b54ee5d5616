// Every way to fail that we know of, what then happens, and the tests that show it. docs/faults.md is this table.

export interface Row {
  readonly id: string;
  readonly fault: string;
  readonly held: string;
  /** By file and a part of the name. */
  readonly tests: readonly (readonly [file: string, name: string])[];
}

const servers = "test/faults/servers.test.ts";
const network = "test/faults/network.test.ts";
const gateway = "test/faults/gateway.test.ts";
const upstreams = "src/upstream/upstreams.test.ts";
const remote = "src/upstream/remote.test.ts";
const life = "test/gateway/life.test.ts";
const serve = "test/cli/serve.test.ts";
const guests = "test/gateway/hostile-guests.test.ts";
const store = "src/store/sqlite/store.test.ts";

export const rows: readonly Row[] = [
  {
    id: "F01",
    fault: "a server is killed while idle",
    held: "its tools stay listed; the next call starts it again",
    tests: [[servers, "F01"]],
  },
  {
    id: "F02",
    fault: "a server is killed during a call",
    held: "the call fails as `unknown` at once and is never sent again",
    tests: [
      [servers, "F02"],
      [upstreams, "of a server that dies is unknown"],
    ],
  },
  {
    id: "F03",
    fault: "a server ends at each start",
    held: "it is tried less and less often, up to 30 s apart; the error has its last words",
    tests: [
      [servers, "%s that ends at its start"],
      [upstreams, "may be tried again at once after the first failure"],
    ],
  },
  {
    id: "F04",
    fault: "a server ends right after the handshake",
    held: "counts as a start that failed",
    tests: [
      [servers, "%s that ends at its start"],
      [upstreams, "after it was ready counts as failed too"],
    ],
  },
  {
    id: "F05",
    fault: "a server hangs at its start",
    held: "it is ended after `startTimeoutSeconds`; nothing else waits for it",
    tests: [[servers, "F05"]],
  },
  {
    id: "F06",
    fault: "one call hangs",
    held: "it ends after `timeoutSeconds`, the server is told, the connection stays; a late answer is dropped and counted",
    tests: [[servers, "F06"]],
  },
  {
    id: "F07",
    fault: "progress for ever",
    held: "does not extend the time of a call",
    tests: [[servers, "F07"]],
  },
  {
    id: "F08",
    fault: "a server is alive but frozen",
    held: "after a timeout it is asked for a sign of life; without one within 5 s it is ended, and the next call starts it",
    tests: [[servers, "F08"]],
  },
  {
    id: "F09",
    fault: "a server ignores the end of its stdin and SIGTERM",
    held: "SIGKILL to its whole group, within 3 s",
    tests: [
      [servers, "F09"],
      [upstreams, "close() ends stubborn servers"],
    ],
  },
  {
    id: "F10",
    fault: "a child of a dead server holds its pipes",
    held: "the error does not wait for them; the child is ended with the group",
    tests: [[servers, "F10"]],
  },
  {
    id: "F11",
    fault: "a server leaves a daemon in a session of its own",
    held: "found by a mark in its environment and ended, when the server or the coordinator ends, even by SIGKILL. Linux only; one that clears its environment is not found",
    tests: [
      [servers, "F11"],
      [gateway, "F11"],
    ],
  },
  {
    id: "F12",
    fault: "no such command, not executable, no such folder",
    held: "an error that names what was looked for and where",
    tests: [
      [servers, "F12"],
      [upstreams, "for a reason we can see is reported"],
      ["src/upstream/command.test.ts", "test"],
    ],
  },
  {
    id: "F13",
    fault: "a server runs out of memory",
    held: "the call is `unknown`, the error has its last words; it is started again. (Tested with the limit of Node's heap; a cgroup's kill looks the same to us)",
    tests: [[servers, "F13"]],
  },
  {
    id: "F14",
    fault: "a server's tools change",
    held: "they are listed again",
    tests: [
      [servers, "F14"],
      [upstreams, "a server that changes its tools says so"],
    ],
  },
  {
    id: "F15",
    fault: "many calls while a server starts",
    held: "one start, which all share; each has its own time",
    tests: [
      [servers, "F15"],
      [upstreams, "calls that come together share one start"],
      [upstreams, "because the server took too long to start was not sent"],
    ],
  },
  {
    id: "F16",
    fault: "400, 401, 403, 404 or 500 over HTTP",
    held: "told with the fix, not repeated; a session that the server forgot is opened again by the next call",
    tests: [
      [network, "F16"],
      [remote, "says its status and host"],
      [remote, "that forgets its sessions fails one call"],
    ],
  },
  {
    id: "F17",
    fault: "five calls in a row bring nothing",
    held: "further calls fail at once as `server_resting` with `retryAfterMs`; after the pause a single call finds out whether the server is well",
    tests: [
      [servers, "F17"],
      [network, "F17"],
      ["src/upstream/breaker.test.ts", "F17"],
    ],
  },
  {
    id: "F18",
    fault: "the caller gives up",
    held: "the server is told, its place is free, and it does not count as ill",
    tests: [
      [servers, "F18"],
      ["src/upstream/breaker.test.ts", "F18"],
    ],
  },
  {
    id: "F19",
    fault: "messages in single bytes, many in one chunk, CRLF, characters cut in two",
    held: "all are read right",
    tests: [
      [servers, "F19"],
      ["src/upstream/transport/line-splitter.test.ts", "test"],
    ],
  },
  {
    id: "F20",
    fault: "lines on stdout that are not messages",
    held: "skipped, counted, and shown by `doctor`",
    tests: [
      [servers, "F19 F20"],
      ["test/cli/doctor.test.ts", "what one lists or writes wrongly is a warning"],
    ],
  },
  {
    id: "F21",
    fault: "a line of more than 64 MB",
    held: "that connection is closed; up to there answers are usable, but for one of very many values: that call fails, and nothing else",
    tests: [
      [servers, "F21"],
      [upstreams, "a result of 60 MB comes whole"],
      [upstreams, "a result of very many values fails its call"],
    ],
  },
  {
    id: "F22",
    fault: "answers with a wrong id, or twice",
    held: "dropped and counted; the right call waits on",
    tests: [[servers, "F22"]],
  },
  {
    id: "F23",
    fault: "an answer that breaks off or has no shape",
    held: "that call fails, no other",
    tests: [
      [servers, "F23"],
      [upstreams, "a malformed answer fails its call at once"],
    ],
  },
  {
    id: "F24",
    fault: "a flood on stderr",
    held: "drained; the last 16 kB are kept",
    tests: [
      [servers, "F24"],
      ["src/system/tail.test.ts", "test"],
    ],
  },
  {
    id: "F25",
    fault: "a client does not read its answers",
    held: "it is not read from either, until it does",
    tests: [[gateway, "F25"]],
  },
  {
    id: "F26",
    fault: "a client sends garbage, half a message, or one without end",
    held: "served on; one of very many values is refused unread; past 10 MB in one message the connection ends in order",
    tests: [
      [gateway, "F26"],
      [serve, "when a message has no end"],
      [serve, "after lines that are not messages"],
    ],
  },
  {
    id: "F27",
    fault: "a client closes our stdin",
    held: "exit code 0 within 5 s, nothing is left",
    tests: [[life, "got SIGTERM, SIGINT or SIGHUP during a run, or saw the end of its stdin"]],
  },
  {
    id: "F28",
    fault: "a client is killed, and something else keeps our stdin open",
    held: "a minute of silence after the parent's end, and we end too",
    tests: [["src/cli/process/orphan.test.ts", "F28"]],
  },
  {
    id: "F29",
    fault: "nobody reads our stdout any more",
    held: "a quiet end",
    tests: [[serve, "quietly when nobody reads its answers any more"]],
  },
  {
    id: "F30",
    fault: "a connection is reset in the middle of an answer",
    held: "`unknown`, sent once; the next call works",
    tests: [
      [network, "F30"],
      [remote, "a connection that breaks during a call makes it unknown at once"],
    ],
  },
  {
    id: "F31",
    fault: "a slow network",
    held: "delays its own server only, up to the limit of a call",
    tests: [[network, "F31"]],
  },
  {
    id: "F32",
    fault: "answers byte by byte, or at 2 kB a second",
    held: "come whole, or end at the limit",
    tests: [[network, "F32"]],
  },
  {
    id: "F33",
    fault: "a black hole, or nobody listens",
    held: "ends in time; works again when the network does",
    tests: [
      [network, "F33"],
      [remote, "is given up when it never answers"],
    ],
  },
  {
    id: "F34",
    fault: "an event stream drops during a call",
    held: "`unknown`; the call is not posted again",
    tests: [[network, "F34"]],
  },
  {
    id: "F35",
    fault: "429 or 503 with Retry-After",
    held: "calls are refused for as long, at most a minute, and told as `retryAfterMs`",
    tests: [
      [network, "F35"],
      ["src/upstream/transport/server-fetch.test.ts", "F35"],
    ],
  },
  {
    id: "F36",
    fault: "a name does not resolve, TLS fails",
    held: "told in words; plain HTTP is never tried instead",
    tests: [[network, "F36"]],
  },
  {
    id: "F37",
    fault: "a token expires, a refresh is refused",
    held: "one refresh for all calls; then a clear request to sign in again",
    tests: [
      [
        "src/upstream/oauth/authorization.test.ts",
        "of whose token 50 calls at once meet the end is asked for one new one",
      ],
      ["src/upstream/oauth/authorization.test.ts", "whose refresh is refused wants a new sign-in, once"],
      [
        "src/upstream/oauth/two-processes.test.ts",
        "two processes that meet the end of a token at once refresh it once",
      ],
    ],
  },
  {
    id: "F38",
    fault: "the clock steps, the machine sleeps",
    held: "times are measured by a clock that does not step; what slept is found out by the next call like any lost connection. (A real sleep is not tested)",
    tests: [["src/upstream/breaker.test.ts", "F38"]],
  },
  {
    id: "F39",
    fault: "a sandbox is killed with a call in flight",
    held: "its run ends as `sandbox_failed`, the server is told, the next run is well",
    tests: [[gateway, "F39"]],
  },
  {
    id: "F40",
    fault: "a guest crashes its process",
    held: "its run ends; others are answered as if it were not there",
    tests: [[guests, "kills its process"]],
  },
  {
    id: "F41",
    fault: "no sandbox can be made",
    held: "nothing runs, and the error has the fix",
    tests: [["test/engines/isolation.test.ts", "with an operating-system layer compulsory, nothing runs"]],
  },
  {
    id: "F42",
    fault: "a guest takes too much memory",
    held: "its run ends with the limit's name; others are unaffected",
    tests: [[guests, "allocates without end"]],
  },
  {
    id: "F43",
    fault: "more runs than there is room for",
    held: "they wait and clients take turns; past what may wait, `runs_busy`",
    tests: [["src/runtime/runs/run-places.test.ts", "as many as may run, the rest by turns of their clients"]],
  },
  {
    id: "F44",
    fault: "a sandbox sends a bad frame",
    held: "its run ends",
    tests: [
      [guests, "forges frames"],
      ["src/sandbox/frames.test.ts", "refuses an oversized frame by its header"],
    ],
  },
  {
    id: "F45",
    fault: "a result at the moment of the timeout",
    held: "one end, never two",
    tests: [[gateway, "F45"]],
  },
  {
    id: "F46",
    fault: "the coordinator is killed under load",
    held: "restarts; the database is whole, every call has its intent, what was open is `unknown`, no process is left",
    tests: [
      [gateway, "F46"],
      [store, "keep every intent that was acknowledged by one that is killed"],
      [life, "was killed with SIGKILL during a run"],
    ],
  },
  {
    id: "F47",
    fault: "the disk is full, or the data folder cannot be written",
    held: "what needs the journal is refused, the rest is served; all is well when there is room again",
    tests: [
      [gateway, "F47"],
      [store, "that cannot be written is refused with the fix"],
    ],
  },
  {
    id: "F48",
    fault: "several coordinators on one data folder",
    held: "they share it and lose nothing",
    tests: [[store, "that make the file at the same moment and write to it lose nothing"]],
  },
  {
    id: "F49",
    fault: "the database is broken, older or newer",
    held: "migrated whole, or refused and left as it is; a single row that is damaged is left out of lists and told",
    tests: [
      [store, "of a newer version is refused and left as it is"],
      [store, "whose file is not a database is refused and left as it is"],
      ["src/store/sqlite/migrate.test.ts", "test"],
      ["test/damaged-rows.test.ts", "the damaged ones are told"],
    ],
  },
  {
    id: "F50",
    fault: "the configuration is half written or wrong",
    held: "every problem with its line; nothing starts with half of it",
    tests: [[serve, "tells a broken configuration on stderr"]],
  },
  {
    id: "F51",
    fault: "SIGTERM, SIGINT or SIGHUP at any moment; a second one",
    held: "an orderly end within 5 s, servers that are still connecting included; a second one ends at once; when the system keeps a thread in `open` for ever, SIGKILL 2 s later",
    tests: [
      [gateway, "F51"],
      [life, "got SIGTERM, SIGINT or SIGHUP during a run, or saw the end of its stdin"],
      [serve, "at once by a second signal"],
      [serve, "even while the system keeps a thread of it for ever"],
    ],
  },
  {
    id: "F52",
    fault: "no descriptors left",
    held: "calls that need one fail as `not_sent`, the others go on; all is well when there are some again",
    tests: [[gateway, "F52"]],
  },
  {
    id: "F53",
    fault: "a file that is to be read is a pipe, a device, a folder or gigabytes",
    held: "refused at once by what it is; of what a command line names, pipes are read, up to a limit",
    tests: [
      ["src/system/read-file.test.ts", "test"],
      ["src/servers/server-list.test.ts", "a file that has become a pipe is told of, and nothing waits for it"],
      ["src/gateway/http/token.test.ts", "a pipe in its place is refused"],
      ["src/config/clients/scan-clients.test.ts", "a client's file that is a pipe or a device is told"],
      [serve, "by SIGTERM, while its configuration is to come by a pipe"],
    ],
  },
];
