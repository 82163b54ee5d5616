import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import { servicesOf } from "../src/app/services-of.ts";
import { folder, openCoordinator, ownServer } from "./open-coordinator.ts";
import { presented } from "./presented.ts";

// Skills through the whole system: saved, imported, run, edited as files, with real sandboxes and a real server.

const shared = new Map<string, Promise<Coordinator>>();

/** One coordinator a home: the check of Python takes seconds to start. */
const open = (home = "home"): Promise<Coordinator> => {
  const known = shared.get(home) ?? openCoordinator({ mcpServers: { data: ownServer("data-server") }, home });
  shared.set(home, known);
  return known;
};

const total = `import { orders } from "mcp_tools/data";

/**
 * The sum of the first orders.
 * @param count how many
 */
export async function order_total(count: number, factor = 1): Promise<number> {
  const rows = await orders({ count });
  return rows.reduce((sum: number, row: { amount: number }) => sum + row.amount, 0) * factor;
}
`;

const names = `from mcp_tools.aio.data import customers


async def customer_names(limit: int = 3, /, *, upper: bool = False) -> list[str]:
    """The names of the first customers.

    Args:
        limit: how many
    """
    found = await customers()
    names = [row["name"] for row in found["customers"][:limit]]
    return [name.upper() for name in names] if upper else names
`;

describe("saving", () => {
  test("the answer says version, import, parameters, tools and tests", async () => {
    const coordinator = await open();
    const tests = `import { order_total } from "skills/order_total";
if ((await order_total(2)) !== 919) throw new Error(String(await order_total(2)));`;
    const saved = await coordinator.run("save_skill", { name: "order_total", code: total, tags: ["money"], tests });
    expect(saved).toMatchObject({
      name: "order_total",
      version: 1,
      stored: true,
      import: 'import { order_total } from "skills/order_total"',
      parameters: [
        { name: "count", type: "number", optional: false, description: "how many" },
        { name: "factor", optional: true },
      ],
      tools: ["data.orders"],
      tests: "passed",
    });
    const again = await coordinator.run("save_skill", { name: "order_total", code: total, tags: ["money"], tests });
    expect(again).toMatchObject({ version: 1, stored: false });
  });

  test("async Python is saved and run with arguments by name", async () => {
    const coordinator = await open();
    expect(await coordinator.run("save_skill", { name: "customer_names", code: names })).toMatchObject({
      version: 1,
      import: "from skills.customer_names import customer_names",
      tools: ["data.customers"],
    });
    const run = await coordinator.run("run_skill", { name: "customer_names", args: { limit: 2, upper: true } });
    expect(run).toMatchObject({ status: "ok", result: ["CUSTOMER 0", "CUSTOMER 1"], skill: "customer_names@1" });
  });
});

