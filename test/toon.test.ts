import { decode } from "@toon-format/toon";
import { expect, test } from "vitest";
import { openCoordinator } from "./open-coordinator.ts";
import { presented } from "./presented.ts";

const table = `Array.from({ length: 3 }, (_, id) => ({ id, name: "city " + id }))`;

test("with the format toon a table is written as one, its data stay JSON, and other values are written as ever", async () => {
  const coordinator = await openCoordinator({ coordinator: { output: { format: "toon" } } });
  const { text, data } = await presented(coordinator, "execute_code", { code: `console.log("made"); ${table}` });
  expect(text).toBe("made\n[3]{id,name}:\n  0,city 0\n  1,city 1\n  2,city 2");
  expect(data).toMatchObject({ result: [0, 1, 2].map((id) => ({ id, name: `city ${id}` })) });
  expect(data).not.toHaveProperty("resultText");
  const python = await presented(coordinator, "execute_code", { language: "python", code: "[1, 2]" });
  expect(python.text).toBe("[1,2]");
});

test("a table that is too long is cut to rows that still read as a table", async () => {
  const coordinator = await openCoordinator({ coordinator: { output: { format: "toon", maxTokens: 300 } } });
  const code = table.replace("3", "100");
  const { text, data } = await presented<{ readonly result: unknown }>(coordinator, "execute_code", { code });
  const [written = "", cut] = text.split("\n[result cut");
  expect(cut).toContain("of 100 items shown");
  expect(decode(written)).toEqual(data.result);
});
