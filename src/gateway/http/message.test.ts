import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createHeldBytes } from "./held-bytes.ts";
import { readBody, send } from "./message.ts";

const megabyte = 1024 * 1024;
const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

async function start(serve: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>) {
  const http = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    open(words: string): Socket {
      const socket = connect(port, "127.0.0.1");
      opened.push(socket);
      socket.on("error", () => {});
      socket.pause().write(words);
      return socket;
    },
    [Symbol.dispose]: () => void http.close(),
  };
}

const get = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const post = (bytes: number) => `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`;

async function textOf(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part);
  return Buffer.concat(parts).toString("latin1");
}

/** Answers with so many megabytes, which come one after the other. */
function answer(megabytes: number): Response {
  let left = megabytes;
  const chunk = () => Buffer.alloc(megabyte, 0x61);
  return new Response(
    new ReadableStream({
      start(controller) {
        while (left-- > 0) controller.enqueue(chunk());
        controller.close();
      },
    }),
  );
}

test("answers that nobody reads are held up to a limit: then the client is hung up on that stood still for longest", async () => {
  const unread = createHeldBytes({ most: 48 * megabyte, small: 65_536 });
  const closed: number[] = [];
  let count = 0;
  using server = await start(async ({ socket }, outgoing) => {
    const number = ++count;
    outgoing.once("close", () => closed.push(number));
    await send(
      answer(32),
      outgoing,
      unread.hold(() => socket.destroy()),
    );
  });
  const first = server.open(get);
  while (count < 1) await delay(5);
  const second = server.open(get);
  while (closed.length === 0) await delay(5);
  expect(closed).toEqual([1]);
  expect((await textOf(first)).length).toBeLessThan(32 * megabyte);
  expect((await textOf(second)).length).toBeGreaterThan(32 * megabyte);
  expect(unread.total).toBe(0);
});

test("a client that reads slowly gets all of it, one that reads nothing is hung up on", async () => {
  const unread = createHeldBytes({ most: 256 * megabyte, small: 65_536 });
  const closed: string[] = [];
  using server = await start(async ({ url = "", socket }, outgoing) => {
    outgoing.once("close", () => closed.push(url));
    await send(
      answer(40),
      outgoing,
      unread.hold(() => socket.destroy()),
      2000,
    );
  });
  const idle = server.open(get.replace("/", "/idle"));
  const slow = server.open(get.replace("/", "/slow"));
  let bytes = 0;
  for await (const part of slow) {
    bytes += (part as Buffer).length;
    await delay(5);
  }
  while (closed.length < 2) await delay(5);
  expect(bytes).toBeGreaterThan(40 * megabyte);
  expect((await textOf(idle)).length).toBeLessThan(40 * megabyte);
  expect(unread.total).toBe(0);
});

test("bodies that do not come to their end give way to others, and their clients are told", async () => {
  const bodies = createHeldBytes({ most: 10 * megabyte, small: 65_536 });
  const read: unknown[] = [];
  using server = await start(async (incoming, outgoing) => {
    const body = await readBody(incoming, 4 * megabyte, bodies).catch(() => "gone");
    read.push(typeof body === "string" ? body : body.length);
    outgoing.end(typeof body === "string" ? body : "read");
  });
  const stands: Socket[] = [];
  for (let count = 0; count < 3; count++) {
    const before = bodies.total;
    stands.push(server.open(post(4 * megabyte)));
    stands.at(-1)?.write(Buffer.alloc(3 * megabyte));
    while (bodies.total < before + 3 * megabyte) await delay(5);
  }
  const whole = server.open(post(4 * megabyte));
  whole.write(Buffer.alloc(4 * megabyte));
  expect(await textOf(whole)).toMatch(/read$/);
  expect(await textOf(stands[0] as Socket)).toMatch(/no room$/);
  expect(read).toEqual(["no room", 4 * megabyte]);
  expect(bodies.total).toBe(6 * megabyte);
  for (const socket of stands) socket.destroy();
  while (read.length < 4) await delay(5);
  expect([read.slice(2), bodies.total]).toEqual([["gone", "gone"], 0]);
});