describe("a function itself", () => {
  const inGuest = async (language: "typescript" | "python", code: string, options: object = {}) => {
    const { status, result, error } = await (await open("functions")).execute({ language, code, ...options });
    return { status, result, message: [error?.message, error?.hint].filter(Boolean).join(" ") };
  };

  test("of TypeScript is saved with its types and all that it uses, and the next run imports it", async () => {
    const code = `import { skills } from "coordinator";
import { orders } from "mcp_tools/data";
const factor = 2;
interface Order { amount: number }
/** The amounts of the first orders, twice. */
async function firstAmounts(count: number = 2): Promise<number[]> {
  const rows: Order[] = await orders({ count });
  return rows.map(({ amount }) => amount * factor);
}
const saved = await skills.save(firstAmounts);
const named = await skills.save("first_amounts", firstAmounts, { tags: ["money"] });
[saved.import, saved.version, saved.parameters, saved.tools, named.version];`;
    expect(await inGuest("typescript", code)).toMatchObject({
      status: "ok",
      result: [
        'import { firstAmounts } from "skills/first_amounts"',
        1,
        [{ name: "count", type: "number", optional: true }],
        ["data.orders"],
        2,
      ],
    });
    const using = 'import { firstAmounts } from "skills/first_amounts"; await firstAmounts();';
    expect(await inGuest("typescript", using)).toMatchObject({ status: "ok", result: [0, 1838] });
  });

  test("of Python is saved with what it uses, also what an earlier run of its session has defined", async () => {
    const session = "functions";
    const before = `from mcp_tools.data import orders
from coordinator import skills, aio
def doubled(amount: float) -> float:
    return amount * FACTOR
FACTOR = 2
`;
    expect(await inGuest("python", before, { session })).toMatchObject({ status: "ok" });
    const code = `def first_amounts_py(count: int = 2) -> list[float]:
    """The amounts of the first orders, twice."""
    return [doubled(row["amount"]) for row in orders(count=count)]
saved = skills.save(first_amounts_py)
named = await aio.skills.save("first_amounts_py", first_amounts_py, tags=["money"])
[saved["import"], saved["tools"], named["version"]]`;
    expect(await inGuest("python", code, { session })).toEqual({
      status: "ok",
      result: ["from skills.first_amounts_py import first_amounts_py", ["data.orders"], 2],
      message: "",
    });
    const using = "from skills.first_amounts_py import first_amounts_py\nfirst_amounts_py()";
    expect(await inGuest("python", using)).toMatchObject({ status: "ok", result: [0, 1838] });
  });

  test.each<["typescript" | "python", string, string]>([
    [
      "typescript",
      "const rows = [await Promise.resolve(1)];\n/** A. */\nfunction refused() { return rows; }\nawait skills.save(refused);",
      "The function refused uses rows, which only this run has: a skill cannot take along what was computed, or is changed. Make it a parameter of refused",
    ],
    [
      "typescript",
      "await skills.save((a: number) => a);",
      'defines no function "" at its top level. Write function name(…) { … } there',
    ],
    [
      "typescript",
      "function refused() { return 1; }\nawait skills.save(refused);",
      "write /** Totals by country. */ above it",
    ],
    ["typescript", 'await skills.save("refused", Math.max);', 'defines no function "max"'],
    [
      "python",
      'rows = [len(skills.list())]\ndef refused():\n    """A."""\n    return rows\nskills.save(refused)',
      "The function refused uses rows, which only this run has",
    ],
    ["python", "skills.save(lambda a: a)", 'defines no function "<lambda>" at its top level. Write def name(…): there'],
    [
      "python",
      "def refused():\n    return 1\nskills.save(refused)",
      'write """Totals by country.""" as its first line',
    ],
    ["python", 'skills.save("refused", print)', 'defines no function "print"'],
    [
      "python",
      'skills.save("refused")',
      "Cannot save a skill without a function or its source text. It takes: skills.save(fn) or skills.save(name, code: str | function",
    ],
  ])("that cannot be one is refused with what to do: %s, %j", async (language, code, told) => {
    const imported = { typescript: 'import { skills } from "coordinator";', python: "from coordinator import skills" };
    const { status, message } = await inGuest(language, `${imported[language]}\n${code}`);
    expect({ status, message }).toEqual({ status: "error", message: expect.stringContaining(told) });
    expect(await servicesOf(await open("functions")).skills.store.names()).not.toContain("refused");
  });
});

