import type { HostRow } from "./host-rows.ts";

// What a second attack on the host found (S…), each with the tests that attack the same way.

const readCodeFile = "src/operations/files/read-code-file.test.ts";
const lists = "src/workspace/list-folder.test.ts";
const commit = "src/workspace/commit.test.ts";
const stdio = "src/upstream/transport/stdio-transport.test.ts";
const pages = "src/upstream/list-pages.test.ts";
const messages = "src/gateway/http/message.test.ts";
const locks = "src/system/file-lock.test.ts";

export const secondRoundRows: readonly HostRow[] = [
  {
    id: "S01",
    title: "ten thousand patterns, all cancelled together",
    tests: [
      ["src/runtime/heavy-work.test.ts", "twenty thousand that are cancelled, the newest first, leave the next one"],
      ["src/runtime/heavy-work.test.ts", "inputs that cannot be had, thousands of them"],
    ],
  },
  {
    id: "S02",
    title: "a file of 64 MB of line ends, or of one line, read as code",
    tests: [
      [readCodeFile, "64 MB hold up nobody else and are not answered whole: %s"],
      [readCodeFile, "a line beyond the budget is cut, and the answer says so"],
    ],
  },
  {
    id: "S03",
    title: "ten thousand folders deep down, listed and counted",
    tests: [
      [lists, "many folders deep down are each entered once, and others go on meanwhile"],
      [lists, "a tree that is too large is not seen to its end, which is told"],
    ],
  },
  { id: "S04", title: "fifty thousand files committed", tests: [[commit, "50,000 files hold up nobody else"]] },
  {
    id: "S05",
    title: "git ended in the middle of a commit",
    tests: [
      [commit, "git that takes too long is ended without leaving its lock"],
      [commit, "a lock that another git left is told as what it is"],
    ],
  },
  {
    id: "S06",
    title: "answers that a parked call never asked for",
    tests: [["src/gateway/parked-calls.test.ts", "keeps no answer that nobody has asked for"]],
  },
  {
    id: "S07",
    title: "hundreds of bodies without an end, answers that nobody reads",
    tests: [
      [messages, "bodies that do not come to their end give way to others"],
      [messages, "answers that nobody reads are held up to a limit"],
      ["test/gateway/http-bodies.test.ts", "fifty clients that send slowly are all answered"],
    ],
  },
  {
    id: "S08",
    title: "very many keys, variables and names in one message",
    tests: [
      ["test/gateway/http-bodies.test.ts", "initialize with very many capabilities is refused"],
      ["src/operations/inputs.test.ts", "too many keys are refused before one of them is looked at"],
      ["src/operations/environment/environment.test.ts", "%s takes so many names and no more"],
    ],
  },
  {
    id: "S09",
    title: "one id in two requests at once",
    tests: [["src/gateway/http/http-sessions.test.ts", "an id that is under way is refused"]],
  },
  {
    id: "S10",
    title: "pipes, devices and gigabytes in the place of files that are read",
    tests: [
      ["src/system/read-file.test.ts", "a %s is refused by what it is, and not waited for"],
      ["test/cli/serve.test.ts", "by %s, even while the system keeps a thread of it for ever"],
    ],
  },
  {
    id: "S11",
    title: "locks that are empty, nothing, a path or a folder",
    tests: [
      [locks, "a lock that is left, %s, is taken over by one at a time"],
      [locks, "a %s in the place of a lock is told at once, with its path"],
    ],
  },
  {
    id: "S12",
    title: "one broken row in the database",
    tests: [["test/damaged-rows.test.ts", "of the memory the others are listed, in whole pages"]],
  },
  {
    id: "S13",
    title: "a server's answer of very many values",
    tests: [
      ["src/upstream/upstreams.test.ts", "a result of very many values fails its call, says why and what to do"],
      ["src/upstream/remote.test.ts", "an answer of very many values is refused before it is parsed"],
      ["src/upstream/upstreams.test.ts", "of an error that carries very much, the beginning is kept"],
      ["src/upstream/upstreams.test.ts", "of very long instructions the beginning is kept"],
    ],
  },
  {
    id: "S14",
    title: "notifications and questions of megabytes",
    tests: [
      [stdio, "a notification is passed over"],
      [stdio, "a request is refused, and the server told"],
      [stdio, "a request with a very long id is passed over"],
    ],
  },
  {
    id: "S15",
    title: "pages and cursors without an end",
    tests: [
      [pages, "pages without an end are read up to 64 MB of text in all"],
      [pages, "a very long cursor is not followed"],
    ],
  },
  {
    id: "S16",
    title: "a server that does not read",
    tests: [
      [stdio, "gets no more calls when 32 MB wait for it, and nothing of those is sent"],
      [stdio, "is not read from while it leaves answers to its own requests"],
    ],
  },
  {
    id: "S17",
    title: "a hundred operations of a guest at once",
    tests: [
      ["src/runtime/operation-turns.test.ts", "between one operation and the next the event loop goes round"],
      ["test/memory.test.ts", "that is large keeps nobody else waiting, however often it is changed at once"],
    ],
  },
  {
    id: "S18",
    title: "a small value that is large on the disk",
    tests: [["test/workspace.test.ts", "JSON is written in lines, but for what is large or deep, and counts as it is"]],
  },
  {
    id: "S19",
    title: "a server whose tools change, or have other names, at every list",
    tests: [
      ["src/runtime/pace.test.ts", "work that is asked for without end has a twentieth of the time"],
      ["src/store/sqlite/observed-results.test.ts", "of a server whose tools have ever new names"],
      ["src/catalog/read-tools.test.ts", "what the tools of a server take together is bounded"],
    ],
  },
  {
    id: "S20",
    title: "a large value at the end of hundreds of lists",
    tests: [["src/runtime/results/cut.test.ts", "a large value at the end of 500 lists is cut"]],
  },
  {
    id: "S21",
    title: "a remote server whose streams end at once, which accepts no answer, or whose lines do not end",
    tests: [
      [
        "src/upstream/hostile-streams.test.ts",
        "a server that asks without end and accepts no answer has few of them open",
      ],
      [
        "src/upstream/hostile-streams.test.ts",
        "is asked for them again after a wait of ours, and gets no long event id back",
      ],
      ["src/upstream/transport/server-fetch.test.ts", "a failure whose text never ends is told with what came of it"],
      ["src/upstream/transport/answer-gauge.test.ts", "may go on for ever, wherever it is cut: events end with %j"],
    ],
  },
  {
    id: "S22",
    title: "a hundred large answers at once",
    tests: [
      ["src/sandbox/request-queue.test.ts", "there are no more than there is room for: the call is told as failed"],
      ["src/sandbox/request-queue.test.ts", "those that wait behind one in pieces count too"],
    ],
  },
];
