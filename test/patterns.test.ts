import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Coordinator } from "../src/app/coordinator.ts";

// Every program of docs/patterns.md runs and prints what the document says.

const root = fileURLToPath(new URL("..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "patterns-"));
let coordinator: Coordinator;

/** The programs of a section share the output that stands below them. */
const programs = readFileSync(join(root, "docs/patterns.md"), "utf8")
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [title = ""] = section.split("\n");
    const blocks = [...section.matchAll(/^```(ts|python|text)\n(.*?)^```$/gms)];
    return blocks.flatMap(([, kind, code = ""], index) => {
      if (kind === "text") return [];
      const output = blocks.slice(index).find(([, of]) => of === "text")?.[2];
      return [{ title, language: kind === "ts" ? ("typescript" as const) : ("python" as const), code, output }];
    });
  });

beforeAll(async () => {
  coordinator = await openCoordinator();
});
afterAll(async () => {
  await coordinator.close();
  rmSync(home, { recursive: true, force: true });
});

function openCoordinator(): Promise<Coordinator> {
  const env = { ...process.env, MCP_COORDINATOR_HOME: home };
  return Coordinator.open({ config: join(root, "examples/configs/shop.json"), env });
}

describe.each(programs)("$title, $language", ({ language, code, output }) => {
  test("prints what the document says", async () => {
    // The shop is busy for the first who asks.
    if (code.includes("exchange_rate")) {
      await coordinator.close();
      coordinator = await openCoordinator();
    }
    const run = await coordinator.execute({ code, language });
    expect(run.error).toBeUndefined();
    expect(run.stdout).toBe(output);
  });
});

test("every pattern is there in both languages", () => {
  const titles = (language: string) => programs.filter((program) => program.language === language).map((p) => p.title);
  expect(titles("python")).toEqual(titles("typescript"));
  expect(titles("python").length).toBeGreaterThanOrEqual(5);
});
