import { expect, test } from "vitest";
import type { RawEntry } from "../../config/entry.ts";
import { openDoor } from "../../door/door.fixture.ts";
import { type AnyOperation, perform } from "../operation.ts";
import type { Services } from "../services.ts";
import { registryOperations } from "./registry.ts";

function registry(entries: Record<string, RawEntry>, toolsets = ["registry"]) {
  const changes: unknown[] = [];
  const servers = {
    file: "/home/ada/mcp.json",
    entries: async () => entries,
    async change(changed: ReadonlyMap<string, unknown>) {
      changes.push(...changed);
      return { file: "/home/ada/mcp.json", backup: "/home/ada/mcp.json.bak" };
    },
  };
  const services = { servers, door: openDoor, config: { toolsets, registry: {} } } as unknown as Services;
  const operations = registryOperations(services);
  const named = (name: string) => operations.find((one) => one.name === name) as AnyOperation;
  return { changes, operations, run: (name: string, args: object, of = {}) => perform(named(name), args, of) };
}

const user = (action: string) => {
  const questions: unknown[] = [];
  const caller = {
    id: "client",
    capabilities: { elicitation: {} },
    ask: async (_method: string, params?: Readonly<Record<string, unknown>>) => {
      questions.push(params?.["message"]);
      return { action };
    },
  };
  return { questions, caller };
};

test("a server is removed when the user agrees to what is shown, and only then", async () => {
  const { changes, run } = registry({ notes: { command: "npx", args: ["notes"] } });
  const no = user("decline");
  await expect(run("mcp_remove", { name: "notes" }, no)).rejects.toMatchObject({ code: "consent_missing" });
  expect(changes).toEqual([]);
  const yes = user("accept");
  expect((await run("mcp_remove", { name: "notes" }, yes)).text).toBe(
    "Removed notes from /home/ada/mcp.json; the previous file is /home/ada/mcp.json.bak",
  );
  expect(changes).toEqual([["notes", undefined]]);
  expect(yes.questions[0]).toMatch(/^Remove the MCP server "notes" from \/home\/ada\/mcp\.json\?\n.*npx/s);
});

test("an unknown server is told with the name that was meant, and nobody is asked", async () => {
  const asked = user("accept");
  const removing = registry({ notes: { command: "npx" } }).run("mcp_remove", { name: "note" }, asked);
  await expect(removing).rejects.toMatchObject({ code: "server_unknown", hint: 'Did you mean "notes"?' });
  expect(asked.questions).toEqual([]);
});

test("the snapshot is searched, and says what is configured already", async () => {
  const { data, text } = await registry({}).run("mcp_find", { query: "github", limit: 1 });
  const [found] = data as { name: string; package: string }[];
  expect(text).toContain(found?.name);
  const identifier = found?.package.split(": ")[1] as string;
  const again = await registry({ mine: { command: "npx", args: [identifier] } }).run("mcp_find", {
    query: "github",
    limit: 1,
  });
  expect(again.data).toMatchObject([{ configured: true }]);
  expect((await registry({}).run("mcp_find", { query: "zzqqzzqq" })).text).toMatch(/no server for these words/);
});

test("guests have the registry only where its tools are shown", () => {
  const guests = (toolsets: string[]) => registry({}, toolsets).operations.flatMap(({ guest }) => guest ?? []);
  expect(guests(["registry"])).toEqual(["registry.find", "registry.add", "registry.remove"]);
  expect(guests(["code"])).toEqual([]);
});