describe("what is wrong is told, and nothing is stored", () => {
  test.each([
    ["no doc comment", "export function wrong(a: number) { return a; }", "has no doc comment"],
    ["an unknown name", "/** A. */\nexport function wrong() { return nothing_of_that_name; }", "nothing_of_that_name"],
    ["bad syntax", "/** A. */\nexport function wrong() { return ); }", "line 2"],
    [
      "an unknown tool",
      'import { ordres } from "mcp_tools/data";\n/** A. */\nexport const wrong = () => ordres({});',
      "orders",
    ],
    ["no function", "export const wrong = 1;", "There is no function"],
    ["Python without a docstring", "def wrong():\n    return 1\n", "has no docstring"],
    ["wrong Python", 'def wrong():\n    """A."""\n    return undefined_name\n', "undefined_name"],
  ])("%s", async (_what, code, expected) => {
    const coordinator = await open();
    const saving = coordinator.run("save_skill", { name: "wrong", code });
    await expect(saving).rejects.toMatchObject({ code: "skill_invalid", message: expect.stringContaining(expected) });
    expect(await servicesOf(coordinator).skills.store.names()).not.toContain("wrong");
  });

  test("all problems together, each with its line", async () => {
    const coordinator = await open();
    const code = "export function a() { return first_unknown; }\nexport function b() { return second_unknown; }";
    const saving = coordinator.run("save_skill", { name: "wrong", code });
    await expect(saving).rejects.toThrow(/line 1.*first_unknown[\s\S]*line 2.*second_unknown[\s\S]*a or b/);
  });

  test("tests that fail, in both languages", async () => {
    const coordinator = await open();
    const typescript = {
      code: "/** A. */\nexport const wrong = () => 1;",
      tests: 'import { wrong } from "skills/wrong";\nif (wrong() !== 2) throw new Error("not two");',
    };
    const python = {
      code: 'def wrong():\n    """A."""\n    return 1\n',
      tests: "from skills.wrong import wrong\nassert wrong() == 2, 'not two'",
    };
    for (const skill of [typescript, python]) {
      const saving = coordinator.run("save_skill", { name: "wrong", ...skill });
      await expect(saving).rejects.toMatchObject({
        code: "skill_invalid",
        message: expect.stringContaining("not two"),
      });
    }
    expect(await servicesOf(coordinator).skills.store.names()).not.toContain("wrong");
  });

  test.each(["../x", "Report", "class", "con"])("the name %s", async (name) => {
    const coordinator = await open();
    const saving = coordinator.run("save_skill", { name, code: "/** A. */\nexport const f = () => 1;" });
    await expect(saving).rejects.toMatchObject({ code: "input_invalid" });
  });

  test.each(["code", "tests"])("more than 256,000 characters of %s, before anything looks at them", async (part) => {
    const coordinator = await open();
    const code = "/** A. */\nexport const wrong = () => 1;";
    const saving = coordinator.run("save_skill", { name: "wrong", code, [part]: `\`\`\`\n${" ".repeat(300_000)}x` });
    await expect(saving).rejects.toMatchObject({ code: "input_invalid" });
  });

  test("the other language under the same name", async () => {
    const coordinator = await open("more");
    await coordinator.run("save_skill", { name: "one", code: "/** A. */\nexport const one = () => 1;" });
    const saving = coordinator.run("save_skill", {
      name: "one",
      language: "python",
      code: 'def one():\n    """A."""\n',
    });
    await expect(saving).rejects.toMatchObject({
      code: "skill_invalid",
      message: expect.stringContaining("TypeScript"),
    });
  });
});

