import type { Coordinator } from "../app/coordinator.ts";
import { operationsOf, servicesOf } from "../app/services-of.ts";
import { messageOf } from "../errors.ts";
import { coordinatorDeclarations } from "../operations/coordinator-module.ts";
import type { Services } from "../operations/services.ts";
import type { Language } from "../sandbox/engine.ts";
import { visibleOperations } from "./tool-definitions.ts";

/** What a model can do here, in Markdown: from the operations and the settings themselves. */
export async function capabilitiesGuide(coordinator: Coordinator): Promise<string> {
  const services = servicesOf(coordinator);
  const { config } = services;
  const { limits, network } = config.sandbox;
  const tools = visibleOperations(coordinator).map(({ name, description }) => {
    return `- \`${name}\`: ${description.split("\n")[0]}`;
  });
  const guest = operationsOf(coordinator).flatMap(({ guest: name, description }) =>
    name ? [`- \`${name}\`: ${description}`] : [],
  );
  return `# mcp-coordinator

The user's MCP servers are typed libraries. Find tools with \`search_tools\`, then call them from code with \`execute_code\`:
only what the code prints and its last expression come back.

## Tools

${tools.join("\n")}

## Languages

${(await Promise.all((["typescript", "python"] as const).map((language) => languageLine(services, language)))).join("\n")}

\`\`\`ts
import { search_papers } from "mcp_tools/arxiv";
const papers = await search_papers({ query: "transformers" });
papers.slice(0, 3); // the last expression is the result
\`\`\`

\`\`\`python
from mcp_tools.arxiv import search_papers             # waits for its answer
from mcp_tools.aio.arxiv import search_papers as find  # for asyncio.gather
search_papers(query="transformers")[:3]
\`\`\`

A call gives plain data. \`rest_of(value)\` from \`mcp_tools\` has what else the server sent with it, such as pictures beside
structured content; \`raw(tool, args)\`, in Python \`raw(tool, name=value)\`, gives the server's whole result. An image, audio or
resource in the last expression reaches the client as such; \`artifacts.save(name, item)\` keeps it as a file.

## Limits of a run

- ${limits.timeoutSeconds} seconds, up to ${limits.maxTimeoutSeconds} when asked for with \`timeout\`
- ${limits.memoryMb} MB of memory, ${limits.toolCalls} calls of tools and functions, ${limits.parallelToolCalls} at a time
- about ${config.output.maxTokens} tokens of output; what is cut stays whole as an artifact
- network: ${network.allow.length === 0 ? "none" : network.allow.join(", ")}

## What code can import from \`coordinator\`

${guest.join("\n")}

In TypeScript, with \`await\`:

\`\`\`ts
${coordinatorDeclarations(operationsOf(coordinator)).replace("export {};\n", "").trimEnd()}
\`\`\`

In Python the same names; further arguments are keywords: \`memory.get("key", default=0)\`. \`coordinator.aio\` has them as
coroutines.
`;
}

async function languageLine(services: Services, language: Language): Promise<string> {
  try {
    const { engine } = await services.engines.choose(language);
    const version = await engine.version?.();
    return `- \`${language}\`${version === undefined ? "" : ` ${version}`}, on the engine ${engine.name}`;
  } catch (thrown) {
    return `- \`${language}\` cannot run here: ${messageOf(thrown)}`;
  }
}
