import { once } from "node:events";
import { expect, test } from "vitest";
import { createDial, type DialOptions } from "./dial.ts";
import { local, serveSockets } from "./local-server.fixture.ts";

const { signal } = new AbortController();

/** Dials with the real address check, against a resolver that answers as told and counts. */
function recording(allow: string[], ...answers: string[][]) {
  const asked: string[] = [];
  const lookup = async (host: string) => {
    asked.push(host);
    return answers[asked.length - 1] ?? answers.at(-1) ?? [];
  };
  return { asked, dial: createDial({ allow, lookup }) };
}

const refusal = (options: DialOptions, url: string) =>
  createDial(options)(new URL(url), signal).then(
    () => "connected",
    (thrown) => `${thrown.code}: ${thrown.message}`,
  );

test.each([
  "127.0.0.1",
  "2130706433",
  "0177.0.0.1",
  "0x7f000001",
  "0x7f.1",
  "127.1",
  "127.0.0.1.",
  "１２７.0.0.1",
  "%31%32%37.0.0.1",
  "0",
  "[::]",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[fd00:ec2::254]",
  "169.254.169.254",
  "1.1.1.1",
])("the address %s is not reached by its number, whatever names are open", async (host) => {
  const { dial, asked } = recording(["*.example.org", "api.example.org"], ["1.1.1.1"]);
  await expect(dial(new URL(`http://${host}/`), signal)).rejects.toMatchObject({ code: "network_denied" });
  expect(asked).toEqual([]);
});

test.each(["127.0.0.1", "0x7f.1", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:1.1.1.1]", "[fd00:ec2::254]"])(
  "the entry %s is refused: it is not public",
  (entry) => {
    expect(() => createDial({ allow: ["api.example.org", entry] })).toThrow("is not a public address");
  },
);

test("every entry that cannot be used is told at once", () => {
  expect(() => createDial({ allow: ["*.org", "api.example.org", "http://x.example", "\u001b[2J"] })).toThrow(
    /config_invalid|Cannot use coordinator\.sandbox\.network\.allow: "\*\.org" opens.*; "http:\/\/x\.example" is not a host.*; "\\u001b\[2J"/,
  );
});

test.each([
  "http://allowed.example.evil.test/",
  "http://evil.test#allowed.example.org",
  "http://evil.test/?allowed.example.org",
  "http://evilallowed.example/",
  "http://example.org/",
  "http://api.example.org:22/",
  "https://api.example.org:80/",
  "http://api.example.org:443/",
  "http://localhost/",
  "http://api.example.com/",
])("%s is not open, and its name is never resolved", async (url) => {
  const { dial, asked } = recording(["allowed.example", "*.example.org"], ["1.1.1.1"]);
  await expect(dial(new URL(url), signal)).rejects.toMatchObject({
    code: "network_denied",
    hint: expect.stringContaining("coordinator.sandbox.network.allow"),
  });
  expect(asked).toEqual([]);
});

test("an empty list opens nothing", async () => {
  const { dial, asked } = recording([], ["1.1.1.1"]);
  await expect(dial(new URL("https://example.org/"), signal)).rejects.toMatchObject({ code: "network_denied" });
  expect(asked).toEqual([]);
});

test.each([
  ["a private address", ["10.1.2.3"]],
  ["loopback", ["127.0.0.1"]],
  ["the metadata service", ["169.254.169.254"]],
  ["a public and a private address", ["93.184.216.34", "10.1.2.3"]],
  ["a public IPv4 and a local IPv6 address", ["93.184.216.34", "fd00::1"]],
  ["a mapped address", ["::ffff:127.0.0.1"]],
  ["an address with a zone", ["fe80::1%lo"]],
  ["what is not an address", ["localhost"]],
])("an open name that resolves to %s is refused, and the address is not told", async (_what, addresses) => {
  const { dial } = recording(["api.example.org"], addresses);
  const thrown = await dial(new URL("https://api.example.org/"), signal).catch((error) => error);
  expect(thrown).toMatchObject({ code: "network_denied", message: expect.stringContaining("not public") });
  for (const address of addresses) expect(`${thrown.message}${thrown.hint}`).not.toContain(address);
});

test("a name is resolved once, and the address that was checked is the one that is reached", async () => {
  await using server = await serveSockets((socket) => socket.end("hello"));
  const answers = [["127.0.0.1"], ["127.0.0.2"]];
  const asked: string[] = [];
  const dial = createDial({
    ...local(`api.example.org:${server.port}`),
    lookup: async (host) => answers[asked.push(host) - 1] ?? [],
  });
  const socket = await dial(new URL(`http://api.example.org:${server.port}/`), signal);
  const [greeting] = await once(socket, "data");
  expect({ asked, greeting: String(greeting), reached: socket.remoteAddress }).toEqual({
    asked: ["api.example.org"],
    greeting: "hello",
    reached: "127.0.0.1",
  });
  await expect(dial(new URL(`http://api.example.org:${server.port}/`), signal)).rejects.toThrow("not public");
});

test("of several addresses, one that does not answer does not stand in the way", async () => {
  await using server = await serveSockets((socket) => socket.end());
  const isPublic = () => true;
  const lookup = async () => ["127.0.0.9", "127.0.0.1"];
  const dial = createDial({ allow: [`api.example.org:${server.port}`], lookup, isPublic });
  const socket = await dial(new URL(`http://api.example.org:${server.port}/`), signal);
  expect(socket.remoteAddress).toBe("127.0.0.1");
  socket.destroy();
});

test("a failure is told by its code, without an address", async () => {
  const port = await closedPort();
  expect(await refusal(local(`api.example.org:${port}`), `http://api.example.org:${port}/`)).toBe(
    "network_failed: The request to api.example.org failed: ECONNREFUSED",
  );
  const lookup = () => Promise.reject(Object.assign(new Error("queryA 10.0.0.53"), { code: "ENOTFOUND" }));
  expect(await refusal({ allow: ["api.example.org"], lookup }, "http://api.example.org/")).toBe(
    "network_failed: The request to api.example.org failed: its name could not be resolved (ENOTFOUND)",
  );
  expect(await refusal({ allow: ["api.example.org"], lookup: async () => [] }, "http://api.example.org/")).toContain(
    "its name has no address",
  );
});

test("without another resolver, the system's is asked", async () => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 10_000);
  const dialing = createDial({ allow: ["nowhere.invalid"] })(new URL("http://nowhere.invalid/"), controller.signal);
  await expect(dialing).rejects.toThrow(/could not be resolved \((ENOTFOUND|EAI_AGAIN)\)|abort/);
  clearTimeout(timer);
});

test("a resolver that never answers is not waited for when the signal aborts", async () => {
  const controller = new AbortController();
  const lookup = () => {
    controller.abort();
    return new Promise<string[]>(() => {});
  };
  const dialing = createDial({ allow: ["api.example.org"], lookup })(
    new URL("http://api.example.org/"),
    controller.signal,
  );
  await expect(dialing).rejects.toThrow(/abort/i);
});

async function closedPort(): Promise<number> {
  await using server = await serveSockets(() => {});
  return server.port;
}
