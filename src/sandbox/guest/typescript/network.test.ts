import { expect, test } from "vitest";
import type { Program } from "../../engine.ts";
import type { Host } from "./modules.ts";
import { closeNetwork, openNetwork } from "./network.ts";

const program: Program = { code: "", libraries: [], modules: [], operations: [], imports: { allow: ["*"], deny: [] } };
const host = {} as Host;

/** What each of the web's ways out says. */
function toldBy(scope: Record<string, unknown>): string[] {
  return ["fetch", "WebSocket", "EventSource"].map((name) => {
    try {
      return String(Reflect.construct(scope[name] as () => never, []));
    } catch (thrown) {
      return (thrown as Error).message;
    }
  });
}

test("without an open host, every way out says that there is no network", () => {
  const scope = {};
  closeNetwork(scope);
  openNetwork(scope, host, program);
  const none = "Guests have no network (coordinator.sandbox.network.allow): call a tool of an MCP server instead";
  expect(toldBy(scope)).toEqual([none, none, none]);
});

test("with open hosts there is fetch, and what is not there names it and them", () => {
  const scope = {};
  closeNetwork(scope);
  openNetwork(scope, host, { ...program, operations: [["fetch"]], hosts: ["api.example.org", "*.example.net"] });
  expect(toldBy(scope).slice(1)).toEqual([
    "Guests have no WebSocket: use fetch, which reaches api.example.org, *.example.net",
    "Guests have no EventSource: use fetch, which reaches api.example.org, *.example.net",
  ]);
});
