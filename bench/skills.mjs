// Ten thousand skills: what a search and a save cost, and whether the coordinator starts as it does without any.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Coordinator } from "../dist/index.js";
import { install } from "./gateway.mjs";
import { median, roundsOr, takeTurns, timed } from "./measure.mjs";
import { milliseconds, printWhenAlone, timeRow } from "./report.mjs";
import { openRooms } from "./rooms.mjs";

const many = 10_000;
const rounds = roundsOr(30);
/** For what no operation does alone: storing without the check of the code. */
const stored = 'export * from "./src/store/sqlite/store.ts"; export * from "./src/skills/mirror.ts";';
const goal = { milliseconds: 20, start: 1.3 };
const topics = ["invoice", "customer", "weather", "paper", "issue", "calendar", "photo", "route", "stock", "recipe"];
const verbs = ["list", "sum", "filter", "rank", "merge", "fetch", "clean", "compare", "draw", "send"];

export async function measure() {
  const full = await install(() => ({}));
  const empty = await install(() => ({}));
  const rooms = await openRooms(stored);
  try {
    await fill(rooms, full.env.MCP_COORDINATOR_HOME);
    return [...(await measureUse(full)), await measureSave(rooms, full), await measureStart(full, empty)];
  } finally {
    await Promise.all([full.remove(), empty.remove()]);
  }
}

function draftOf(number) {
  const [verb, topic] = [verbs[number % 10], topics[Math.floor(number / 10) % 10]];
  const name = `${verb}_${topic}_${number}`;
  const description = `Can ${verb} every ${topic} of the last ${number} days.`;
  const lines = Array.from(
    { length: 20 },
    (_, line) => `  const ${topic}${line} = rows.filter((row) => row.id > ${line});`,
  );
  return {
    name,
    language: "typescript",
    description,
    tags: [verb, topic],
    entry: { function: name, isAsync: true, calling: "positional", parameters: [{ name: "rows", optional: false }] },
    tools: [],
    imports: [],
    code: `/** ${description} */\nexport async function ${name}(rows: any[]) {\n${lines.join("\n")}\n  return rows;\n}\n`,
  };
}

/** All skills with their files, which the mirror would write one by one. */
async function fill({ openStore }, home) {
  const folder = join(home, "skills");
  mkdirSync(folder, { recursive: true });
  const store = openStore(home);
  for (let number = 0; number < many; number++) {
    const draft = draftOf(number);
    const path = join(folder, `${draft.name}.ts`);
    const head = `// Skill ${draft.name}: an edit of this file becomes its next version.\n// tags: ${draft.tags.join(", ")}`;
    writeFileSync(path, `${head}\n\n${draft.code}`);
    const { mtimeMs, size } = statSync(path);
    await store.skills.save(draft, () => `.ts:${mtimeMs}:${size}`);
  }
  store.close();
}

async function measureUse({ config, env }) {
  const coordinator = await Coordinator.open({ config, env: { ...process.env, ...env } });
  try {
    const queries = ["sum_invoice_131", "compare customers", "rows of the last days", "send every recipe", "zzz"];
    let next = 0;
    const search = () => coordinator.run("search_skills", { query: queries[next++ % queries.length] });
    const first = await timed(search);
    const times = [];
    for (let round = 0; round < rounds; round++) times.push(await timed(search));
    const list = await timed(() => coordinator.run("list_skills", {}));
    const notes = [
      `slowest ${milliseconds(Math.max(...times))}; the first, which looks at all files, ${milliseconds(first)}`,
      `list_skills, which looks at all files: ${milliseconds(list)}`,
    ];
    return [{ ...row("search_skills", median(times)), notes }];
  } finally {
    await coordinator.close();
  }
}

function row(what, value) {
  const met = value <= goal.milliseconds;
  return {
    what: `${what}, ${many} skills`,
    ours: milliseconds(value),
    floor: "–",
    ratio: "–",
    goal: `<= ${goal.milliseconds} ms`,
    met,
  };
}

/** The version, its search index and its file; the check of the code comes on top, and knows nothing of other skills. */
async function measureSave({ openStore, createMirror }, { env: { MCP_COORDINATOR_HOME: home } }) {
  const store = openStore(home);
  const mirror = createMirror(join(home, "skills"));
  try {
    const times = [];
    for (let round = 0; round < rounds; round++) {
      const draft = draftOf(many + round);
      times.push(await timed(() => store.skills.save(draft, mirror.prepare(draft).place)));
    }
    return { ...row("store a skill", median(times)), notes: [`slowest ${milliseconds(Math.max(...times))}`] };
  } finally {
    store.close();
  }
}

async function measureStart(full, empty) {
  const ready = async ({ start }) => {
    let gateway;
    const time = await timed(async () => {
      gateway = await start();
      await gateway.listTools();
    });
    await gateway.close();
    return time;
  };
  const { withSkills, without } = await takeTurns({ withSkills: () => ready(full), without: () => ready(empty) }, 7);
  const [ours, floor] = [median(withSkills), median(without)];
  return timeRow({ what: `ready, ${many} skills`, ours, floor, floorName: "no skills", goal: goal.start });
}

await printWhenAlone(import.meta.url, measure);
