import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "../gateway/connect.ts";
import { createPlace, seen } from "./pinned-place.ts";

// Whether what is not as it was accepted can be reached by any face of a real gateway: by what reaches the server.

const inputSchema = { type: "object", properties: { to: { type: "string" } } };
const offered = (description: string) => ({
  tools: [
    { name: "send", description, inputSchema },
    { name: "same", description: "Stays", inputSchema },
  ],
  prompts: [
    { name: "greet", description, arguments: [{ name: "who" }] },
    { name: "stays", description: "Stays" },
  ],
  instructions: description,
});
const withNew = (description: string) => {
  const { tools, ...others } = offered(description);
  return { ...others, tools: [...tools, { name: "added", description: "POISON too", inputSchema }] };
};

async function openGateway() {
  const place = createPlace();
  place.configure({ entry: { pins: "review" }, coordinator: { toolsets: ["code", "discovery"] } });
  place.say(offered("Sends"));
  const folders = { config: place.config, home: place.folder };
  const env = { ...process.env, MCP_COORDINATOR_HOME: join(place.folder, "data") };
  const baseline = await place.open({ env });
  await seen(baseline);
  await baseline.close();
  // What a gateway shows of prompts and instructions is their first list.
  const first = await connect(folders, { args: ["--expose", "shop"] });
  await first.client.listPrompts();
  await first.client.listTools();
  await first.client.close();
  place.say(withNew("POISON"));
  const gateway = await connect(folders, { args: ["--expose", "shop"] });
  onTestFinished(() => gateway.client.close());
  return { place, gateway };
}

const failure = async (call: Promise<unknown>) => JSON.stringify(await call.catch((thrown: Error) => thrown.message));

describe("a changed tool, a new one and a changed prompt", () => {
  test("are reached by no face, and what is shown of them is as it was accepted", async () => {
    const { place, gateway } = await openGateway();
    const { client } = gateway;
    const { tools } = await client.listTools();
    const { prompts } = await client.listPrompts();
    expect(tools.find(({ name }) => name === "send")?.description).toBe("Sends");
    expect(tools.find(({ name }) => name === "added")?.description).toMatch(/^Needs review/);
    expect(prompts.find(({ name }) => name === "greet")?.description).toBe("Sends");
    expect(JSON.stringify([tools, prompts, client.getInstructions()])).not.toContain("POISON");

    const code = (language: string, tool: string) =>
      gateway.call("execute_code", {
        language,
        code:
          language === "python"
            ? `from mcp_tools import shop\nshop.${tool}()`
            : `import * as shop from "mcp_tools/shop";\nawait shop.${tool}({})`,
      });
    const byName = 'import { call } from "mcp_tools"; await call("shop", "send", {})';
    const faces: [string, () => Promise<unknown>][] = [
      ["a guest in TypeScript", () => code("typescript", "send")],
      ["a guest in Python", () => code("python", "send")],
      ["a guest, a new tool", () => code("typescript", "added")],
      ["a guest by its exact name", () => gateway.call("execute_code", { code: byName })],
      ["call_tool", () => gateway.call("call_tool", { server_name: "shop", tool_name: "send" })],
      ["call_tool, a new tool", () => gateway.call("call_tool", { server_name: "shop", tool_name: "added" })],
      ["the exposed tool", () => gateway.call("send")],
      ["the exposed new tool", () => gateway.call("added")],
      ["the exposed prompt", () => client.getPrompt({ name: "greet", arguments: { who: "me" } })],
    ];
    for (const [face, call] of faces)
      expect([face, await failure(call())]).toEqual([
        face,
        expect.stringMatching(/changed since it was accepted|is new since/),
      ]);
    expect(place.acts()).toEqual([]);
    // The others work.
    await gateway.call("same");
    await client.getPrompt({ name: "stays" });
    await code("typescript", "same");
    expect(place.acts()).toEqual(["same", "prompt stays", "same"]);
  });
});

test("a client with elicitation is asked about a project's server, and its answer counts, in both protocols", async () => {
  for (const modern of [false, true]) {
    const place = createPlace(".mcp.json");
    place.configure();
    place.say(offered("Sends"));
    const asked: string[] = [];
    const gateway = await connect(
      { config: place.config, home: place.folder },
      {
        modern,
        cwd: place.folder,
        capabilities: { elicitation: { form: {} } },
        prepare: (client) =>
          client.setRequestHandler("elicitation/create", ({ params }) => {
            asked.push(params.message);
            return { action: "accept", content: { decision: "accept" } };
          }),
      },
    );
    const code = 'import { send } from "mcp_tools/shop";\nawait send({})';
    const { structuredContent } = await gateway.call("execute_code", { code });
    expect([modern, structuredContent["status"], asked.length]).toEqual([modern, "ok", 1]);
    await gateway.client.close();
  }
});
