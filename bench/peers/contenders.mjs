// The peers that install from npm and PyPI, each as its documentation has it, over the same server program. Each gives `run(job)`,
// for the jobs of bench/peers.mjs, and `definitions()`, what a model is told before it asks; undefined where it brings none.
import { fileURLToPath } from "node:url";
import { executeCode, install } from "../gateway.mjs";
import { parallel, sequential } from "../guests.mjs";
import { connect } from "../mcp-client.mjs";
import { connectRaw } from "../raw-client.mjs";
import { echoServer } from "../servers.mjs";
import { installNode, installNpm, installPython, placeProgram } from "./install.mjs";

const fastmcpServer = fileURLToPath(new URL("fastmcp_server.py", import.meta.url));
const server = [echoServer.command, ...echoServer.args];

export const peers = {
  "UTCP code-mode 1.2.12": async (group) => {
    const packages = ["@utcp/code-mode@1.2.12", "@utcp/sdk@1.1.2", "@utcp/mcp@1.1.3", "isolated-vm@6.2.0"];
    const client = await openLibrary("utcp", packages, group);
    const codes = {
      sequential: "for (let call = 0; call < 100; call++) peer.echo_echo({ message: String(call) });",
      parallel: "await Promise.all(Array.from({ length: 100 }, () => peer.echo_wait({ milliseconds: 50 })));",
      empty: "",
    };
    return {
      run: (job) => client.callTool("run", { code: codes[job] }),
      definitions: () => client.callTool("definitions"),
      close: client.close,
    };
  },
  "Vercel run 2.1.5": async (group) => {
    const client = await openLibrary("run", ["run@2.1.5"], group);
    const codes = {
      sequential: "for (let call = 0; call < 100; call++) await peer.echo({ message: String(call) });",
      parallel: "await Promise.all(Array.from({ length: 100 }, () => peer.wait({ milliseconds: 50 })));",
      empty: "",
    };
    return { run: (job) => client.callTool("run", { code: codes[job] }), close: client.close };
  },
  "FastMCP 4.1.2 CodeMode with Monty 1.4.0": async (group) => {
    const python = installPython("fastmcp", ["fastmcp==4.1.2", "pydantic-monty==1.4.0"]);
    const client = await connect(group.command(python, fastmcpServer, ...server));
    const codes = {
      sequential: 'for call in range(100):\n    await call_tool("echo", {"message": str(call)})',
      parallel: 'import asyncio\nawait asyncio.gather(*[call_tool("wait", {"milliseconds": 50}) for _ in range(100)])',
      empty: "",
    };
    const run = async (job) => {
      const { isError, content } = await client.callTool("execute", { code: codes[job] });
      if (isError) throw new Error(content[0]?.text);
    };
    return { run, definitions: client.listTools, close: client.close };
  },
};

async function openLibrary(name, packages, group) {
  const node = installNode();
  const program = placeProgram(`${name}-server.mjs`, installNpm(name, packages, node));
  return connectRaw(group.command(node, program, ...server));
}

/** The product, with a gateway for each language. */
export async function openOurs(language, group) {
  const installation = await install(() => ({ echo: echoServer }));
  const gateway = await installation.start(group);
  const codes = { sequential: sequential(100)[language], parallel: parallel(100, 50)[language], empty: "" };
  return {
    run: (job) => executeCode(gateway, codes[job], language),
    definitions: gateway.listTools,
    async close() {
      await gateway.close();
      await installation.remove();
    },
  };
}
