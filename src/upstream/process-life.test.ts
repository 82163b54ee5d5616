import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, test } from "vitest";
import type { ServerConfig } from "../config/server.ts";
import { bundle, faulty, isAlive, remote, startHttpServer, survivors } from "./test-servers.fixture.ts";

/** Calls "pid" of every server that it is given, prints the answers, and then waits or has nothing more to do. */
const program = bundle(`
  import { createUpstreams } from "./upstreams.ts";
  const [servers, what] = JSON.parse(process.argv[2]);
  const upstreams = createUpstreams(servers);
  const results = await Promise.all(servers.map(({ name }) => upstreams.to(name).call(what, {})));
  console.log(JSON.stringify(results.map(({ content }) => content[0].text)));
  if (process.argv[3] === "wait") setInterval(() => {}, 1000);
`);

afterAll(() => rmSync(program));

function run(servers: readonly ServerConfig[], tool: string, ...more: string[]) {
  const child = spawn(process.execPath, [program, JSON.stringify([servers, tool]), ...more], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const answers = once(createInterface({ input: child.stdout }), "line").then(([line]) => JSON.parse(line) as string[]);
  return { child, answers };
}

const stubborn = { ...faulty("stubborn"), name: "stubborn" };
const wrapped = {
  ...faulty(),
  name: "wrapped",
  command: "/bin/sh",
  args: ["-c", '"$0" "$@"; true', process.execPath, ...faulty("stubborn").args],
};

describe("when the coordinator is killed", () => {
  test("nothing of its servers is left after two seconds", async () => {
    const forking = { ...faulty("fork"), name: "forking" };
    const { child, answers } = run([stubborn, wrapped, forking], "pid", "wait");
    const pids = (await answers).map(Number);
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await survivors(pids, 2000)).toEqual([]);
  });
});

describe("a program that used a server", () => {
  test("ends by itself when it has nothing more to do, and takes the server along", async () => {
    const { child, answers } = run([stubborn, wrapped], "pid");
    const exit = once(child, "exit");
    const pids = (await answers).map(Number);
    expect(await exit).toEqual([0, null]);
    expect(await survivors(pids, 2000)).toEqual([]);
  });

  test.each(["streamable", "sse"])("ends by itself although a stream is open: %s", async (kind) => {
    await using server = await startHttpServer(kind, "stream");
    const { child, answers } = run([remote(server.url)], "headers");
    const exit = once(child, "exit");
    await answers;
    expect(await exit).toEqual([0, null]);
  });
});
