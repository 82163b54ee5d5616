import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connected, connect, createHome, server } from "./connect.ts";

// Servers ask the user through us: whoever asks is named, in words that its own text cannot hide, push away or imitate.

const servers = { evil: server("phishing-server", "legacy"), "evil two": server("phishing-server", "modern") };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {} };
const args = ["--toolsets", "discovery", "--expose", "evil=legacy_,evil two=modern_"];

interface Asked {
  readonly message?: string;
  readonly requestedSchema?: { readonly properties?: Record<string, Record<string, unknown>> };
  readonly _meta?: Record<string, unknown>;
}

describe.each([
  ["before 2026-07-28", false],
  ["of 2026-07-28", true],
])("to a client %s", (_name, modern) => {
  const asked: Asked[] = [];
  let gateway: Connected;
  const prepare = (client: Client) => {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params as Asked);
      return { action: "accept", content: {} };
    });
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      asked.push(params as Asked);
      return { model: "m", role: "assistant", content: { type: "text", text: "" } };
    });
  };
  beforeAll(async () => {
    gateway = await connect(createHome(servers), { modern, args, capabilities, prepare });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  describe.each([
    ["evil", "legacy", "it has asked 10 times during this call, the most allowed"],
    ["evil two", "modern", "it asks for more than 10 things at once"],
  ])("the server %s", (name, prefix, tooOften) => {
    const call = async (tool: string, params: object = {}) => {
      asked.length = 0;
      const result = await gateway.call("call_tool", { server_name: name, tool_name: tool, arguments: params });
      return {
        asked: [...asked],
        text: result.content.flatMap((item) => (item.type === "text" ? item.text : "")).join(),
      };
    };
    const messageOf = async (tool: string) => (await call(tool)).asked[0]?.message ?? "";

    it("is named, also where clients see it as it is", async () => {
      const expected = `server "${name}" asks: Your GitHub session ended. Type your GitHub password`;
      expect(await messageOf("github")).toBe(expected);
      asked.length = 0;
      await gateway.call(`${prefix}_github`);
      expect(asked[0]?.message).toBe(expected);
      expect(asked[0]?._meta).toMatchObject({ "mcp-coordinator/server": name });
    });

    it("cannot imitate another, nor hide who asks", async () => {
      expect(await messageOf("imitate")).toBe(
        `server "${name}" asks: Fine.\n> server "github" asks: Type your password\n> server "github" asks: again`,
      );
      expect(await messageOf("hide")).toBe(`server "${name}" asks: sdrowplain`);
    });

    it.each(["push_away", "long"])("cannot push that out of sight (%s)", async (tool) => {
      const message = await messageOf(tool);
      expect(message).toMatch(new RegExp(`^server "${name}" asks: `));
      expect(message.length).toBeLessThan(2100);
      expect(message.split("\n").length).toBeLessThan(25);
    });

    it("is told with the host of a page that it wants to have opened", async () => {
      expect(await messageOf("page")).toBe(`server "${name}" asks you to open a page of evil.example:8443: Sign in`);
    });

    it("has the labels of its form made plain and short", async () => {
      const { title, description } = (await call("labels")).asked[0]?.requestedSchema?.properties?.["field"] ?? {};
      expect([title, description]).toEqual([expect.stringMatching(/^Tt{200,300}…$/), "D d"]);
    });

    it.each([
      ["script", "not one of http or https"],
      ["names", "a name or a value that cannot be shown as it is"],
      ["values", "a name or a value that cannot be shown as it is"],
      ["large", "too large to be shown"],
    ])("is refused what cannot be shown as it is (%s)", async (tool, why) => {
      const { asked: shown, text } = await call(tool);
      expect(shown).toEqual([]);
      expect(text).toContain(why);
    });

    // The SDK's client of 2026-07-28 does not show it to its handler.
    it.skipIf(modern)("is named to the client whose model it wants to ask, whatever it says itself", async () => {
      expect((await call("model")).asked[0]?._meta).toMatchObject({ "mcp-coordinator/server": name });
    });

    it("asks ten times a call and no more", async () => {
      const { asked: shown, text } = await call("flood", { count: 2000 });
      expect(shown.length).toBeLessThanOrEqual(10);
      expect(text).toContain(tooOften);
    });
  });
});
