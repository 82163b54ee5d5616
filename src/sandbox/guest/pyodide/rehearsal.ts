import { encodeFrame } from "../../frames.ts";
import type { Device } from "./nodes.ts";

/** What guests write, in small. */
const programs = [
  `
import asyncio
from mcp_tools.aio.rehearsal import call
found = await asyncio.gather(*(call("tool", {"turn": turn}) for turn in range(3)))
len(found)
`,
  `
import collections, datetime, json, re
from dataclasses import dataclass
from mcp_tools.rehearsal import call, list_tools

@dataclass
class Row:
    name: str
    size: int = 1

    @property
    def twice(self):
        return self.size * 2

def rows(count):
    for index in range(count):
        yield Row(f"row {index:>3}", index)

for turn in range(30):
    call("tool", {"turn": turn, "text": "x"})
ranked = sorted(rows(20), key=lambda row: -row.twice)
text = json.dumps([{"name": row.name, "size": row.size, "share": row.size / 7} for row in ranked], indent=1)
words = collections.Counter(re.findall(r"\\w+", text))
match json.loads(text):
    case [{"name": str(first)}, *_]:
        print("first", first, words.most_common(2), sum(row.size for row in ranked))
try:
    {}["missing"]
except KeyError as error:
    print(f"{error!r}", ", ".join(sorted({"a", "b"})))
{"when": datetime.datetime(2024, 1, 2), "ratio": 0.5, "rows": [row.name.upper().split() for row in ranked[:2]]}
`,
  "raise ValueError('rehearsed')",
  "1 + 1",
];

/**
 * A host that sends programs and answers their calls, without anybody outside: what Python does only once is done then,
 * and what it runs is compiled. When the last program has ended, reading gives what `whenOver` gives.
 */
export function createRehearsal(whenOver: () => number): Device {
  const decoder = new TextDecoder();
  const waiting = programs.map((code) =>
    encodeFrame(
      JSON.stringify({
        type: "run",
        code,
        libraries: [{ server: "rehearsal", module: "rehearsal", tools: [] }],
        modules: [],
        operations: [],
        imports: { allow: ["*"], deny: [] },
        outputBytes: 100_000,
      }),
    ),
  );
  const answers: Uint8Array[] = [];
  return {
    read(target) {
      // Python waits: for an answer, or, when it has all of them, for the next program.
      const next = answers.shift() ?? waiting.shift();
      if (!next) return whenOver();
      target.set(next);
      return next.length;
    },
    write(source) {
      const id = /^\{"id":(\d+)/.exec(decoder.decode(source.subarray(4, 32)))?.[1];
      if (id) answers.push(encodeFrame(`{"type":"answer","id":${id},"value":{"text":"answer"}}`));
      return source.length;
    },
  };
}
