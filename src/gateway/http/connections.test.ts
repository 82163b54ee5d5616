import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { watchConnections } from "./connections.ts";

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

/** A server for which "/known" is the token. */
async function start(patience: { most: number; milliseconds: number }) {
  const http = createServer(({ url, socket }, response) => {
    if (url === "/known") onToken(socket);
    response.end("ok");
  });
  const onToken = watchConnections(http, patience);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const open = async (words = "") => {
    const socket = connect(port, "127.0.0.1");
    opened.push(socket);
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await once(socket, "connect");
    socket.write(words);
    return { socket, closed };
  };
  const known = async () => {
    const connection = await open("GET /known HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(connection.socket, "data");
    return connection;
  };
  return { open, known, [Symbol.dispose]: () => void http.close() };
}

test("one stranger too many takes the place of the oldest, and of nobody who is known", async () => {
  using server = await start({ most: 2, milliseconds: 60_000 });
  const friend = await server.known();
  const [first, second, third] = [await server.open(), await server.open("GET / HT"), await server.open()];
  await first.closed;
  const fourth = await server.open();
  await second.closed;
  expect([friend, third, fourth].map(({ socket }) => socket.destroyed)).toEqual([false, false, false]);
});

test.each([
  ["says nothing", ""],
  ["asks without the token", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["has not come to an end with its headers", "GET / HTTP/1.1\r\nHost: x\r\nX: "],
  ["has not come to an end with its body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na"],
])("a connection goes that %s", async (_what, words) => {
  using server = await start({ most: 10, milliseconds: 100 });
  const friend = await server.known();
  const { closed, socket } = await server.open(words);
  const trickle = setInterval(() => socket.write("a"), 10);
  await closed;
  clearInterval(trickle);
  expect(friend.socket.destroyed).toBe(false);
});
