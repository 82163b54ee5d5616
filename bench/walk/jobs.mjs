// Twelve ordinary jobs, as the calls that a model makes for them: it searches, runs, looks, runs again. Each step is one call of one of the
// two tools; `typescript` and `python` are what it writes. `expect` is what the last answer must hold.
const search = (query, more = {}) => ({ tool: "search_tools", args: { query, ...more } });
const run = (typescript, python, more = {}) => ({ tool: "execute_code", code: { typescript, python }, args: more });

/** `files` is the folder that the servers of files and git work in. */
export function jobsFor(files) {
  return [
    {
      name: "join a 10,000-row file with another",
      steps: [
        search("read a text file"),
        run(
          `import { read_text_file } from "mcp_tools/filesystem";
const text = async (name: string) => (await read_text_file({ path: "${files}/" + name })).content;
const country = new Map(JSON.parse(await text("customers.json")).map((c: any) => [c.id, c.country]));
const totals: Record<string, number> = {};
for (const line of (await text("orders.csv")).trim().split("\\n").slice(1)) {
  const [, customer, amount] = line.split(",");
  const key = country.get(customer) as string;
  totals[key] = (totals[key] ?? 0) + Number(amount);
}
Object.fromEntries(Object.entries(totals).map(([key, sum]) => [key, Math.round(sum)]))`,
          `import csv, io, json
from mcp_tools.filesystem import read_text_file
text = lambda name: read_text_file(path="${files}/" + name)["content"]
country = {c["id"]: c["country"] for c in json.loads(text("customers.json"))}
totals = {}
for row in csv.DictReader(io.StringIO(text("orders.csv"))):
    key = country[row["customer"]]
    totals[key] = totals.get(key, 0) + float(row["amount"])
{key: round(value) for key, value in totals.items()}`,
        ),
      ],
      expect: ['"DE":', '"JP":', '"BR":'],
    },
    {
      name: "write a report and commit it",
      steps: [
        search("write a file"),
        search("git_add git_commit"),
        run(
          `import { write_file } from "mcp_tools/filesystem";
import { git_add, git_commit } from "mcp_tools/git";
await write_file({ path: "${files}/report.md", content: "# Report\\n\\n10,000 orders\\n" });
await git_add({ path: "${files}", paths: ["report.md"] });
const { commitHash, committedFiles } = await git_commit({ path: "${files}", message: "add report" });
({ isHash: /^[0-9a-f]{40}$/.test(commitHash), committedFiles })`,
          `import re
from mcp_tools.filesystem import write_file
from mcp_tools.git import git_add, git_commit
write_file(path="${files}/report.md", content="# Report\\n\\n10,001 orders\\n")
git_add(path="${files}", paths=["report.md"])
done = git_commit(path="${files}", message="add report")
{"isHash": bool(re.fullmatch("[0-9a-f]{40}", done["commitHash"])), "committedFiles": done["committedFiles"]}`,
        ),
      ],
      expect: ['"isHash":true', "report.md"],
    },
    {
      name: "who made the fixes, in a git history",
      steps: [
        search("commit history of a repository"),
        run(
          `import { git_log } from "mcp_tools/git";
const { commits } = await git_log({ path: "${files}", maxCount: 100, grep: "^fix" });
const counts: Record<string, number> = {};
for (const { author = "?" } of commits) counts[author] = (counts[author] ?? 0) + 1;
counts`,
          `from collections import Counter
from mcp_tools.git import git_log
commits = git_log(path="${files}", maxCount=100, grep="^fix")["commits"]
dict(Counter(c["author"] for c in commits))`,
        ),
      ],
      expect: ['{"Cleo":3}'],
    },
    {
      name: "walk 60 notes",
      steps: [
        search("search and read notes in a vault"),
        run(
          `import { obsidian_search_vault, obsidian_read_note } from "mcp_tools/vault";
const found = await obsidian_search_vault({ vault: "notes", query: "status: open", limit: 100 });
if (!found.ok) throw new Error(found.error.message);
const notes = await Promise.all(found.data.matches.map(({ path }) => obsidian_read_note({ vault: "notes", path })));
const hours = notes.map((note) => (note.ok ? Number(/hours: (\\d+)/.exec(note.data.content)?.[1]) : 0));
({ open: notes.length, hours: hours.reduce((a, b) => a + b, 0) })`,
          `import re
from mcp_tools.vault import obsidian_search_vault, obsidian_read_note
found = obsidian_search_vault(vault="notes", query="status: open", limit=100)
paths = [m["path"] for m in found["data"]["matches"]]
texts = [obsidian_read_note(vault="notes", path=p)["data"]["content"] for p in paths]
{"open": len(texts), "hours": sum(int(re.search(r"hours: (\\d+)", t)[1]) for t in texts)}`,
        ),
      ],
      expect: ['"open":20'],
    },
    {
      name: "convert times in parallel",
      steps: [
        search("convert time between timezones"),
        run(
          `import { convert_time } from "mcp_tools/time";
const zones = ["Asia/Tokyo", "America/New_York", "Australia/Sydney", "Africa/Cairo"];
await Promise.all(zones.map((targetTimezone) => convert_time({ sourceTimezone: "Europe/Berlin", targetTimezone, time: "2026-11-18 14:30:00" })))`,
          `import asyncio
from mcp_tools.aio.time import convert_time
zones = ["Asia/Tokyo", "America/New_York", "Australia/Sydney", "Africa/Cairo"]
await asyncio.gather(*[convert_time(sourceTimezone="Europe/Berlin", targetTimezone=z, time="2026-11-18 14:30:00") for z in zones])`,
        ),
      ],
      expect: ["22:30", "08:30"],
    },
    {
      name: "keep facts in a knowledge graph",
      steps: [
        search("knowledge graph: create entities and relations, search them"),
        run(
          `import { create_entities, create_relations, search_nodes } from "mcp_tools/memory";
await create_entities({ entities: [
  { name: "Ada", entityType: "person", observations: ["first programmer"] },
  { name: "Engine", entityType: "machine", observations: [] },
] });
await create_relations({ relations: [{ from: "Ada", to: "Engine", relationType: "programmed" }] });
const { entities } = await search_nodes({ query: "programmer" });
entities.map(({ name }) => name)`,
          `from mcp_tools.memory import create_entities, create_relations, search_nodes
create_entities(entities=[
    {"name": "Ada", "entityType": "person", "observations": ["first programmer"]},
    {"name": "Engine", "entityType": "machine", "observations": []},
])
create_relations(relations=[{"from": "Ada", "to": "Engine", "relationType": "programmed"}])
[e["name"] for e in search_nodes(query="programmer")["entities"]]`,
        ),
      ],
      expect: ['["Ada"]'],
    },
    {
      name: "keep an image and look at it again",
      steps: [
        search("get an image"),
        run(
          `import { get_tiny_image } from "mcp_tools/everything";
import { artifacts } from "coordinator";
const image = (await get_tiny_image()).find((item: any) => item.type === "image");
await artifacts.save("logo.png", image)`,
          `from mcp_tools.everything import get_tiny_image
from coordinator import artifacts
image = next(item for item in get_tiny_image() if isinstance(item, dict) and item["type"] == "image")
artifacts.save("logo.png", image)`,
          { session: "image" },
        ),
        run(
          `import { artifacts } from "coordinator";
const bytes = await artifacts.read_bytes("logo.png");
[...bytes.slice(1, 4)].map((b) => String.fromCharCode(b)).join("")`,
          `from coordinator import artifacts
artifacts.read_bytes("logo.png")[1:4].decode()`,
          { session: "image" },
        ),
      ],
      expect: ["PNG"],
    },
    {
      name: "post a message where the network is down",
      steps: [
        search("post a message to a channel"),
        run(
          `import { slack_post_message } from "mcp_tools/slack";
await slack_post_message({ channel_id: "C1", text: "shipped" })`,
          `from mcp_tools.slack import slack_post_message
slack_post_message(channel_id="C1", text="shipped")`,
        ),
      ],
      expect: ["nothing but an error"],
    },
    {
      name: "save a function and use it in the next run",
      steps: [
        run(
          `import { skills } from "coordinator";
await skills.save("week_of", \`/** The ISO week of a day such as 2026-11-18. */
export function week_of(day: string): number {
  const date = new Date(day + "T00:00:00Z");
  date.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7));
  return Math.ceil(((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86400000 + 1) / 7);
}\`)`,
          `from coordinator import skills
def iso_week(day: str) -> int:
    """The ISO week of a day such as 2026-11-18."""
    from datetime import date
    return date.fromisoformat(day).isocalendar().week
skills.save("iso_week", iso_week)`,
        ),
        search("week of a day"),
        run(
          `import { week_of } from "skills/week_of";
["2026-11-18", "2027-01-01"].map(week_of)`,
          `from skills.iso_week import iso_week
[iso_week(day) for day in ("2026-11-18", "2027-01-01")]`,
        ),
      ],
      expect: ["[47,53]"],
    },
    {
      name: "print too much, then page through it",
      steps: [
        run(
          `for (let n = 0; n < 20000; n++) console.log("line " + n + " of a long report");`,
          `for n in range(20000):
    print(f"line {n} of a long report")`,
          { session: "long" },
        ),
        run(
          `import { artifacts } from "coordinator";
(await artifacts.lines("stdout.txt", { from: 12346, limit: 1 })).lines`,
          `from coordinator import artifacts
artifacts.lines("stdout.txt", from_=12346, limit=1)["lines"]`,
          { session: "long" },
        ),
      ],
      expect: ["line 12345 of"],
    },
    {
      name: "go on in a session",
      steps: [
        search("multiply two numbers"),
        run(
          `import { mul } from "mcp_tools/calculator";
const squares = await Promise.all([1, 2, 3, 4].map((n) => mul({ a: n, b: n })));
squares[0]`,
          `from mcp_tools.calculator import mul
squares = [mul(a=n, b=n) for n in (1, 2, 3, 4)]
squares[0]`,
          { session: "sums" },
        ),
        run(
          `squares.map((text: string) => Number(text.split(" ").at(-1))).reduce((a: number, b: number) => a + b, 0)`,
          `sum(int(text.split()[-1]) for text in squares)`,
          {
            session: "sums",
          },
        ),
      ],
      expect: ["30"],
    },
    {
      name: "find out what is not there",
      steps: [search("send an e-mail"), search("create a calendar event")],
      expect: ["No good match"],
    },
  ];
}
