import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { createCredentials } from "../../store/files/credentials.ts";
import { bundle, remote } from "../test-servers.fixture.ts";
import { browse, startOAuthServer } from "./oauth-server.fixture.ts";
import { createSignIns } from "./sign-ins.ts";

const rounds = 100;

/** Calls the server once for each line that it reads, and writes the answer. */
const program = `
  import { createInterface } from "node:readline";
  import { createCredentials } from "../store/files/credentials.ts";
  import { createUpstreams } from "./upstreams.ts";
  const [url, folder] = process.argv.slice(2);
  const server = { transport: "http", name: "tested", url, headers: {}, tools: { allow: [], deny: [] } };
  const upstreams = createUpstreams([server], { credentials: createCredentials(folder) });
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await upstreams.to("tested").call("echo", { line }).catch((error) => ({ error: error.message }));
    process.stdout.write(JSON.stringify(answer) + "\\n");
  }
  await upstreams.close();
`;

test(`two processes that meet the end of a token at once refresh it once, ${rounds} times over, and lose none`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-oauth-"));
  await using oauth = await startOAuthServer();
  const server = remote(oauth.url);
  const signIns = createSignIns({
    servers: () => [server],
    server: () => server,
    credentials: createCredentials(folder),
  });
  await signIns.signIn("tested", { onAddress: (address) => void browse(address) });
  const file = bundle(program);
  const both = [start(file, oauth.url, folder), start(file, oauth.url, folder)];
  try {
    await Promise.all(both.map(({ call }) => call("first")));
    for (let round = 0; round < rounds; round++) {
      await oauth.control({ expire: true, refuse: "both" });
      const answers = await Promise.all(both.map(({ call }) => call(String(round))));
      const expected = { content: [{ type: "text", text: JSON.stringify({ line: String(round) }) }] };
      expect(answers).toEqual([expected, expected]);
    }
    // Each round both processes were refused before the refresh was answered.
    expect(await oauth.counts()).toMatchObject({ refreshes: rounds, reuses: 0, refused: 2 * rounds + 1 });
  } finally {
    for (const { child } of both) child.stdin.end();
    await Promise.all(both.map(({ child }) => once(child, "exit")));
    rmSync(folder, { recursive: true, force: true });
    rmSync(file);
  }
});

function start(file: string, ...args: string[]) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [file, ...args]);
  child.stderr.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const call = async (line: string): Promise<unknown> => {
    child.stdin.write(`${line}\n`);
    return JSON.parse((await lines.next()).value);
  };
  return { child, call };
}
