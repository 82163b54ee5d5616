import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Coordinator } from "../../src/app/coordinator.ts";
import { type Connected, cli } from "../gateway/connect.ts";

/** By which something can be had done. */
export interface Face {
  readonly name: string;
  /** What it has done: a request that reaches the server, or an act of our own. */
  readonly act: string;
  /** With the mark among what it gives; resolves to what it was told, also when that was an error. */
  go(mark: string): Promise<unknown>;
}

export interface Reach {
  readonly gateway: Connected;
  /** The class of the library. */
  readonly coordinator: Coordinator;
  /** Where the generated libraries and programs beside them are. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

const run = promisify(execFile);
const index = fileURLToPath(new URL("../../dist/index.js", import.meta.url));

const skill = `import { pay } from "mcp_tools/counting";
/** Pays. */
export async function spend(mark: string): Promise<unknown> {
  return await pay({ mark });
}
`;

export async function prepare({ coordinator, folder }: Reach): Promise<void> {
  await coordinator.run("save_skill", { name: "spend", code: skill });
  await coordinator.generateTools({ out: join(folder, "mcp_tools") });
  const module = join(folder, "node_modules/mcp-coordinator");
  mkdirSync(module, { recursive: true });
  const manifest = { name: "mcp-coordinator", type: "module", exports: "./index.js" };
  writeFileSync(join(module, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(module, "index.js"), `export * from ${JSON.stringify(index)};\n`);
}

export function facesOf(reach: Reach): readonly Face[] {
  return [...ofGuests(reach), ...ofClients(reach), ...ofPrograms(reach), ...ofOwnActs(reach)];
}

const told = async ({ gateway }: Reach, name: string, args: object): Promise<unknown> => gateway.call(name, args);

function ofGuests(reach: Reach): Face[] {
  const typescript = (name: string, act: string, code: (mark: string) => string): Face => ({
    ...{ name: `${name}, TypeScript`, act },
    go: (mark) => told(reach, "execute_code", { code: code(JSON.stringify(mark)) }),
  });
  const python = (name: string, act: string, code: (mark: string) => string): Face => ({
    ...{ name: `${name}, Python`, act },
    go: (mark) => told(reach, "execute_code", { code: code(JSON.stringify(mark)), language: "python" }),
  });
  return [
    typescript("import", "pay", (mark) => `import { pay } from "mcp_tools/counting"; await pay({ mark: ${mark} })`),
    python("import", "pay", (mark) => `from mcp_tools.counting import pay\npay(mark=${mark})`),
    typescript(
      "raw",
      "pay",
      (mark) =>
        `import { raw } from "mcp_tools"; import { pay } from "mcp_tools/counting"; await raw(pay, { mark: ${mark} })`,
    ),
    python(
      "raw",
      "pay",
      (mark) => `from mcp_tools import raw\nfrom mcp_tools.counting import pay\nraw(pay, mark=${mark})`,
    ),
    typescript(
      "exact name",
      "delete-repo",
      (mark) => `import { call } from "mcp_tools/counting"; await call("delete-repo", { mark: ${mark} })`,
    ),
    python(
      "exact name",
      "delete-repo",
      (mark) => `import mcp_tools\nmcp_tools.call("counting", "delete-repo", {"mark": ${mark}})`,
    ),
    typescript(
      "name with a hash",
      "delete-repo",
      (mark) => `import * as all from "mcp_tools/counting";
const [name = ""] = Object.keys(all).filter((one) => one.startsWith("delete_repo_"));
await (all as unknown as Record<string, (args: object) => Promise<unknown>>)[name]!({ mark: ${mark} });`,
    ),
    python(
      "name with a hash",
      "delete-repo",
      (mark) => `import mcp_tools.counting as all
[name] = [one for one in dir(all) if one.startswith("delete_repo_")]
getattr(all, name)(mark=${mark})`,
    ),
    python("asyncio", "pay", (mark) => `from mcp_tools.aio.counting import pay\nawait pay(mark=${mark})`),
    typescript(
      "call_tool",
      "pay",
      (mark) => `import { call_tool } from "coordinator";
await call_tool({ server_name: "counting", tool_name: "pay", arguments: { mark: ${mark} } })`,
    ),
    typescript("skill", "pay", (mark) => `import { spend } from "skills/spend"; await spend(${mark})`),
    typescript(
      "resource",
      "resources/read",
      (mark) =>
        `import { resources } from "coordinator"; await resources.read("note://" + ${mark}, { server: "counting" })`,
    ),
    python(
      "prompt",
      "prompts/get",
      (mark) => `from coordinator import prompts\nprompts.get("greet", server="counting", arguments={"who": ${mark}})`,
    ),
  ];
}

function ofClients(reach: Reach): Face[] {
  const { client } = reach.gateway;
  const uri = (mark: string) => `note://${mark}`;
  return [
    {
      name: "call_tool",
      act: "pay",
      go: (mark) => told(reach, "call_tool", { server_name: "counting", tool_name: "pay", arguments: { mark } }),
    },
    { name: "run_skill", act: "pay", go: (mark) => told(reach, "run_skill", { name: "spend", args: { mark } }) },
    { name: "exposed tool", act: "pay", go: (mark) => told(reach, "pay", { mark }) },
    {
      name: "exposed prompt",
      act: "prompts/get",
      go: (mark) => client.getPrompt({ name: "greet", arguments: { who: mark } }),
    },
    { name: "exposed resource", act: "resources/read", go: (mark) => client.readResource({ uri: uri(mark) }) },
    { name: "subscription", act: "resources/subscribe", go: (mark) => client.subscribeResource({ uri: uri(mark) }) },
    {
      name: "completion",
      act: "completion/complete",
      go: (mark) =>
        client.complete({ ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: mark } }),
    },
  ];
}

