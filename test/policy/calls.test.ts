import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRows } from "./every-row.ts";
import { callsEach, type Told } from "./guest.ts";
import { type Call, type CallsRow, million } from "./row.ts";
import { type Language, openStage, type Stage } from "./stage.ts";

// Rows of calls, each made by a guest: what the server was made to do is what counts.

const rows = (await readRows()).filter((row) => "calls" in row);
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe.each<Language>(["typescript", "python"])("a guest in %s", (language) => {
  test.each(rows.map((row) => [`${row.id} ${row.what}`, row] as const))("%s", (_title, row) => show(row, language));
});

async function show({ files, calls }: CallsRow, language: Language): Promise<void> {
  await stage.govern(files);
  stage.done();
  const code = callsEach(
    language,
    calls.map(({ tool, args = {} }) => [tool, textOf(args)] as const),
  );
  const { status, result, error } = await stage.coordinator.execute({ code, language, check: false });
  expect({ status, error }).toEqual({ status: "ok" });
  const told = result as unknown as readonly Told[];
  const endIn = ({ end, inPython = end }: Call) => (language === "python" ? inPython : end);
  const shown = (one: { args?: unknown }, end: string) => `${JSON.stringify(one.args)?.slice(0, 100)}: ${end}`;
  expect(told.map((one, index) => shown(calls[index] ?? {}, endOf(one)))).toEqual(
    calls.map((call) => shown(call, endIn(call))),
  );
  for (const [index, call] of calls.entries()) {
    if (call.by !== undefined && endIn(call) !== "refused") expect(told[index]?.message).toContain(call.by);
  }
  expect(stage.done()).toEqual(calls.filter((call) => endIn(call) === "done").map(sentBy));
}

function sentBy({ tool, args = {}, ...call }: Call) {
  const text = () => textOf(args).replace(million, "a".repeat(1_000_000));
  return { what: tool, args: "sent" in call ? call.sent : JSON.parse(text()) };
}

function textOf(args: string | object): string {
  return typeof args === "string" ? args : JSON.stringify(args);
}

const ends = new Map([
  ["tool_denied", "denied"],
  ["approval_rejected", "asked"],
]);

function endOf({ name, code, delivery }: Told): string {
  if (name === undefined) return "done";
  if (name === "TypeError") return "refused";
  return (delivery === "not_sent" && ends.get(code ?? "")) || `${code} ${delivery}`;
}
