import type { TestsRow } from "./row.ts";

// What a model, a guest, a server or another client might try with the person who decides, and with the files that rules are in.

const people = "test/policy/people.test.ts";
const runs = "test/policy/runs.test.ts";
const files = "test/policy/files.test.ts";
const faces = "test/policy/faces.test.ts";
const desk = "src/approvals/desk.test.ts";
const commands = "test/cli/approvals.test.ts";
const operations = "test/operations/approvals.test.ts";
const hold = "test/approvals/hold.test.ts";

export const personRows: readonly TestsRow[] = [
  {
    id: "C1",
    what: "forms with lists, numbers, other letters or other fields",
    tests: [[people, "approves nothing by %s"]],
  },
  { id: "C2", what: "more fields in a form than were asked for", tests: [[people, "approves by the words, whatever"]] },
  {
    id: "C3",
    what: "an approval for the run is used for a rule that came later",
    tests: [[people, "allows in this run what this rule asks about"]],
  },
  {
    id: "C4",
    what: "an approval for the run is used for another tool, or more than a hundred times",
    tests: [
      [hold, "that allows a tool in this run is asked once for it, and again for another tool"],
      [desk, "an approval for the run lets its tool pass a hundred times"],
    ],
  },
  {
    id: "C5",
    what: "a program that asks again and again until somebody says yes",
    tests: [[runs, "has them asked five"]],
  },
  { id: "C6", what: "a client that goes away in the middle of a question", tests: [[people, "leaves it undecided"]] },
  {
    id: "C7",
    what: "another client asks for a run that is not its own",
    tests: [[people, "another client neither sees nor is asked about it"]],
  },
  { id: "C8", what: "an answer that comes after another's", tests: [[desk, "is told when another was first"]] },
  {
    id: "C9",
    what: "a model with a shell: pipes, flags and variables in place of a terminal",
    tests: [
      [commands, "is refused without a terminal and changes nothing"],
      [commands, "takes its yes from the terminal, and from nowhere else"],
      [commands, "takes no yes that was typed before the question was there"],
    ],
  },
  { id: "C10", what: "a denial needs no terminal", tests: [[commands, "needs no terminal"]] },
  {
    id: "C11",
    what: "the first letters of an id, guessed",
    tests: [[operations, "a decision is for one that waits, by the channel that may, and by its whole id"]],
  },
  {
    id: "C12",
    what: "a tool or a function by which a model or a guest would decide",
    tests: [[operations, "no tool of ours and no function of guests can see or take a decision"]],
  },
  {
    id: "C13",
    what: "a hundred calls of a run wait, and more come",
    tests: [[desk, "a run asks about a hundred acts at once"]],
  },
  {
    id: "C14",
    what: "a file of rules that is half written, empty or of another shape",
    tests: [[runs, "file has %s"]],
  },
  {
    id: "C15",
    what: "a file of rules that becomes a folder, a pipe, a link, or is gone",
    tests: [[runs, "rules hold on when in place of their file there is %s"]],
  },
  { id: "C16", what: "rules that are wrong, in two files at once", tests: [[files, "a rule that is wrong stops"]] },
  { id: "C17", what: "a shadow rule is in the journal, and does nothing", tests: [[runs, "a rule that is tried out"]] },
  {
    id: "C18",
    what: "a call that a condition stopped is in the journal",
    tests: [[runs, "a condition that throws is in"]],
  },
  { id: "C19", what: "a project's file that becomes unreadable", tests: [[files, "a project's file that becomes"]] },
  {
    id: "C23",
    what: "a guest's request is redirected to a host that the rules deny, or names one with a dot behind it",
    tests: [["src/operations/fetch.test.ts", "a request is judged by its host, however that is written"]],
  },
  {
    id: "C22",
    what: "every face with each answer: denied, asked with nobody to answer, allowed",
    tests: [[faces, "every face that there is"]],
  },
  { id: "C20", what: "a list, where everything is locked", tests: [[faces, "a list passes every preset"]] },
  { id: "C21", what: "a guest goes by a skill to be another face", tests: [[faces, "a rule about a face"]] },
];