function ofPrograms({ coordinator, folder, env }: Reach): Face[] {
  const start = (command: string, args: readonly string[]) => run(command, args, { cwd: folder, env });
  const script = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const guest = (mark: string) => `import { pay } from "mcp_tools/counting"; await pay({ mark: "${mark}" })`;
  const typescript = (mark: string) =>
    `import { pay } from "./mcp_tools/counting.js";\nawait pay({ mark: "${mark}" });`;
  const python = (mark: string) => `from mcp_tools.counting import pay\npay(mark="${mark}")`;
  return [
    {
      name: "command call",
      act: "pay",
      go: (mark) => start(process.execPath, [cli, "call", "counting", "pay", `mark=${mark}`]),
    },
    {
      name: "command run",
      act: "pay",
      go: (mark) => start(process.execPath, [cli, "run", script(`${mark}.ts`, guest(mark))]),
    },
    {
      name: "generated library, TypeScript",
      act: "pay",
      go: (mark) => start(process.execPath, [script(`${mark}.mjs`, typescript(mark))]),
    },
    {
      name: "generated library, Python",
      act: "pay",
      go: (mark) => start("python3", [script(`${mark}.py`, python(mark))]),
    },
    { name: "library", act: "pay", go: (mark) => coordinator.callTool("counting", "pay", { mark }) },
  ];
}

function ofOwnActs(reach: Reach): Face[] {
  const tool = (act: string, name: string, args: (mark: string) => object): Face => ({
    ...{ name: act, act },
    go: (mark) => told(reach, name, args(mark)),
  });
  const guest = (act: string, code: (mark: string) => string): Face => ({
    ...{ name: act, act },
    go: (mark) => told(reach, "execute_code", { code: code(JSON.stringify(mark)) }),
  });
  return [
    tool("packages.install", "install_dependencies", (mark) => ({ packages: [`@${mark}/`], language: "typescript" })),
    tool("skills.save", "save_skill", (name) => ({ name, code: skill.replace("spend", name) })),
    guest("skills.delete", (mark) => `import { skills } from "coordinator"; await skills.delete(${mark})`),
    tool("registry.add", "mcp_add", (name) => ({ name, command: "node", args: ["-e", "0"] })),
    tool("registry.remove", "mcp_remove", (name) => ({ name })),
    tool("workspace.commit", "commit_workspace", (message) => ({ message, init: true })),
    guest("network:api.invalid", (mark) => `await fetch("http://api.invalid/" + ${mark})`),
  ];
}
