import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkChanges } from "../src/app/check-changes.ts";
import type { Coordinator } from "../src/app/coordinator.ts";
import { servicesOf } from "../src/app/services-of.ts";
import { showRun } from "../src/runtime/results/run-result.ts";
import { folder, openCoordinator, ownServer } from "./open-coordinator.ts";
import { presented } from "./presented.ts";

// What results look like is learned from a real server, kept, shown, and never in the way.

async function open(home: string): Promise<Coordinator> {
  const coordinator = await openCoordinator({ mcpServers: { shapes: ownServer("shapes-server") }, home });
  await servicesOf(coordinator).libraries.discover();
  return coordinator;
}

const answer = (coordinator: Coordinator, value: unknown) =>
  coordinator.callTool("shapes", "answer", { json: JSON.stringify(value) });
const answerInRun = (coordinator: Coordinator, value: unknown) =>
  coordinator.execute({
    code: `import { answer } from "mcp_tools/shapes"; await answer({ json: ${JSON.stringify(JSON.stringify(value))} }); 1`,
  });
const found = async (coordinator: Coordinator, query: string, language = "typescript") =>
  (await presented(coordinator, "search_tools", { query, language })).text;

test("the type of results is shown in both languages, marked as observed, and gets better", async () => {
  const coordinator = await open("shown");
  expect(await found(coordinator, "answer")).toContain("\nanswer({ json })\n");
  await answer(coordinator, { items: [{ id: 1, tag: "x" }, { id: 2 }], next: null });
  expect(await found(coordinator, "answer")).toContain(
    "answer({ json }): { items: { id: number, tag? }[], next: any } // observed in 1 result",
  );
  await answer(coordinator, { items: [], next: "page2" });
  expect(await found(coordinator, "answer")).toContain(
    "answer({ json }): { items: { id: number, tag? }[], next: null | string } // observed in 2 results",
  );
  const python = await found(coordinator, "answer", "python");
  expect(python).toContain(
    "answer(*, json) -> { items: [{ id: int, tag? }], next: None | str } # observed in 2 results",
  );
  expect(await coordinator.run("get_tool_schema", { server_name: "shapes", tool_name: "answer" })).toMatchObject({
    observed: { results: 2, schema: { type: "object", required: ["items", "next"] } },
  });

  const out = join(folder, "generated");
  await coordinator.generateTools({ out });
  const generated = (name: string) => readFileSync(join(out, name), "utf8");
  expect(generated("shapes.d.ts")).toContain(
    "The type of the result was observed in 2 results; the server declares none.",
  );
  expect(generated("shapes.d.ts")).toContain("Promise<{ items: { id: number; tag?: string }[]; next: null | string }>");
  expect(generated("shapes.pyi")).toContain("next: None | str");
});

test("what a server declares is not learned", async () => {
  const coordinator = await open("declared");
  await coordinator.callTool("shapes", "declared", { json: '{"id": 1, "more": true}' });
  expect(await found(coordinator, "declared")).toContain("declared({ json }): { id: number }");
  expect(await found(coordinator, "declared")).not.toContain("observed");
});

test("neither values nor keys that are data are kept", async () => {
  const coordinator = await open("data");
  await coordinator.callTool("shapes", "accounts");
  expect(await found(coordinator, "accounts")).toContain(
    "accounts(): { total: number, [key]: { owner, balance: number } } // observed in 1 result",
  );
  await coordinator.close();
  const files = readdirSync(join(folder, "data"), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const kept = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("");
  expect(kept).toContain("balance");
  expect(kept).not.toMatch(/Lovelace|ada@|ghp_16C7|550e8400/);
});

test("what one process has learned, the next one adds to", async () => {
  const first = await open("kept");
  await answer(first, { id: 1 });
  await first.close();
  const second = await open("kept");
  await answer(second, { id: 2 });
  await answer(second, { id: 3, tag: "x" });
  expect(await found(second, "answer")).toContain("answer({ json }): { id: number, tag? } // observed in 3 results");
});

test("an observed type never stops a program", async () => {
  const coordinator = await open("lenient");
  await answer(coordinator, { id: 1, list: [{ name: "x" }] });
  const check = async (language: "typescript" | "python", code: string) =>
    (await coordinator.execute({ code, language, dryRun: true })).error?.message ?? "fine";
  const typescript = `import { answer } from "mcp_tools/shapes";
    const it = await answer({ json: '"text"' });
    const other: { deep: { x: number[] } } = it;
    [it.missing.deep(), it.id.toUpperCase(), it.map((one) => one.x), it.list.name, it + 1, other, it()]`;
  expect(await check("typescript", typescript)).toBe("fine");
  const python = `from mcp_tools.shapes import answer
it = answer(json='"text"')
[it["missing"]["deep"], it["id"].upper(), [one.x for one in it], it.attribute, it + 1, it["list"]["name"], it()]`;
  expect(await check("python", python)).toBe("fine");
  // What is declared is checked as before.
  expect(
    await check("typescript", 'import { declared } from "mcp_tools/shapes"; (await declared({ json: "" })).idd'),
  ).toContain("idd");
});

test("a result unlike those before is told once, in the answer of the run, and by one process only", async () => {
  const first = await open("drift");
  expect((await answerInRun(first, { rows: [{ id: 1, tag: "x" }] })).drift).toBeUndefined();
  const other = { rows: [{ id: "one", more: 1 }] };
  const run = await answerInRun(first, other);
  expect(run.drift).toEqual([
    "shapes.answer: rows[].id was integer, now also string; rows[].tag was always there, now it is missing",
  ]);
  expect(showRun(run)).toContain("[results unlike earlier ones: shapes.answer: rows[].id was integer");
  expect((await answerInRun(first, other)).drift).toBeUndefined();
  expect((await answerInRun(first, { rows: [{ id: 2, tag: "y", anything: 1 }] })).drift).toBeUndefined();
  expect(await checkChanges(servicesOf(first))).toMatchObject([
    { server: "shapes", status: "warn", message: expect.stringContaining("\nresults of answer: ") },
  ]);
  const second = await open("drift");
  expect((await answerInRun(second, other)).drift).toBeUndefined();
});
