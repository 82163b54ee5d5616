import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundle } from "../../upstream/test-servers.fixture.ts";

const program = (stray: string) => `
import { startForkServer } from "./fork-server.ts";

// It says that its guest has ended, and a process outside its group holds pipes of it open for a while.
const script = 'read settings; read start; setsid ${stray} & read kill; echo "ended 0 9 0 0"; read more';
const server = startForkServer({
  command: ["/bin/sh", "-c", script],
  settings: {},
  slots: 2,
  beforeStart: () => {},
  explainEnd: () => ({ kind: "exit", code: 0 }),
  onEnd: () => {},
});
server.startGuest().kill();
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300); // its line is there, and not read yet
await server.retire();
console.log("gone");
`;

test.each([
  ["its output", "sleep 0.5"],
  ["the channel of a slot", "sleep 0.5 </dev/null >/dev/null 2>&1"],
])("a process stays until the fork server that it ends is gone, and so is what holds %s", async (_, stray) => {
  const { stdout } = await promisify(execFile)(process.execPath, [bundle(program(stray), import.meta.url)]);
  expect(stdout).toBe("gone\n");
});
