import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Connected, connect, createHome, server } from "./connect.ts";
import { type HttpGateway, serveHttp } from "./http-gateway.ts";

// A server that asks during a call gets the answer of the client behind it, whichever protocol either of them speaks.

const patience = { timeout: 20_000 };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

const answers = {
  form: { action: "accept" as const, content: { name: "Ada" } },
  page: { action: "accept" as const },
  model: { model: "m", role: "assistant" as const, content: { type: "text" as const, text: "Paris" } },
  model_with_tools: {
    model: "m",
    role: "assistant" as const,
    stopReason: "toolUse",
    content: [{ type: "tool_use" as const, id: "1", name: "t", input: {} }],
  },
  roots: { roots: [{ uri: "file:///work", name: "work" }] },
};
type Kind = keyof typeof answers;
const kinds = Object.keys(answers) as Kind[];

/** How a client takes questions: what it was asked, how long it thinks, whether it is willing. */
interface Manner {
  readonly asked: string[];
  thinkMs: number;
  refusal: string | undefined;
}

function answering(client: Client, manner: Manner): void {
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    manner.asked.push(`${params.mode ?? "form"}: ${params.message}`);
    await delay(manner.thinkMs);
    if (manner.refusal !== undefined) throw new Error(manner.refusal);
    return answers[params.mode === "url" ? "page" : "form"];
  });
  client.setRequestHandler("sampling/createMessage", ({ params }) => {
    manner.asked.push("model");
    return params.tools ? answers.model_with_tools : answers.model;
  });
  client.setRequestHandler("roots/list", () => {
    manner.asked.push("roots");
    return answers.roots;
  });
}

const paths = {
  "a direct call": (asking: string, kind: Kind) => ["call_tool", { server_name: asking, tool_name: kind }] as const,
  "a guest in TypeScript": (asking: string, kind: Kind, timeout = 30) =>
    [
      "execute_code",
      { timeout, code: `import * as asking from "mcp_tools/${asking}";\nawait asking.${kind}({})` },
    ] as const,
  "a guest in Python": (asking: string, kind: Kind) =>
    ["execute_code", { language: "python", code: `from mcp_tools import ${asking}\n${asking}.${kind}()` }] as const,
  "the server's own tool": (asking: string, kind: Kind) => [`${asking}_${kind}`, {}] as const,
};

type Answer = Awaited<ReturnType<Connected["call"]>>;

/** The answer that the server got, by whichever path it comes back. */
function serversAnswer({ content, structuredContent }: Answer): unknown {
  const data = structuredContent as { result?: { answer?: unknown }; answer?: unknown } | undefined;
  return data?.result?.answer ?? data?.answer ?? JSON.parse(textOf(content)).answer;
}

function textOf(content: Answer["content"]): string {
  return content.flatMap((item) => (item.type === "text" ? item.text : [])).join("\n");
}

const servers = { legacy: server("asking-server", "legacy"), modern: server("asking-server", "modern") };
const args = ["--toolsets", "code,discovery", "--expose", "legacy=legacy_,modern=modern_"];

