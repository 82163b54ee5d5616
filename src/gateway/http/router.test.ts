import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createAccess } from "./access.ts";
import { createRouter, type Route } from "./router.ts";

const routes: Route[] = [
  { path: "/metrics", methods: ["GET"], access: "open", handle: () => new Response("numbers") },
  { path: "/ui", methods: ["GET", "POST"], access: "token", handle: () => new Response("page") },
];

async function ask(method: string, url: string, headers: Record<string, string> = {}) {
  const shown: Socket[] = [];
  const token = { file: "", isIn: (header?: string) => header === "Bearer right" };
  const access = createAccess({
    host: "127.0.0.1",
    names: [],
    token,
    onToken: (socket) => void shown.push(socket),
  });
  const incoming = Object.assign(new IncomingMessage(new Socket()), { method, url });
  incoming.headers = { host: "localhost", ...headers };
  const response = await createRouter(
    access,
    routes,
  )({ incoming, connection: { id: "" }, gone: new AbortController().signal, over: Promise.resolve() });
  const { status } = response;
  return {
    status,
    text: await response.text(),
    allow: response.headers.get("allow"),
    isKept: response.headers.get("connection") === null,
    shown: shown.length,
  };
}

const authorization = "Bearer right";

test("a route is a line of the table, with its handler", async () => {
  expect(await ask("GET", "/metrics?a=b")).toMatchObject({ status: 200, text: "numbers", shown: 0 });
  expect(await ask("POST", "/ui", { authorization })).toMatchObject({ status: 200, text: "page", shown: 1 });
});

test.each([
  ["another path", "GET", "/other", { authorization }, 404],
  ["a path below", "GET", "/ui/x", { authorization }, 404],
  ["a path that is written otherwise", "GET", "/%75i", { authorization }, 404],
  ["a method that an open path does not take", "POST", "/metrics", {}, 404],
  ["no token", "GET", "/ui", {}, 401],
  ["a wrong token, whatever the method", "PUT", "/ui", { authorization: "Bearer wrong" }, 401],
  ["a foreign Host, before all else", "GET", "/other", { authorization, host: "evil.example" }, 403],
  ["a foreign Origin on an open path", "GET", "/metrics", { origin: "https://evil.example" }, 403],
])("it refuses %s, and hangs up", async (_what, method, url, headers, status) => {
  expect(await ask(method, url, headers)).toMatchObject({ status, isKept: false, shown: 0 });
});

test("who has the token is told which methods there are", async () => {
  expect(await ask("PUT", "/ui", { authorization })).toMatchObject({
    status: 405,
    allow: "GET, POST",
    text: expect.stringContaining("/ui takes GET and POST."),
    isKept: true,
  });
});
