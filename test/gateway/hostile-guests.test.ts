import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Connected, connect, createHome, server } from "./connect.ts";

// A guest that misbehaves ends inside its limits, with the right status, while others are answered as if it were not there.

const limits = { timeoutSeconds: 30, memoryMb: 256 };
let gateway: Connected;
beforeAll(async () => {
  gateway = await connect(createHome({ data: server("data-server") }, { sandbox: { limits } }));
  await gateway.client.listTools();
  await gateway.call("execute_code", { code: 'import { customers } from "mcp_tools/data"; await customers()' });
});
afterAll(() => gateway[Symbol.asyncDispose]());

function residentMb(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) / 1024;
}

test.each<[string, string, string, string]>([
  ["loops for ever", "for (;;);", "timeout", "timeoutSeconds"],
  ["never resolves", "await new Promise(() => {})", "timeout", "timeoutSeconds"],
  ["allocates without end", "const a = []; for (;;) a.push(new Array(1e5).fill(1.5))", "limit", "memoryMb"],
  ["allocates buffers without end", "const a = []; for (;;) a.push(new Uint8Array(1e7).fill(1))", "limit", "memoryMb"],
  ["prints without end", "const s = 'x'.repeat(1e6); for (;;) console.log(s)", "timeout", "timeoutSeconds"],
  ["prints nothing without end", "for (;;) console.log('')", "timeout", "timeoutSeconds"],
  ["prints 300 MB", "const s = 'x'.repeat(1e6); for (let i = 0; i < 300; i++) console.log(s)", "ok", ""],
  ["prints one line of 20 MB", "console.log('x'.repeat(2e7))", "ok", ""],
  ["returns 20 MB", "'x'.repeat(2e7)", "ok", ""],
  ["returns 200 MB", "'x'.repeat(2e8)", "limit", "memoryMb"],
  ["calls for ever", 'import { customers } from "mcp_tools/data"; for (;;) await customers()', "limit", "toolCalls"],
  ["returns itself", "const a = { name: 'a' }; a.self = a; a", "ok", ""],
  ["throws null", "throw null", "error", ""],
  [
    "throws from a timer",
    "setTimeout(() => { throw new Error('late') }); await new Promise((r) => setTimeout(r, 200))",
    "error",
    "",
  ],
  ["kills its process", "process.kill(process.pid, 'SIGKILL')", "error", ""],
  [
    "forges frames",
    "process.stdout.write = null; const fs = await import('node:fs'); fs.writeSync(1, Buffer.from([255, 255, 255, 255, 1, 2]))",
    "limit",
    "",
  ],
])("a guest that %s", async (_name, code, status, setting) => {
  const before = residentMb();
  const [hostile, ...others] = await Promise.all([
    // Only what has no other limit is to meet that of time, and soon.
    gateway.call("execute_code", { code, ...(status === "timeout" && { timeout: 1 }) }),
    ...Array.from({ length: 3 }, (_, index) =>
      gateway.call("execute_code", {
        code: `import { customers } from "mcp_tools/data"; (await customers()).customers.length + ${index}`,
      }),
    ),
  ]);
  const ended = hostile?.structuredContent as { status: string; error?: { setting?: string; limit?: string } };
  expect(ended.status).toBe(status);
  if (setting) expect(ended.error?.setting).toContain(setting);
  expect(others.map(({ structuredContent }) => structuredContent["result"])).toEqual([100, 101, 102]);
  expect(residentMb() - before).toBeLessThan(64);
});