describe.each([
  ["before 2026-07-28", false],
  ["of 2026-07-28", true],
])("a client %s", (_name, modern) => {
  const home = createHome(servers);
  const manner: Manner = { asked: [], thinkMs: 0, refusal: undefined };
  let gateway: Connected;
  beforeAll(async () => {
    gateway = await connect(home, { modern, args, capabilities, prepare: (client) => answering(client, manner) });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  describe.each(["legacy", "modern"])("and a server of the %s protocol", (asking) => {
    it.each(Object.keys(paths) as (keyof typeof paths)[])("agree through %s", async (path) => {
      manner.asked.length = 0;
      const wanted: Kind[] = path === "a guest in Python" ? ["form"] : kinds;
      for (const kind of wanted) {
        const [name, params] = paths[path](asking, kind);
        const result = await gateway.call(name, params);
        expect(serversAnswer(result), `${kind}: ${JSON.stringify(result)}`).toEqual(answers[kind]);
      }
      expect(manner.asked[0]).toBe(`form: server "${asking}" asks: Your name?`);
      expect(manner.asked).toHaveLength(wanted.length);
    });

    it("have the call made once, however often it is asked about", async () => {
      const count = async () => JSON.parse(textOf((await gateway.call(`${asking}_count`)).content)).calls;
      const before = await count();
      await gateway.call(`${asking}_form`);
      expect(await count()).toBe(before + 1);
    });
  });

  it("is not asked what a server wants to know at its start: others will call it too", async () => {
    const result = await gateway.call("call_tool", { server_name: "legacy", tool_name: "start" });
    expect((result.structuredContent as { askedAtStart: string }).askedAtStart).toContain("no call is under way");
  });

  it("visits the page that a server wants to have been visited first", async () => {
    const result = await gateway.call("call_tool", { server_name: "legacy", tool_name: "page_first" });
    expect(result.structuredContent).toEqual({ visited: true });
  });

  it("has more time for an answer than the run has", async () => {
    manner.thinkMs = 2500;
    const result = await gateway.call(...paths["a guest in TypeScript"]("legacy", "form", 2));
    manner.thinkMs = 0;
    expect(serversAnswer(result), JSON.stringify(result)).toEqual(answers.form);
  });

  it("may refuse, and the server and the model learn why", async () => {
    if (modern) return; // it ends its own request then, and has nothing to say to the server
    manner.refusal = "not in the mood";
    const result = await gateway.call("call_tool", { server_name: "legacy", tool_name: "form" });
    manner.refusal = undefined;
    expect(result.isError).toBe(true);
    expect(textOf(result.content)).toContain('asks the user for input (elicitation/create) during call "form"');
    expect(textOf(result.content)).toContain("not in the mood");
  });

  it("that cannot be asked is named as the reason", async () => {
    await using mute = await connect(home, { modern, args });
    const reasonOf = async (asking: string) => {
      const result = await mute.call("call_tool", { server_name: asking, tool_name: "form" });
      expect(result.isError).toBe(true);
      return textOf(result.content);
    };
    expect(await reasonOf("legacy")).toContain(
      'Upstream "legacy" asks the user for input (elicitation/create) during call "form": the client behind the call cannot answer that',
    );
    expect(await reasonOf("modern")).toMatch(/error -32021.*elicitation.*The client behind the call cannot do/s);
    await expect(mute.call("modern_form"), "the server's own error as it is").rejects.toMatchObject({ code: -32021 });
  });
});

describe("several clients of one gateway", () => {
  /** A client whose user has a name, and answers when the gate is open. */
  const named = (gateway: HttpGateway, name: string, modern: boolean) => {
    const state = { asked: 0, open: () => {}, gate: Promise.resolve() };
    const close = () => {
      state.gate = new Promise((resolve) => {
        state.open = resolve;
      });
    };
    const prepare = (client: Client) => {
      client.setRequestHandler("elicitation/create", async () => {
        state.asked++;
        await state.gate;
        return { action: "accept", content: { name } };
      });
    };
    return gateway
      .connect({ name, modern, capabilities, prepare })
      .then((connected) => ({ ...connected, state, close }));
  };
  const form = ["call_tool", { server_name: "legacy", tool_name: "form" }] as const;
  const nameOf = (result: Answer) => (result.structuredContent as { answer: { content: unknown } }).answer?.content;

  it("get their own questions, one client after the other where a server does not say whose they are", async () => {
    await using gateway = await serveHttp(createHome(servers), "--toolsets", "discovery");
    const ada = await named(gateway, "Ada", false);
    const bob = await named(gateway, "Bob", true);

    ada.close();
    const first = ada.call(...form);
    await vi.waitFor(() => expect(ada.state.asked).toBe(1), patience);
    const refused = await bob.call(...form);
    expect(refused.isError).toBe(true);
    expect(textOf(refused.content)).toContain("calls of several clients are under way");
    expect(bob.state.asked).toBe(0);
    ada.state.open();
    expect(nameOf(await first)).toEqual({ name: "Ada" });

    ada.close();
    const second = ada.call(...form);
    await vi.waitFor(() => expect(ada.state.asked).toBe(2), patience);
    const third = bob.call(...form);
    await delay(300);
    expect(bob.state.asked).toBe(0);
    ada.state.open();
    expect(nameOf(await second)).toEqual({ name: "Ada" });
    expect(nameOf(await third)).toEqual({ name: "Bob" });

    ada.close();
    ada.call(...form).catch(() => {}); // she goes
    await vi.waitFor(() => expect(ada.state.asked).toBe(3), patience);
    await ada[Symbol.asyncDispose]();
    expect(nameOf(await bob.call(...form))).toEqual({ name: "Bob" });
    await bob[Symbol.asyncDispose]();
  });
});
