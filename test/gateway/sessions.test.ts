import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, createHome, processesUnder } from "./connect.ts";
import { type HttpGateway, serveHttp } from "./http-gateway.ts";

type Client = Awaited<ReturnType<HttpGateway["connect"]>>;
interface Run {
  readonly status: string;
  readonly result?: unknown;
  readonly session?: string;
  readonly error?: { readonly code?: string };
}

const run = async ({ call }: Pick<Client, "call">, code: string, session: string) => {
  const { structuredContent, content } = await call("execute_code", { code, session });
  return { ...(structuredContent as unknown as Run), text: (content[0] as { text: string }).text };
};
const define = "var secret = 1";
const look = "typeof globalThis.secret";
const given = /^s-[a-z2-9]{13}$/;

describe("over HTTP", () => {
  let gateway: HttpGateway;
  beforeAll(async () => {
    gateway = await serveHttp(createHome({}));
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])("a session is its client's alone (2026-07-28: %s and %s)", async (first, second) => {
    await using a = await gateway.connect({ modern: first });
    await using b = await gateway.connect({ modern: second });
    await run(a, define, "s");
    expect(await run(b, look, "s")).toMatchObject({ status: "ok", result: "undefined" });
  });

  test("a client before 2026-07-28 calls it by the name that it chose", async () => {
    await using a = await gateway.connect();
    const first = await run(a, define, "s");
    expect([first.session, first.text]).toEqual([undefined, expect.not.stringContaining("session")]);
    expect(await run(a, look, "s")).toMatchObject({ result: "number" });
  });

  test("a client of 2026-07-28 is told the name to go on with, which nobody guesses", async () => {
    await using a = await gateway.connect({ modern: true });
    const first = await run(a, define, "s");
    expect(first.session).toMatch(given);
    expect(first.text).toContain(`[a new session: pass session: "${first.session}" to continue in it]`);
    const second = await run(a, look, first.session ?? "");
    expect([second.result, second.session]).toEqual(["number", undefined]);
    const failed = await run(a, "nosuchname", "s");
    expect([failed.status, failed.session]).toEqual(["check_failed", expect.stringMatching(given)]);

    const end = 'import { session } from "coordinator"; await session.end({})';
    expect((await run(a, end, "s")).session).toBeUndefined();
    await run(a, end, first.session ?? "");
    expect(await run(a, look, first.session ?? "")).toMatchObject({ status: "error", error: { code: "session_lost" } });
  });

  test("a client that goes takes its sessions with it", async () => {
    const below = () => processesUnder(gateway.child.pid as number).length;
    const a = await gateway.connect();
    for (const name of ["1", "2", "3", "4"]) await run(a, define, name);
    while (below() < 8) await delay(20); // each has a process, and one for its sandbox; others wait for a run
    const before = below();
    await a[Symbol.asyncDispose]();
    while (below() > before - 8) await delay(20);
  });
});

test("sessions are common by name where the user wants that", async () => {
  await using gateway = await serveHttp(createHome({}, { sessions: "shared" }));
  await using a = await gateway.connect();
  await using b = await gateway.connect({ modern: true });
  await run(a, define, "s");
  expect(await run(b, look, "s")).toMatchObject({ result: "number" });
});

test.each([false, true])("over stdio the process is the client (2026-07-28: %s)", async (modern) => {
  const home = createHome({});
  await using a = await connect(home, { modern });
  await using b = await connect(home, { modern });
  expect((await run(a, define, "s")).session).toBeUndefined();
  expect(await run(a, look, "s")).toMatchObject({ result: "number" });
  expect(await run(b, look, "s")).toMatchObject({ result: "undefined" });
});