describe("using", () => {
  test("guests import the latest version, or a certain one, and skills import skills", async () => {
    const coordinator = await open("more");
    const save = (name: string, code: string) => coordinator.run("save_skill", { name, code });
    await save("base", "/** A. */\nexport const base = () => 1;");
    await save("base", "/** A. */\nexport const base = () => 2;");
    await save("twice", 'import { base } from "skills/base";\n/** A. */\nexport const twice = () => base() * 2;');
    const code = `import { base } from "skills/base";
import { base as first } from "skills/base@1";
import { twice } from "skills/twice";
[base(), first(), twice()]`;
    expect(await coordinator.execute({ code })).toMatchObject({ status: "ok", result: [2, 1, 4] });
    await save("py_base", 'def py_base():\n    """A."""\n    return 1\n');
    await save("py_base", 'def py_base():\n    """A."""\n    return 2\n');
    await save(
      "py_twice",
      'from skills.py_base import py_base\ndef py_twice():\n    """A."""\n    return 2 * py_base()\n',
    );
    const python =
      "from skills.py_base.v1 import py_base as first\nfrom skills.py_twice import py_twice\n[first(), py_twice()]";
    expect(await coordinator.execute({ code: python, language: "python" })).toMatchObject({
      status: "ok",
      result: [1, 4],
    });
  });

  test("a skill calls only the tools that it declares", async () => {
    const coordinator = await open("more");
    const code = `import { customers } from "mcp_tools/data";
/** Reaches for another tool, by a name that is not in the code. */
export async function sly(): Promise<unknown> {
  await customers({});
  const root = ["mcp", "tools"].join("_");
  return (await import(root)).call("data", "orders", { count: 1 });
}`;
    expect(await coordinator.run("save_skill", { name: "sly", code })).toMatchObject({ tools: ["data.customers"] });
    const run = (await coordinator.run("run_skill", { name: "sly" })) as { run: string };
    expect(run).toMatchObject({ status: "error", error: { code: "tool_denied" } });
    const recorded = await servicesOf(coordinator).journal.getRun(run.run);
    expect(recorded?.toolCalls.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ["customers", "ok"],
      ["orders", "refused"],
    ]);
    const anywhere =
      'import { call } from "mcp_tools";\n/** A. */\nexport const sly = () => call("data", "orders", {});';
    await expect(coordinator.run("save_skill", { name: "sly", code: anywhere })).rejects.toThrow(
      "says which servers it uses",
    );
  });

  test("a run that may not use a server cannot reach it by saving a skill with tests", async () => {
    const coordinator = await open("more");
    const skill =
      'import { orders } from "mcp_tools/data";\\n/** A. */\\nexport const reach = () => orders({ count: 1 });';
    const tests = 'import { reach } from "skills/reach"; await reach();';
    const code = `import { skills } from "coordinator";
await skills.save("reach", "${skill.replaceAll('"', '\\"')}", { tests: ${JSON.stringify(tests)} })`;
    expect(await coordinator.execute({ code, servers: [] })).toMatchObject({ status: "error" });
    const limited = await coordinator.execute({ code, tools: [{ server: "data", tool: "customers" }] });
    expect(limited).toMatchObject({ status: "error", error: { message: expect.stringContaining("orders") } });
    expect(await servicesOf(coordinator).skills.store.names()).not.toContain("reach");
    expect(await coordinator.execute({ code })).toMatchObject({ status: "ok", result: { version: 1 } });
  });

  test("arguments are checked by name", async () => {
    const coordinator = await open();
    const run = (args: object) => coordinator.run("run_skill", { name: "order_total", args });
    await expect(run({ cuont: 1 })).rejects.toThrow(
      'unknown argument "cuont", did you mean "count"?; "count" (number) is missing',
    );
    expect(await run({ count: 2, factor: 10 })).toMatchObject({ status: "ok", result: 9190 });
    expect(await run({ count: 2 })).toMatchObject({ status: "ok", result: 919 });
  });

  test("an unknown name is answered with the nearest, an unknown version with those that there are", async () => {
    const coordinator = await open();
    await expect(coordinator.run("get_skill", { name: "order_totl" })).rejects.toMatchObject({
      code: "skill_unknown",
      hint: 'Did you mean "order_total"?',
    });
    await expect(coordinator.run("get_skill", { name: "order_total", version: 9 })).rejects.toMatchObject({
      hint: "Choose one of: 1.",
    });
  });

  test("search_tools finds skills beside tools, ranked together", async () => {
    const coordinator = await open();
    const search = async (input: object) => {
      const { data, text } = await presented<{ results: { kind: string; name: string }[] }>(
        coordinator,
        "search_tools",
        input,
      );
      return { ...data, text };
    };
    const { results } = await search({ query: "order_total" });
    expect(results[0]).toEqual({
      kind: "skill",
      name: "order_total",
      import: 'import { order_total } from "skills/order_total"',
    });
    expect(results.map(({ name }) => name)).toContain("orders");
    const customers = await search({ query: "all customers", detail: "full" });
    expect(customers.results.map(({ kind, name }) => `${kind} ${name}`).slice(0, 2)).toEqual([
      "tool customers",
      "skill customer_names",
    ]);
    expect(customers.text).toContain("from skills.customer_names import customer_names");
    expect(
      (await search({ query: "customers", language: "typescript" })).results.map(({ kind }) => kind),
    ).not.toContain("skill");
    expect((await search({})).text).toMatch(/2 skills; search finds them/);
  });

  test("guests save, list, search, get and delete", async () => {
    const coordinator = await open("guest");
    const code = `import { skills } from "coordinator";
const saved = await skills.save("made_here", "/** Made in a run. */\\nexport const made_here = () => 7;", { tags: ["x"] });
const found = await skills.search("made");
const all = await skills.list();
const { code } = await skills.get("made_here");
const versions = await skills.history("made_here");
const gone = await skills.delete("made_here");
[saved.version, found[0].name, all.length, code.includes("7"), versions.length, gone.deleted];`;
    expect(await coordinator.execute({ code })).toMatchObject({
      status: "ok",
      result: [1, "made_here", 1, true, 1, [1]],
    });
    const python = `from coordinator import skills
saved = skills.save("made_there", 'def made_there():\\n    """Made in a run."""\\n    return 7\\n')
[saved["version"], [skill["name"] for skill in skills.list(language="python")]]`;
    expect(await coordinator.execute({ code: python, language: "python" })).toMatchObject({
      result: [1, ["made_there"]],
    });
  });

  test("a run becomes a skill, in both languages", async () => {
    const coordinator = await open("more");
    const typescript = await coordinator.execute({
      code: 'import { orders } from "mcp_tools/data";\nconst rows = await orders({ count: 3 });\nrows.length',
    });
    const python = await coordinator.execute({
      language: "python",
      code: "from mcp_tools.data import orders\nrows = orders(count=2)\nlen(rows)",
    });
    for (const [run, name, expected] of [
      [typescript.run, "three_rows", 3],
      [python.run, "two_rows", 2],
    ] as const) {
      expect(await coordinator.run("save_skill_from_run", { run, name })).toMatchObject({
        version: 1,
        tools: ["data.orders"],
      });
      expect(await coordinator.run("run_skill", { name })).toMatchObject({ status: "ok", result: expected });
    }
  });
});

