import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Coordinator } from "../app/coordinator.ts";
import { plainLine } from "../catalog/plain-text.ts";
import type { Handlers } from "./client-request.ts";
import { capabilitiesGuide } from "./guide.ts";
import { serversReport } from "./servers-report.ts";

interface FixedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  text(): Promise<string>;
}

export function promptHandlers(prompts: readonly FixedPrompt[]): Handlers {
  return {
    "prompts/list": () => ({ prompts: prompts.map(({ text: _text, ...prompt }) => prompt) }),
    async "prompts/get"({ params }) {
      const name = String(params["name"]);
      const prompt = prompts.find((known) => known.name === name);
      if (!prompt) throw unknownPrompt(name, prompts);
      const text = await prompt.text();
      return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
    },
  };
}

/** What users put into a conversation: how this is used, and how their servers are. */
export function fixedPrompts(coordinator: Coordinator): readonly FixedPrompt[] {
  return [
    {
      name: "coordinator_usage_guide",
      title: "How to use mcp-coordinator",
      description: "What a model must know to use the user's MCP servers from code",
      text: async () => `${howToWork}\n\n${await capabilitiesGuide(coordinator)}`,
    },
    {
      name: "onboard_servers",
      title: "Get to know my MCP servers",
      description: "Which servers are configured, which of them fail and why, and what to do about it",
      text: () => serversReport(coordinator),
    },
  ];
}

const howToWork = `Work with the user's MCP servers through mcp-coordinator like this:

1. Find the tools that the task needs with \`search_tools\`. Do not guess names or arguments.
2. Write one program that does all of it: call, filter, join, aggregate, retry. What passes between calls stays in the program and costs nothing.
3. Print or return only what is needed for the answer: counts, a few rows, an artifact's address. What is too long is cut.
4. When the check refuses the program, nothing has run: correct the lines that it names and run it again.
5. When a call fails, look at \`delivery\` of the ToolError: after "not_sent" it may be made again, after "unknown" it may have acted.
6. What will be needed again belongs in a skill, what is large in the workspace or an artifact.`;

function unknownPrompt(name: string, prompts: readonly FixedPrompt[]): ProtocolError {
  const known = prompts.map((prompt) => prompt.name).join(", ");
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no prompt ${JSON.stringify(plainLine(name, 200))}, only ${known}.`,
  );
}
