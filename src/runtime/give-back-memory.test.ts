import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { giveBackMemory } from "./give-back-memory.ts";
  const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").physical_space_size;
  let kept = [];
  for (let number = 0; number < 2_000_000; number++) {
    kept.push({ number });
    if (kept.length > 50_000) kept = [];
  }
  const before = size();
  await giveBackMemory();
  console.log(JSON.stringify({ before, after: size() }));
`;

test("the room for new objects is given back", async () => {
  const { build } = await import("esbuild");
  const resolveDir = fileURLToPath(new URL(".", import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir, loader: "ts" },
    ...{ bundle: true, write: false, platform: "node", format: "esm" },
  });
  const text = outputFiles[0]?.text ?? "";
  const printed = execFileSync("node", ["--input-type=module", "-e", text], { encoding: "utf8" });
  const { before, after } = JSON.parse(printed) as { readonly before: number; readonly after: number };
  expect(before).toBeGreaterThan(8_000_000);
  expect(after).toBeLessThan(before / 4);
});