describe("files", () => {
  const file = (home: string, name: string) => join(folder, home, "skills", name);

  test("an edit comes back as a new version, wherever it is noticed; a broken one does not replace the good", async () => {
    const coordinator = await open("files");
    await coordinator.run("save_skill", { name: "one", code: "/** A. */\nexport const one = () => 1;", tags: ["x"] });
    const path = file("files", "one.ts");
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(/^\/\/ Skill one: .*\n\/\/ tags: x\n\n\/\*\* A\. \*\/\nexport const one = \(\) => 1;\n$/);

    writeFileSync(path, text.replace("=> 1", "=> 22").replace("tags: x", "tags: x, y"));
    const imported = await coordinator.execute({ code: 'import { one } from "skills/one";\none()' });
    expect(imported).toMatchObject({ status: "ok", result: 22 });
    expect(await coordinator.run("get_skill", { name: "one" })).toMatchObject({ version: 2, tags: ["x", "y"] });

    // Meanwhile the look that reading it has asked for is over.
    expect(await coordinator.run("run_skill", { name: "one" })).toMatchObject({ result: 22 });
    writeFileSync(path, text.replace("=> 1", "=> unknown_name"));
    const listed = () => coordinator.run("list_skills", {});
    // To read is not to wait for tests, nor to write: the first list says that there is an edit, a later one what is wrong.
    expect(await listed()).toMatchObject([{ name: "one", version: 2, problem: expect.stringContaining("an edit") }]);
    await expect
      .poll(listed, { timeout: 30_000 })
      .toMatchObject([{ name: "one", version: 2, problem: expect.stringContaining("unknown_name") }]);
    expect(await coordinator.run("run_skill", { name: "one" })).toMatchObject({ result: 22 });
    expect(
      await coordinator.run("save_skill", { name: "one", code: "/** A. */\nexport const one = () => 3;" }),
    ).toMatchObject({
      version: 3,
      note: expect.stringContaining("left as it is"),
    });
    expect(readFileSync(path, "utf8")).toContain("unknown_name");

    rmSync(path);
    expect(await coordinator.run("run_skill", { name: "one" })).toMatchObject({ result: 3 });
    expect(readFileSync(path, "utf8")).toContain("=> 3");
    await coordinator.run("delete_skill", { name: "one" });
    expect(existsSync(path)).toBe(false);
  });

  test("a file that somebody puts there becomes a skill", async () => {
    const coordinator = await open("dropped");
    await coordinator.run("save_skill", { name: "other", code: "/** A. */\nexport const other = () => 1;" });
    writeFileSync(file("dropped", "dropped.py"), 'def dropped():\n    """From a friend."""\n    return 5\n');
    writeFileSync(file("dropped", "broken.py"), "def broken(:\n");
    const listed = async () => {
      const all = (await coordinator.run("list_skills", {})) as { name: string; problem?: string }[];
      return all.map(({ name, problem }) => [name, problem !== undefined]);
    };
    expect(await listed()).toEqual([
      ["other", false],
      ["broken", true],
      ["dropped", true],
    ]);
    await expect.poll(listed, { timeout: 60_000 }).toEqual([
      ["dropped", false],
      ["other", false],
      ["broken", true],
    ]);
    expect(await coordinator.run("run_skill", { name: "dropped" })).toMatchObject({ result: 5 });
  });

  test("a version that is deleted leaves the file of the one before", async () => {
    const coordinator = await open("deleted");
    const save = (result: number) =>
      coordinator.run("save_skill", { name: "one", code: `/** A. */\nexport const one = () => ${result};` });
    await save(1);
    await save(2);
    expect(await coordinator.run("delete_skill", { name: "one", version: 2 })).toEqual({
      name: "one",
      deleted: [2],
      latest: 1,
    });
    expect(readFileSync(file("deleted", "one.ts"), "utf8")).toContain("=> 1");
    expect(await save(3)).toMatchObject({ version: 3 });
    expect(await coordinator.run("skill_diff", { name: "one" })).toMatchObject({
      from: 1,
      to: 3,
      patch: expect.stringContaining("+export const one = () => 3;"),
    });
  });

  test("export and import give the same skills back", async () => {
    const [from, to] = [await open(), await open("imported")];
    const out = join(folder, "exported");
    expect(await from.run("export_skills", { out })).toMatchObject({
      exported: [{ name: "customer_names" }, { name: "order_total" }],
    });
    expect(await to.run("import_skills", { from: out })).toEqual({
      imported: [
        { name: "customer_names", version: 1, stored: true },
        { name: "order_total", version: 1, stored: true },
      ],
      refused: [],
    });
    const facts = async (coordinator: Coordinator) => {
      const { savedAt: _savedAt, ...rest } = (await coordinator.run("get_skill", { name: "order_total" })) as Record<
        string,
        unknown
      >;
      return rest;
    };
    expect(await facts(to)).toEqual(await facts(from));
    expect(await to.run("import_skills", { from: join(out, "order-total") })).toMatchObject({
      imported: [{ stored: false }],
    });
  });
});

