import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type KnownClient, thisSystem } from "./client.ts";
import { clients } from "./clients.ts";
import { scanClients } from "./scan-clients.ts";

const folder = mkdtempSync(join(tmpdir(), "scan-clients-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(process.platform === "win32")(
  "a client's file that is a pipe or a device is told, and the others are read",
  async () => {
    execFileSync("mkfifo", [join(folder, "a.json")]);
    symlinkSync("/dev/zero", join(folder, "b.json"));
    writeFileSync(join(folder, "c.json"), '{ "mcpServers": { "x": { "command": "x" } } }');
    const places = ["a", "b", "c", "none"].map((name) => ({
      path: join(folder, `${name}.json`),
      scope: "user" as const,
    }));
    const client = { ...(clients[0] as KnownClient), places: () => places };
    const { servers, failures } = await scanClients([client], thisSystem());
    expect(servers.map(({ name }) => name)).toEqual(["x"]);
    expect(failures.map(({ problem }) => problem)).toEqual([
      `Cannot use ${join(folder, "a.json")}: it is a named pipe, not a file`,
      `Cannot use ${join(folder, "b.json")}: it is a device, not a file`,
    ]);
  },
);
