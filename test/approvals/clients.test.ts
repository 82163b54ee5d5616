import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { python } from "../foreign/program.ts";
import { cli, createHome, server } from "../gateway/connect.ts";
import { serveHttp } from "../gateway/http-gateway.ts";

// Clients that others wrote are asked what a rule wants a person to decide, and their answers count.

const execute = promisify(execFile);
const patience = { timeout: 120_000 };
const code = 'import { send_mail } from "mcp_tools/ledger";\nconsole.log(await send_mail({ to: "a@b.c" }));';
const allow = { action: "accept", content: { decision: "allow once" } };

/** A person takes as long as the machine does to start the clients that they answer by. */
function openHome(waitSeconds = 60) {
  const file = join(mkdtempSync(join(tmpdir(), "ledger-")), "ledger.jsonl");
  const policy = { rules: [{ id: "mail", match: { tool: "send_*" }, action: "ask" }] };
  const home = createHome({ ledger: server("ledger-server", file) }, { policy, approvals: { waitSeconds } });
  const env = { PATH: process.env["PATH"], MCP_COORDINATOR_HOME: join(home.home, "data") };
  const stdio = { command: process.execPath, args: [cli, "serve", "--config", home.config], env };
  return { ...home, stdio, sent: () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0) };
}

describe.each(["stdio", "http"] as const)("over %s", (transport) => {
  /** Python's client, with an answer to what it is asked, or unable to be asked. */
  const askPython = async (mode: string, answer: object | undefined) => {
    const { sent, ...home } = openHome(answer ? 60 : 3);
    await using gateway = transport === "http" ? await serveHttp(home) : undefined;
    const target = gateway
      ? { http: { url: gateway.url, headers: { Authorization: `Bearer ${gateway.token}` } } }
      : { stdio: home.stdio };
    const script = fileURLToPath(new URL("../foreign/clients/python-sdk.py", import.meta.url));
    const calls = [["execute_code", { code }]];
    const input = JSON.stringify({ ...target, calls, mode, ...(answer && { answer }) });
    const { stdout } = await execute(python, [script, input], { cwd: home.home });
    return { ...(JSON.parse(stdout) as { asked: string[]; tools: string[]; results: object[] }), sent: sent() };
  };

  test.each(["legacy", "2026-07-28"])("Python's mcp, as of %s, allows by its answer", patience, async (mode) => {
    const { asked, tools, results, sent } = await askPython(mode, allow);
    expect(tools).toEqual(["search_tools", "execute_code", "resume_run"]);
    expect(asked).toEqual([expect.stringMatching(/^ledger\.send_mail wants to run/)]);
    expect(results).toMatchObject([{ status: "ok", stdout: "send_mail is done\n" }]);
    expect(sent).toBe(1);
  });

  test.each(["legacy", "2026-07-28"])(
    "Python's mcp, as of %s, approves nothing by an empty form",
    patience,
    async (mode) => {
      const { results, sent } = await askPython(mode, { action: "accept", content: {} });
      expect(results).toMatchObject([{ status: "needs_approval" }]);
      expect(sent).toBe(0);
    },
  );

  test.each(["legacy", "2026-07-28"])(
    "Python's mcp, as of %s, that cannot be asked gets needs_approval",
    patience,
    async (mode) => {
      const { asked, results, sent } = await askPython(mode, undefined);
      expect([asked, sent]).toEqual([[], 0]);
      expect(results).toMatchObject([{ status: "needs_approval" }]);
    },
  );

  test.each(["legacy", "modern"])(
    "the Inspector, as of the %s era, puts the question to its user and hands on the answer",
    patience,
    async (era) => {
      const { sent, ...home } = openHome();
      await using gateway = transport === "http" ? await serveHttp(home) : undefined;
      const inspector = dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json"));
      const program = join(inspector, "clients/mcpdo/build/mcp-bin.js");
      const env = { ...process.env, HOME: home.home, MCP_INSPECTOR_HOME: home.home };
      const connection = ["--connection", "ours"];
      const ask = async (...args: string[]) => {
        const { stdout } = await execute(process.execPath, [program, "--format", "json", ...connection, ...args], {
          env,
        });
        return JSON.parse(stdout);
      };
      const variables = Object.entries(home.stdio.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
      const target = gateway
        ? [gateway.url, "--transport", "http", "--header", `Authorization: Bearer ${gateway.token}`]
        : [...variables, "--", home.stdio.command, ...home.stdio.args];
      try {
        await ask("connect", "--era", era, ...target);
        const pending = await ask("tools/call", "execute_code", JSON.stringify({ code }));
        expect(JSON.stringify(pending)).toContain("ledger.send_mail wants to run");
        expect(sent()).toBe(0);
        const elicitationId = /"elicitationId":"([^"]+)"/.exec(JSON.stringify(pending))?.[1] ?? "";
        const answered = await ask("elicitation/respond", elicitationId, JSON.stringify(allow.content));
        expect(JSON.stringify(answered)).toContain("send_mail is done");
        expect(sent()).toBe(1);
      } finally {
        await ask("daemon", "stop");
      }
    },
  );
});