test("a skill whose tool changed, vanished or whose server is gone says so, and still runs as far as it can", async () => {
  const toolFile = join(folder, "tools.json");
  const tool = (properties: object) => ({ name: "look", inputSchema: { type: "object", properties } });
  const changing = ownServer("changing-server", toolFile);
  const show = (tools: object[]) => writeFileSync(toolFile, JSON.stringify(tools));
  const reopen = async (servers: object) => {
    const coordinator = await openCoordinator({ mcpServers: servers, home: "stale" });
    if ("changing" in servers) await servicesOf(coordinator).libraries.refresh("changing");
    return coordinator;
  };
  show([tool({ at: { type: "string" } })]);
  const first = await reopen({ changing });
  const code =
    'import { look } from "mcp_tools/changing";\n/** Looks. */\nexport const watch = () => look({ at: "x" });';
  await first.run("save_skill", { name: "watch", code });
  expect(await first.run("list_skills", {})).toEqual([expect.not.objectContaining({ stale: expect.anything() })]);

  show([tool({ at: { type: "string" }, near: { type: "string" } })]);
  const changed = await reopen({ changing });
  const stale = ['"look" of "changing" has changed what it takes'];
  expect(await changed.run("list_skills", {})).toMatchObject([{ name: "watch", stale }]);
  expect(await changed.run("run_skill", { name: "watch" })).toMatchObject({ status: "ok", stale });

  show([]);
  const vanished = await reopen({ changing });
  expect(await vanished.run("run_skill", { name: "watch" })).toMatchObject({
    status: "check_failed",
    stale: ['"changing" has no tool "look" any more'],
  });
  const removed = await reopen({});
  expect(await removed.run("get_skill", { name: "watch" })).toMatchObject({
    stale: ['the server "changing" is not configured'],
  });
});
