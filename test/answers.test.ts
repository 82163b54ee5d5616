import { readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Connected, connect, createHome, server } from "./gateway/connect.ts";

// What the host holds while a guest asks for much at once: the gateway's own process, from outside.

const place = createHome({ data: server("data-server") }, { sandbox: { limits: { timeoutSeconds: 100 } } });
let gateway: Connected;
beforeAll(async () => {
  gateway = await connect(place);
  await gateway.call("execute_code", { code: "1" });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  rmSync(place.home, { recursive: true, force: true });
});

const residentMb = (): number => {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
};

/** Runs code; tells its result, and by how much the gateway grew at most meanwhile. */
async function grown(code: string, language = "typescript"): Promise<{ result: unknown; growthMb: number }> {
  const before = residentMb();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMb());
  }, 50);
  try {
    const asked = { name: "execute_code", arguments: { code, language, timeout: 100 } };
    const answer = await gateway.client.callTool(asked, { timeout: 110_000 });
    const run = answer.structuredContent as Record<string, unknown>;
    return { result: run["status"] === "ok" ? run["result"] : run, growthMb: most - before };
  } finally {
    clearInterval(timer);
  }
}

describe("24 answers of 30 MB at once", () => {
  test("are given one after the other, and the host holds pieces of one", async () => {
    const { result, growthMb } = await grown(`import { artifacts } from "coordinator";
const { uri } = await artifacts.save("controls.txt", "\\x01".repeat(30_000_000));
const reads = await Promise.all(Array.from({ length: 24 }, () => artifacts.read(uri).then((text) => [text.length, text.at(-1) === "\\x01"])));
const bytes = await Promise.all(Array.from({ length: 4 }, () => artifacts.read_bytes(uri).then((all) => all.length)));
[[...new Set(reads.map(String))], [...new Set(bytes)], await artifacts.read(uri, { offset: 29_999_998 })]`);
    expect(result).toEqual([["30000000,true"], [30_000_000], "\x01\x01"]);
    expect(growthMb).toBeLessThan(250);
  }, 120_000);

  test("from Python's threads and tasks too", async () => {
    const { result, growthMb } = await grown(
      `import asyncio
from coordinator import artifacts
from coordinator.aio import artifacts as later
uri = artifacts.save("text.txt", "é" * 10_000_000)["uri"]
texts = [len(text) for text in await asyncio.gather(*[later.read(uri) for _ in range(8)])]
[texts, artifacts.read(uri, offset=9_999_999)]`,
      "python",
    );
    expect(result).toEqual([Array(8).fill(10_000_000), "é"]);
    expect(growthMb).toBeLessThan(250);
  }, 120_000);
});

test("JSON of millions of lists is refused with the reason, however often it is asked for", async () => {
  const { result, growthMb } = await grown(`import { artifacts } from "coordinator";
const { uri } = await artifacts.save("lists.json", "[" + "[],".repeat(10_000_000) + "[]]");
const tell = () => artifacts.json(uri).then(() => "read", (error) => error.message);
[...new Set(await Promise.all(Array.from({ length: 16 }, tell)))]`);
  expect(result).toEqual([expect.stringContaining("more than 4000000 values")]);
  expect(growthMb).toBeLessThan(400);
}, 120_000);

test("a text that would be six times as long on the way is refused with the way to read it", async () => {
  const { result, growthMb } = await grown(`import { artifacts, workspace } from "coordinator";
const { uri } = await artifacts.save("controls.txt", "\\x01".repeat(30_000_000));
const tell = (reading: Promise<string>) => reading.then((text) => text.length, (error) => error.message);
await workspace.write("controls.txt", { base64: Buffer.alloc(11_000_000, 1).toString("base64") });
[await tell(artifacts.read(uri, { limit: 20_000_000 })), await tell(workspace.read("controls.txt")),
 await tell(workspace.read("controls.txt", { limit: 1000 }))]`);
  expect(result).toEqual([expect.stringContaining("MB"), expect.stringContaining("MB"), 1000]);
  expect(growthMb).toBeLessThan(400);
}, 120_000);
