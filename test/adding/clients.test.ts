// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how configurations refer to variables
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Place } from "../cli/command.ts";
import { clientFiles, writeClientFiles } from "./client-files.ts";

interface Row {
  readonly client: string;
  readonly name: string;
  readonly state: string;
  readonly because?: string;
  readonly reach?: string;
  readonly notes: readonly string[];
}

interface Answer {
  readonly servers: readonly Row[];
  readonly failures: readonly { readonly client: string; readonly problem: string }[];
  readonly written?: { readonly names: readonly string[]; readonly file: string };
}

/** A user who has every client. */
class User extends Place {
  readonly home = join(this.folder, "home");

  override spawn(command: string, args: readonly string[]) {
    return super.spawn("env", ["-i", `PATH=${process.env["PATH"]}`, `HOME=${this.home}`, command, ...args]);
  }

  read(client: string): string {
    return readFileSync(join(this.home, clientFiles[client]?.[0] ?? ""), "utf8");
  }

  async json<Value>(...words: string[]): Promise<Value> {
    const { stdout, stderr } = await this.run(...words, "--json");
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as Value;
  }
}

const user = new User();
const config = join(user.home, ".local/share/mcp-coordinator/config.json");
beforeAll(() => {
  mkdirSync(user.home);
  writeClientFiles(user.home);
});
afterAll(() => user[Symbol.dispose]());

describe("import", () => {
  test("lists the servers of every client, with what is to be done with each, and no secret", async () => {
    const { stdout, stderr } = await user.run("import");
    expect(stdout).toMatch(/^CLIENT +SERVER +TRANSPORT +STATE +COMMAND OR URL$/m);
    expect(stdout).toMatch(/^cursor +coordinator +stdio +is ourselves/m);
    expect(stdout).toMatch(/^cursor +twin +stdio +duplicate of claude-code's claude-code/m);
    expect(stdout).toMatch(/^roo +roo +stdio +disabled there/m);
    expect(stderr).toContain("vscode asks: cannot be used: ${input:key} has no equivalent here");
    expect(stderr).toContain(
      "cursor unset: cannot be used: headers.Authorization: the environment variable NO_SUCH_VARIABLE",
    );
    expect(stderr).toContain("cursor preload: sets LD_PRELOAD");
    expect(`${stdout}${stderr}`).not.toContain("hush-hush-1");

    const { servers, failures } = await user.json<Answer>("import");
    expect(failures).toEqual([]);
    const usable = servers.filter(({ state }) => state === "new").map(({ name }) => name);
    const own = Object.keys(clientFiles).filter((client) => client !== "roo");
    expect(usable).toEqual(expect.arrayContaining([...own, "in-project"]));
    expect(JSON.stringify(servers)).not.toContain("hush-hush-1");
  });

  test("a client alone, and a name that is none", async () => {
    const { servers } = await user.json<Answer>("import", "codex");
    expect(servers).toMatchObject([{ client: "codex", name: "codex", state: "new", reach: "npx -y codex-server" }]);
    const { stderr, code } = await user.run("import", "--from", "cursr");
    expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean cursor?")]);
  });

  test("one that cannot be read is told, and the others are listed", async () => {
    const broken = new User();
    mkdirSync(join(broken.home, ".codex"), { recursive: true });
    mkdirSync(join(broken.home, ".cursor"), { recursive: true });
    writeFileSync(join(broken.home, ".codex/config.toml"), '[mcp_servers.x]\ncommand = "hush\n');
    writeFileSync(join(broken.home, ".cursor/mcp.json"), clientFiles["lmstudio"]?.[1] ?? "");
    const { servers, failures } = await broken.json<Answer>("import");
    expect(servers.map(({ name }) => name)).toEqual(["lmstudio"]);
    expect(failures).toMatchObject([{ client: "codex", problem: expect.stringMatching(/line 2.*not TOML/) }]);
    expect(JSON.stringify(failures)).not.toContain("hush");
    broken[Symbol.dispose]();
  });

  test("--write copies what was named, then all that is new, and a second time nothing", async () => {
    const first = await user.json<Answer>("import", "--write", "preload", "in-project");
    expect(first.written).toMatchObject({ names: ["in-project", "preload"], file: config });
    expect(statSync(config).mode & 0o777).toBe(0o600);
    const rest = await user.json<Answer>("import", "--write");
    expect(rest.written?.names).toEqual(expect.arrayContaining(["codex", "goose", "zed"]));
    expect(JSON.parse(readFileSync(config, "utf8"))).toMatchObject({
      mcpServers: {
        zed: { command: "zed-server" },
        codex: { command: "npx", args: ["-y", "codex-server"], env: { HOME: "${HOME}" } },
        opencode: { command: "npx", args: ["-y", "opencode-server"], env: { A: "${HOME}" } },
        gemini: { type: "http", url: "https://g.example/mcp", headers: { H: "${HOME}" } },
        preload: { env: { API_KEY: "hush-hush-1" } },
      },
    });
    const { stderr } = await user.run("import", "--write");
    expect(stderr).toContain("There is nothing to copy");
    // What was written is what the coordinator reads.
    const servers = await user.json<{ name: string }[]>("servers");
    expect(servers.map(({ name }) => name)).toEqual(expect.arrayContaining(["zed", "kilo", "pi"]));
  });
});

describe("install", () => {
  test("shows what changes, names the configuration of this folder, and says the next step", async () => {
    const fresh = new User({ a: { command: "a" } });
    mkdirSync(fresh.home);
    mkdirSync(join(fresh.home, ".cursor"), { recursive: true });
    writeFileSync(join(fresh.home, ".cursor/mcp.json"), clientFiles["lmstudio"]?.[1] ?? "");
    const { stdout, stderr } = await fresh.run("install", "cursor");
    expect(stdout).toMatch(/^\+ +"mcp-coordinator": \{$/m);
    expect(stderr).toMatch(/The previous file is .*mcp\.json\.backup[\s\S]*lmstudio[\s\S]*import --write/);
    const file = JSON.parse(readFileSync(join(fresh.home, ".cursor/mcp.json"), "utf8"));
    expect(file.mcpServers["mcp-coordinator"]).toMatchObject({
      command: process.execPath,
      args: [expect.stringMatching(/dist\/cli\.js$/)],
      env: { MCP_SERVERS_CONFIG: join(fresh.folder, "mcp_servers.json") },
    });
    fresh[Symbol.dispose]();
  });
});
