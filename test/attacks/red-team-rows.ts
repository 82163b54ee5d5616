import type { HostRow } from "./host-rows.ts";

// What an attack on the whole product found (R…), each with the tests that attack the same way.

const governed = "test/gateway/governed.test.ts";
const patterns = "test/linear-patterns.test.ts";
const everyPattern = [patterns, "no pattern of the host takes time that grows faster than the text"] as const;

export const redTeamRows: readonly HostRow[] = [
  {
    id: "R1",
    title: "the configuration rewritten, and secrets read, through the workspace",
    tests: [
      [governed, "a guest neither changes nor reads the configuration"],
      [governed, "the file that --config names is closed wherever it lies"],
      ["src/config/workspace-root.test.ts", "where the skills are, above it or below"],
      ["src/workspace/closed-files.test.ts", "is closed under a hard link's name"],
    ],
  },
  {
    id: "R2",
    title: "a name of many capitals, as a query, a parameter of a tool or a guest's search",
    tests: [
      ["src/catalog/search/words.test.ts", "a name of many capitals is joined, or not, in a moment"],
      everyPattern,
    ],
  },
  {
    id: "R3",
    title: "a CSV file of 200,000 columns",
    tests: [["src/workspace/csv.test.ts", "more columns than a table has are refused, at once"]],
  },
  {
    id: "R4",
    title: "a fence before 100,000 blanks",
    tests: [
      ["src/runtime/source.test.ts", "a fence before 100,000 times %j is looked through in a moment"],
      ["src/runtime/source.test.ts", "code that is too long is not looked at"],
    ],
  },
  {
    id: "R5",
    title: "100,000 blank lines of Python, 400,000 signs of equality, 60,000 number signs",
    tests: [everyPattern],
  },
  {
    id: "R6",
    title: "descriptions of unfinished terminal sequences",
    tests: [
      [
        "src/catalog/plain-text.test.ts",
        "100,000 starts of a terminal string that never ends, %j, are gone in a moment",
      ],
      everyPattern,
    ],
  },
  {
    id: "R7",
    title: "many large answers at once",
    tests: [
      ["test/answers.test.ts", "are given one after the other, and the host holds pieces of one"],
      ["test/answers.test.ts", "JSON of millions of lists is refused with the reason, however often it is asked for"],
      ["src/sandbox/request-queue.test.ts", "while answers are large, only as many calls at once as leave room"],
    ],
  },
  {
    id: "R8",
    title: "a slip in a name of 250 characters among thousands",
    tests: [
      ["src/system/nearest.test.ts", "words too long to be a slip of the hand are not compared"],
      ["src/system/nearest.test.ts", "a hundred misses among thousands of similar words take no more than a moment"],
    ],
  },
  {
    id: "R9",
    title: "patterns of a guest that do not end, sixty times",
    tests: [["test/coordinator.test.ts", "patterns that do not end hold up nobody else, however many a run tries"]],
  },
  {
    id: "R10",
    title: "a package's file named as the interpreter of an environment",
    tests: [
      ["test/gateway/environment-paths.test.ts", "a program that a package brought is not run, and nobody is asked"],
      [
        "test/gateway/environment-paths.test.ts",
        "a Python with a standard library of its own making runs in a sandbox",
      ],
    ],
  },
  {
    id: "R11",
    title: "a build backend that looks for the password of the package index",
    tests: [["test/index-credentials.test.ts", "build code of a package finds no password of the index"]],
  },
  {
    id: "R12",
    title: "a build backend that makes empty files without end",
    tests: [["src/sandbox/confined/run-confined.test.ts", "the number of its files, however small they are"]],
  },
  {
    id: "R13",
    title: "questions that nobody answers, by the hundred",
    tests: [
      ["test/gateway/guest-questions.test.ts", "it is offered nowhere"],
      ["test/gateway/guest-questions.test.ts", "whose user does not answer keeps no other run waiting"],
      ["test/gateway/guest-questions.test.ts", "is asked one question of a run at a time, and ten in all"],
    ],
  },
  {
    id: "R14",
    title: "a server that asks in another's name, or without end",
    tests: [
      ["test/gateway/who-asks.test.ts", "is named, also where clients see it as it is"],
      ["test/gateway/who-asks.test.ts", "cannot imitate another, nor hide who asks"],
      ["test/gateway/who-asks.test.ts", "asks ten times a call and no more"],
    ],
  },
  {
    id: "R15",
    title: "a limited run that leaves a call in a skill of others",
    tests: [[governed, "does not replace or delete the skill of another, and its own carries the limit"]],
  },
  {
    id: "R16",
    title: "a skill's file, written by a limited run, whose tests are run",
    tests: [[governed, "does not have edits of skills' files examined, and their tests run, for it"]],
  },
  {
    id: "R17",
    title: "a megabyte of white space that counts as a few tokens",
    tests: [
      ["src/runtime/results/tokens.test.ts", "white space costs by what it is: %s"],
      ["src/runtime/results/cut.test.ts", "is cut as a text"],
      ["src/runtime/results/cut.test.ts", "is cut as a value"],
    ],
  },
  {
    id: "R18",
    title: "skills, and everything else that a run can store, without end",
    tests: [
      [governed, "has an end: skills of 225 kB in a loop meet their quota"],
      [governed, "has an end for each run, whatever it stores"],
      [governed, "has an end in the journal"],
    ],
  },
  {
    id: "R19",
    title: "a folder that git takes for a repository",
    tests: [[governed, "a guest makes no git repository that runs its command"]],
  },
  {
    id: "R20",
    title: "generate_tools over files of the user",
    tests: [[governed, "writes into the workspace and nowhere else, and over no file that it did not make"]],
  },
  {
    id: "R21",
    title: "a thousand connections without the token",
    tests: [
      ["test/gateway/http-strangers.test.ts", "each asked for the health and stays"],
      ["test/gateway/http-strangers.test.ts", "it hangs up after its answer to %s"],
    ],
  },
  { id: "R22", title: "two runs that signal to each other by locks on files", remains: "refusing locks breaks SQLite" },
  {
    id: "R23",
    title: "terminal sequences and hidden characters in errors",
    tests: [["test/hostile-server.test.ts", "what a guest throws reaches its caller without what terminals obey"]],
  },
  {
    id: "R24",
    title: "a umask of 000",
    tests: [["test/file-modes.test.ts", "where the user's umask is 000, others can still write to nothing"]],
  },
  {
    id: "R25",
    title: "guests of one fork server that share addresses and hash seed",
    remains: "a guest may run native code anyway",
  },
  {
    id: "R26",
    title: "types that take the compiler a gigabyte",
    tests: [
      ["src/runtime/typescript/checker.test.ts", "is limited, and a check whose compiler ends for want of it says so"],
    ],
  },
  {
    id: "R27",
    title: "a session's thread that spins between runs",
    tests: [["test/engines/cpython.test.ts", "a thread of a session uses no processor between runs"]],
  },
  {
    id: "R28",
    title: "namespaces and the kernel's sockets inside a container",
    tests: [
      ["test/engines/container.test.ts", "namespaces, mounts, other processes, key rings and sockets of the kernel"],
      ["test/engines/container.test.ts", "a TypeScript guest has the same filter, and neither language is shown"],
    ],
  },
  {
    id: "R29",
    title: "a kept value that a program reads otherwise",
    tests: [["test/cli/commands.test.ts", "gives programs exactly what was kept"]],
  },
];
